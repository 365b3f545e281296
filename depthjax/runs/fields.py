"""Checks of JSON that are derived from annotations: a class says once what a record holds, and how it may be read.

A check takes a value and the name of its field. It raises `SchemaError`, or it returns nothing. A class is a dataclass or a
`TypedDict`; its fields are texts, numbers, truth values, lists, mappings, other such classes, unions of these, members of an
enumeration by their value, and ``Annotated`` types with further conditions (`Only`). Keys that no class names are let through.
"""

import dataclasses
import enum
import functools
import math
import types
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, NotRequired, Union

Check = Callable[[Any, str], None]
LATER = "earlier releases wrote no such key"  # in `Annotated`, of a field of a dataclass
OR_EMPTY = "or an empty object"  # in `Annotated`


class SchemaError(ValueError):
    """A file of a run directory that breaks the schema; the message names the field, its value and what was expected."""

    def __init__(self, field: str, given: Any, expected: str):
        shown = repr(given)[:60] if not isinstance(given, list | dict) else f"a {type(given).__name__} of {len(given)}"
        super().__init__(f"{field or 'the whole'} is {shown}, expected {expected}")
        self.field = field


@dataclasses.dataclass(frozen=True)
class Only:
    """In ``Annotated``: the values that pass a test, and how an error describes them."""

    test: Callable[[Any], bool]
    expected: str

    @classmethod
    def of(cls, values: Collection[str]) -> "Only":
        """Return the condition to be one of these texts."""
        return cls(tuple(values).__contains__, "one of " + ", ".join(repr(value) for value in values))


@functools.cache
def check_of(kind: Any) -> Check:
    """Return the check of an annotation.

    Raises:
        TypeError: no rule reads the annotation.

    >>> check_of(dict[str, list[int]])({"a": [1, "2"]}, "field")
    Traceback (most recent call last):
    depthjax.runs.fields.SchemaError: field.a[1] is '2', expected a whole number
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        check = check_of(parts[0])
        for one in parts[1:]:
            check = _only(check, one) if isinstance(one, Only) else _or_empty(check) if one is OR_EMPTY else check
        return check
    if origin is NotRequired:
        return check_of(parts[0])
    if origin in (Union, types.UnionType):
        return _any(tuple(check_of(part) for part in parts if part is not types.NoneType), types.NoneType in parts)
    if origin in (list, tuple):
        return _list(check_of(parts[0]))
    if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _mapping(check_of(parts[1]))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _only(check_of(str), Only.of([one.value for one in kind]))
    if dataclasses.is_dataclass(kind) or typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        required = getattr(kind, "__required_keys__", {name for name, hint in hints.items() if LATER not in _marks(hint)})
        return _object({name: (check_of(hint), name in required) for name, hint in hints.items()})
    if kind in SIMPLE:
        return SIMPLE[kind]
    raise TypeError(f"no rule reads the annotation {kind}; add one to `check_of` in {__file__}")


def _marks(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()


def _is(kind: type | tuple[type, ...], expected: str) -> Check:
    def check(value: Any, field: str) -> None:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SchemaError(field, value, expected)

    return check


def _only(inner: Check, one: Only) -> Check:
    def check(value: Any, field: str) -> None:
        inner(value, field)
        if not one.test(value):
            raise SchemaError(field, value, one.expected)

    return check


def _or_empty(inner: Check) -> Check:
    return lambda value, field: None if value == {} else inner(value, field)


def _any(checks: tuple[Check, ...], none: bool) -> Check:
    def check(value: Any, field: str) -> None:
        if value is None and none:
            return
        *others, last = checks
        for one in others:
            try:
                return one(value, field)
            except SchemaError:
                continue
        last(value, field)

    return check


def _list(item: Check) -> Check:
    whole = _is(list, "a list")

    def check(value: Any, field: str) -> None:
        whole(value, field)
        for index, part in enumerate(value):
            item(part, f"{field}[{index}]")

    return check


def _mapping(item: Check) -> Check:
    whole = _is(dict, "an object")

    def check(value: Any, field: str) -> None:
        whole(value, field)
        for key, part in value.items():
            item(part, f"{field}.{key}")

    return check


def _object(every: Mapping[str, tuple[Check, bool]]) -> Check:
    whole = _is(dict, "an object")

    def check(value: Any, field: str) -> None:
        whole(value, field)
        for name, (part, required) in every.items():
            place = f"{field}.{name}".lstrip(".")
            if name in value:
                part(value[name], place)
            elif required:
                raise SchemaError(place, None, "a value: it is missing")

    return check


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False


SIMPLE: dict[Any, Check] = {
    str: _is(str, "a text"),
    bool: _is(bool, "true or false"),
    int: _is(int, "a whole number"),
    float: _only(_is((int, float), "a number"), Only(_finite, "a finite number")),
}
