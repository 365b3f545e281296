"""What the commands share: one-line errors, consoles, and how numbers look."""

import codecs
import contextlib
import json
import logging
import math
import os
import re
import sys
import threading
import time
import traceback
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from depthjax.runs.executor import Elsewhere

FAILED = 4  # the exit code of a defect of the program itself, or of an output that cannot be written
SYMBOLS = {"equals": "=", "at most": "≤", "at least": "≥"}
STYLES = {"SUPPORTED": "green", "REFUTED": "bold red", "INCONCLUSIVE": "yellow"}
MARKS = {"SUPPORTED": "✓", "REFUTED": "✗", "INCONCLUSIVE": "?"}
SPELLINGS = dict(
    zip(
        "✓✗–—‐‑−“”‘’•·…∣×⋅→←≤≥≠≈±∞∈√∑∏─│",
        """+ x - - - - - " " ' ' * * ... | x * -> <- <= >= != ~ +- inf in sqrt sum prod - |""".split(),
        strict=True,
    )
)


class UsageError(Exception):
    """Something the user can put right; the message is shown on one line and the exit code is 2."""


class Failure(Exception):
    """Code of somebody else failed, and is no part of this program; the message, on one line, names it. The exit code is 4."""


@contextlib.contextmanager
def usage(*kinds: type[Exception]) -> Iterator[None]:
    """Turn these exceptions into usage errors."""
    try:
        yield
    except kinds as error:
        raise UsageError(str(error)) from error


@contextlib.contextmanager
def patience(message: str, work: float = 4.0, wait: float = 20.0) -> Iterator[None]:
    """Say on standard error what takes so long, if the block takes these seconds of this processor's work, or of waiting."""
    done, began, used = threading.Event(), time.monotonic(), time.process_time()

    def look() -> None:
        while not done.wait(0.25):
            if time.process_time() - used > work or time.monotonic() - began > wait:
                return warn(message)

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        done.set()


@contextlib.contextmanager
def failing(what: str, file: str) -> Iterator[None]:
    """Turn whatever code of somebody else raises into a `Failure` that names it, its error, and the line in its file.

    Args:
        what: Whose code runs in the block, such as "the claim tower_error_order".
        file: The file of this code.
    """
    try:
        yield
    except UsageError:
        raise  # it is this program's own, and says what was wrong with the command
    except Exception as error:
        if isinstance(error, Elsewhere):
            file, line = error.place(file)
            raise Failure(f"{what} ({file}{f', line {line}' if line else ''}): {error.line}") from error
        line = line_in(file, error)
        raise Failure(f"{what} ({file}{f', line {line}' if line else ''}): {type(error).__name__}: {error}") from error


def line_in(file: str, error: BaseException) -> int | None:
    """The last line of a file that an error came from; None if it came from no line of it."""
    if isinstance(error, SyntaxError) and error.filename and os.path.realpath(error.filename) == os.path.realpath(file):
        return error.lineno
    causes = [error, *([error.__cause__] if error.__cause__ is not None else [])]
    frames = [frame for cause in causes for frame in traceback.extract_tb(cause.__traceback__)]
    lines = [frame.lineno for frame in frames if os.path.realpath(frame.filename) == os.path.realpath(file)]
    return lines[-1] if lines else None


def printable(text: str) -> str:
    r"""The text on one line, with every code that a terminal would obey or nobody would see written out, such as ``\x1b``.

    Whatever was read from a file goes through here before it is printed: a terminal takes orders (colours, titles, the
    clipboard) from the text that it shows, and codes of direction make one line look like another.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Zs" else _written_out(c) for c in text)


def _written_out(code: str) -> str:
    return code.encode("unicode_escape").decode()


class _Warned(logging.Handler):
    """What the library has to say, as a line of the command's."""

    def emit(self, record: logging.LogRecord) -> None:
        warn(record.getMessage())


def tell_warnings() -> None:
    """From now on what `depthjax` logs is said as the commands say it."""
    logger = logging.getLogger("depthjax")
    if not logger.handlers:
        logger.addHandler(_Warned())
        logger.propagate = False


def encodable(text: str, encoding: str | None = None) -> bool:
    """Whether an encoding, that of standard output by default, has every character of a text."""
    try:
        text.encode(encoding or getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """What stands for the characters that an encoding lacks: their usual spelling in ASCII, else their number."""
    assert isinstance(error, UnicodeEncodeError)  # the only error of one who writes
    return "".join(map(_spelling, error.object[error.start : error.end])), error.end


def _spelling(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    greek = re.fullmatch(r"GREEK \w+ LETTER (\w+)", unicodedata.name(character, ""))
    return SPELLINGS.get(character) or plain or (greek[1].lower() if greek else _written_out(character))


SPELLED = "depthjax.spelled"  # a name for `errors=`, beside "replace" and "backslashreplace"
codecs.register_error(SPELLED, _spelled)


def open_streams() -> None:
    """Open what the caller has closed, as services do: a file that is opened later would else take the place of a stream."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))


def warn(message: str) -> None:
    """A line on standard error."""
    print(f"depthjax: {printable(message)}", file=sys.stderr)


def console(*, stderr: bool = False):
    """A rich console that shows texts as `printable` does, whatever prints them; in a pipe it is wide enough for the tables."""
    from rich.console import Console
    from rich.segment import Segment

    class Safe(Console):
        def render(self, renderable, options=None):
            for segment in super().render(renderable, options):
                text = "\n".join(map(printable, segment.text.split("\n")))
                yield segment if segment.control else Segment(text, segment.style)

    found = Safe(stderr=stderr, highlight=False)
    return found if found.is_terminal or "COLUMNS" in os.environ else Safe(stderr=stderr, highlight=False, width=140)


JSON_VERSION = 1
"""Of the keys that --json prints; it grows when one of them changes its name or its type."""


def print_json(facts: Mapping[str, Any]) -> None:
    r"""One JSON object on standard output, ``version`` first.

    What is not `printable` is written as JSON can, such as ``\u009b``.
    """
    value = {"version": JSON_VERSION, **facts}
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    if not encodable(text):
        text = json.dumps(value, indent=2, allow_nan=False)
    print(re.sub(r"[^\n -~]", lambda c: c[0] if printable(c[0]) == c[0] else json.dumps(c[0])[1:-1], text))


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: short, and a dash where there is none."""
    if value is None or math.isnan(value):
        return "–"
    if abs(value) < 1e7 and (value == int(value) or abs(value) >= 10**digits):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def outcome(name: str) -> str:
    """An outcome with its colour, for rich."""
    from rich.markup import escape

    return f"[{STYLES[name]}]{MARKS[name]} {name}[/]" if name in STYLES else f"[dim]{escape(name)}[/]"
