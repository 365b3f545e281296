"""Reading a sweep's configuration: keys and types first, then values, before anything is trained."""

import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.schema import check


def read(file: Path) -> Sweep:
    """Read a configuration and check all that can be checked before training.

    Raises:
        SweepError: the file cannot be read, or holds a key or a value that a sweep does not have or cannot use.
    """
    try:
        content = tomllib.loads(file.read_text())
    except OSError as error:
        raise SweepError(f"cannot read {file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SweepError(f"{file} is not TOML: {error}") from error
    sweep = _built(Sweep, content, "")
    check(sweep, content)
    sweep.studies()  # builds every network without its weights, and says what does not fit together
    return sweep


def _built(kind: type, content: Mapping[str, Any], where: str) -> Any:
    """A dataclass from a table, every key and type checked."""
    hints = typing.get_type_hints(kind)
    for key in content:
        if key not in hints:
            close = difflib.get_close_matches(key, hints, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(hints)}"
            raise SweepError(f"there is no key {where}{key!r}; {hint}")
    values = {key: _value(hints[key], value, f"{where}{key}") for key, value in content.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise SweepError(f"{where.rstrip('.') or 'configuration'}: {error}") from error


def _value(hint: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}]")
        return _built(typing.cast(type, hint), value, f"{where}.")
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        if not isinstance(value, list) or not value:
            raise SweepError(f"{where} = {value!r}: expected a list that is not empty")
        return tuple(_value(inside[0], item, where) for item in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}.NAME]")
        return value
    if origin in (typing.Union, types.UnionType):
        return _value(next(one for one in inside if one is not type(None)), value, where)
    if origin is typing.Literal:
        if value not in inside:
            raise SweepError(f"{where} = {value!r}: expected one of {', '.join(map(str, inside))}")
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SweepError(f"{where} = {value!r}: expected {hint.__name__}")
    return value
