"""The schema of the files in a run directory. Every reader of ``run.json`` and ``verdicts.jsonl`` goes through this file.

A run directory may come from anybody, so nothing in it is trusted. A value of the wrong type, an unknown outcome, a slug that
is a path, a number that is not finite, or an endless text is refused with the name of its field, before anything uses it.
Unknown keys are kept, because a later version may write more.
"""

import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from depthjax.card import SLUG
from depthjax.files import Unsafe, open_ordinary, read
from depthjax.runs.places import MODULE
from depthjax.runs.provenance import PRECISIONS
from depthjax.verify.experiment import SIZES
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Outcome

MAX_LINE = 32 * 2**20  # bytes of a verdict; the longest of this project's claims takes a hundredth of it
MAX_SETTINGS = 2**20  # bytes of run.json
MAX_VERDICTS = 2**30  # bytes of verdicts.jsonl, which holds a line for every time that a claim was finished
MAX_TEXT, MAX_ITEMS, MAX_DEPTH = 100_000, 100_000, 16
OUTCOMES = tuple(outcome.value for outcome in Outcome)
RELATIONS = tuple(relation.value for relation in Relation)

Check = Callable[[Any, str], None]


class SchemaError(ValueError):
    """A file of a run directory that breaks the schema; the message names the field, its value and what was expected."""

    def __init__(self, field: str, given: Any, expected: str):
        shown = repr(given)[:60] if not isinstance(given, list | dict) else f"a {type(given).__name__} of {len(given)}"
        super().__init__(f"{field or 'the whole'} is {shown}, expected {expected}")
        self.field = field


def check_settings(content: Any) -> dict[str, Any]:
    """The content of ``run.json``, as it was given.

    Raises:
        SchemaError: a field is missing or holds what a run cannot have.
    """
    _plain(content)
    _settings(content, "")
    if len(set(content["slugs"])) < len(content["slugs"]):
        raise SchemaError("slugs", content["slugs"], "every claim once")
    return content


def check_verdict(record: Any) -> dict[str, Any]:
    """A line of ``verdicts.jsonl``, as it was given.

    Raises:
        SchemaError: a field is missing or holds what a verdict cannot have.
    """
    _plain(record)
    _verdict(record, "")
    return record


def read_json(text: bytes) -> Any:
    """Read strict JSON: no NaN, no infinity (not even as 1e999), no endless nesting.

    Raises:
        SchemaError: it is none.
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


def _is(kind: type | tuple[type, ...], expected: str) -> Check:
    def check(value: Any, field: str) -> None:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SchemaError(field, value, expected)

    return check


def _where(test: Callable[[Any], bool], kind: Check, expected: str) -> Check:
    """Of this kind, and more."""

    def check(value: Any, field: str) -> None:
        kind(value, field)
        if not test(value):
            raise SchemaError(field, value, expected)

    return check


def _one_of(values: Collection[str]) -> Check:
    return _where(lambda value: value in values, _text, "one of " + ", ".join(repr(value) for value in values))


def _fields(every: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    def check(value: Any, field: str) -> None:
        _object(value, field)
        for name, part in {**every, **(optional or {})}.items():
            place = f"{field}.{name}".lstrip(".")
            if name in value:
                part(value[name], place)
            elif name in every:
                raise SchemaError(place, None, "a value: it is missing")

    return check


def _or_empty(check: Check) -> Check:
    return lambda value, field: None if value == {} else check(value, field)


def _list(item: Check) -> Check:
    def check(value: Any, field: str) -> None:
        _array(value, field)
        for index, part in enumerate(value):
            item(part, f"{field}[{index}]")

    return check


def _values(item: Check) -> Check:
    def check(value: Any, field: str) -> None:
        _object(value, field)
        for key, part in value.items():
            item(part, f"{field}.{key}")

    return check


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False


_text, _object, _array = _is(str, "a text"), _is(dict, "an object"), _is(list, "a list")
_truth = _is(bool, "true or false")
_real = _where(_finite, _is((int, float), "a number"), "a finite number")
_count = _where(lambda value: 0 <= value < 2**63, _is(int, "a whole number"), "a count")
_seed = _where(lambda value: 0 <= value < 2**32, _is(int, "a whole number"), "0 to 4294967295")
_slug = _where(
    lambda value: SLUG.fullmatch(value) is not None,
    _text,
    "a name of small letters, digits and underscores that starts with a letter, at most 100 of them",
)
_packages = _where(
    lambda value: all(MODULE.fullmatch(name) for name in value.split(",")), _text, "names of Python packages, between commas"
)


def _number(value: Any, field: str) -> None:
    if value is not None:
        _real(value, field)


def _scalar(value: Any, field: str) -> None:
    if not isinstance(value, str | bool):
        _number(value, field)


_numbers: dict[str, Check] = dict.fromkeys(("predicted", "measured", "margin", "tightness", "power"), _number)
_relation = _one_of(("", *RELATIONS, *(f"{name} at least" for name in RELATIONS)))  # the second kind: one-sided
_outcome = _one_of(OUTCOMES)
_versions = _values(_text)
_chance: dict[str, Check] = {"loose": _truth, "rate": _number}  # later than the first runs

_settings = _fields(
    {"size": _one_of(SIZES), "seed": _seed, "precision": _one_of(PRECISIONS), "slugs": _list(_slug), "catalogue": _packages},
    {"provenance": _fields({}, {"commit": _text, "versions": _versions, "files": _values(_text)})},
)
_finding = _fields(
    dict.fromkeys(("quantity", "label", "units", "cell", "reason"), _text)
    | {"where": _values(_scalar), "relation": _relation, "budget": _values(_number), "outcome": _outcome}
    | {"points": _count, "dropped": _count, "resolved": _truth}
    | _numbers,
    _chance,
)
_control = _fields({"name": _text, "statement": _text, "outcome": _outcome, "reason": _text})
_said = ("title", "statement", "latex", "source", "refuted_by", "cost", "grid")
_provenance = _fields(
    dict.fromkeys(("device", "matmul_precision", "commit", "size"), _text)
    | {"versions": _versions, "devices": _count, "x64": _truth, "seed": _seed},
    {"xla_flags": _text, "precision": _text, "surroundings": _values(_text)},
)
_verdict = _fields(
    dict.fromkeys(("quantity", "reason", "device", "date", "dtype", "witness", "figure"), _text)
    | {"slug": _slug, "topic": _text, "outcome": _outcome, "relation": _relation, "where": _values(_scalar)}
    | {"controls": _list(_control), "findings": _list(_finding), "skipped": _list(_text)}
    | {"seconds": _fields({"compile": _real, "run": _real}), "size": _one_of(("", *SIZES))}
    | {"seed": lambda value, field: None if value is None else _seed(value, field)}
    | {"claim": _fields({}, dict.fromkeys(_said, _text) | {"assumes": _list(_text)}), "provenance": _or_empty(_provenance)}
    | _numbers,
    _chance | {"rivals": _list(_control), "failed": _truth},
)
