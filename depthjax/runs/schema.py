"""Reading the files of a run directory. Every reader of ``run.json`` and ``verdicts.jsonl`` goes through this file.

A run directory may come from anybody, so nothing in it is trusted. A value of the wrong type, an unknown outcome, a slug that
is a path, a number that is not finite, or an endless text is refused with the name of its field, before anything uses it.
Unknown keys are kept, because a later version may write more. What the fields are, `depthjax.runs.lines` says.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from depthjax.files import Unsafe, open_ordinary, read
from depthjax.runs.fields import SchemaError as SchemaError
from depthjax.runs.fields import check_of
from depthjax.runs.lines import RunLine, VerdictLine

MAX_LINE = 32 * 2**20  # bytes of a verdict; the longest of this project's claims takes a hundredth of it
MAX_SETTINGS = 2**20  # bytes of run.json
MAX_VERDICTS = 2**30  # bytes of verdicts.jsonl, which holds a line for every time that a claim was finished
MAX_TEXT, MAX_ITEMS, MAX_DEPTH = 100_000, 100_000, 16


def check_settings(content: Any) -> dict[str, Any]:
    """The content of ``run.json``, as it was given.

    Raises:
        SchemaError: a field is missing or holds what a run cannot have.
    """
    _plain(content)
    check_of(RunLine)(content, "")
    if len(set(content["slugs"])) < len(content["slugs"]):
        raise SchemaError("slugs", content["slugs"], "every claim once")
    return content


def check_verdict(record: Any) -> dict[str, Any]:
    """A line of ``verdicts.jsonl``, as it was given.

    Raises:
        SchemaError: a field is missing or holds what a verdict cannot have.
    """
    _plain(record)
    check_of(VerdictLine)(record, "")
    return record


def read_json(text: bytes) -> Any:
    """Read strict JSON: no NaN, no infinity (not even as 1e999), no endless nesting.

    Raises:
        SchemaError: it is not a verdict.
    """

    def constant(name: str) -> Any:
        raise SchemaError("a number", name, "a finite one")

    def real(digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else constant(digits)

    try:
        return json.loads(text.decode(), parse_constant=constant, parse_float=real)
    except SchemaError:
        raise
    except (ValueError, RecursionError) as error:
        raise SchemaError("", text[:40], f"JSON ({type(error).__name__}: {error})") from None


def read_settings(file: Path, root: Path | None = None) -> dict[str, Any]:
    """The content of a ``run.json``, in the directory `root` if one is given.

    Raises:
        OSError: the file cannot be read, or is too large, or no ordinary file.
        SchemaError: as :func:`check_settings`.
    """
    return check_settings(read_json(read(file, MAX_SETTINGS, root)))


def read_verdicts(file: Path, warn: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Yield the verdicts of a ``verdicts.jsonl`` in their order; ``warn`` is told of lines that are no verdicts.

    Raises:
        OSError: the file cannot be read, or is too large, or no ordinary file.
    """
    with open_ordinary(file) as stream:
        if (size := os.fstat(stream.fileno()).st_size) > MAX_VERDICTS:
            raise Unsafe(f"{file} has {size} bytes, expected at most {MAX_VERDICTS}")
        number = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            try:
                if len(line) > MAX_LINE:
                    start = line[:40]
                    while line and not line.endswith(b"\n"):
                        line = stream.readline(MAX_LINE)
                    raise SchemaError("", start, f"at most {MAX_LINE} bytes")
                if line.strip():
                    yield check_verdict(read_json(line))
            except SchemaError as error:
                warn(f"{file} line {number} is not a verdict ({error}): skipped and kept")


def _plain(value: Any, field: str = "", depth: int = 0) -> None:
    """Whatever the field: bounded, and text that can be written again."""
    if depth > MAX_DEPTH:
        raise SchemaError(field, value, f"at most {MAX_DEPTH} levels")
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise SchemaError(field, value, f"at most {MAX_TEXT} characters, not {len(value)}")
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise SchemaError(field, value, "text without half characters (surrogates)")
    elif isinstance(value, list | dict):
        if len(value) > MAX_ITEMS:
            raise SchemaError(field, value, f"at most {MAX_ITEMS} entries")
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str):
                _plain(key, f"a key of {field}" if field else "a key", depth + 1)
            _plain(item, f"{field}[{key}]" if isinstance(value, list) else f"{field}.{key}".lstrip("."), depth + 1)
