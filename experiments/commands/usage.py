"""What the commands share: one-line errors, consoles, and how numbers look."""

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator
from typing import Any

SYMBOLS = {"equals": "=", "at most": "≤", "at least": "≥"}
STYLES = {"SUPPORTED": "green", "REFUTED": "bold red", "INCONCLUSIVE": "yellow"}
MARKS = {"SUPPORTED": "✓", "REFUTED": "✗", "INCONCLUSIVE": "?"}


class UsageError(Exception):
    """Something the user can put right; the message is shown on one line and the exit code is 2."""


@contextlib.contextmanager
def usage(*kinds: type[Exception]) -> Iterator[None]:
    """Turn these exceptions into usage errors."""
    try:
        yield
    except kinds as error:
        raise UsageError(str(error)) from error


def warn(message: str) -> None:
    """A line on standard error."""
    print(f"depthjax: {message}", file=sys.stderr)


def console(*, stderr: bool = False):
    """A rich console; in a pipe it is wide enough for the tables."""
    from rich.console import Console

    found = Console(stderr=stderr, highlight=False)
    return found if found.is_terminal or "COLUMNS" in os.environ else Console(stderr=stderr, highlight=False, width=140)


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: short, and a dash where there is none."""
    if value is None or math.isnan(value):
        return "–"
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    return f"{value:.{digits}g}"


def outcome(name: str) -> str:
    """An outcome with its colour, for rich."""
    return f"[{STYLES[name]}]{MARKS[name]} {name}[/]" if name in STYLES else f"[dim]{name}[/]"
