"""Named tuples as plain data, and plain data as records with attributes: how a cascade crosses from a claim to its measurement.

Nothing here knows theory or JAX, so both sides may import it.
"""

from types import SimpleNamespace
from typing import Any

__all__ = ["plain", "record"]


def plain(value: Any) -> Any:
    """Return the value with a dictionary in place of every named tuple inside it.

    >>> from collections import namedtuple
    >>> plain([namedtuple("Point", "x y")(1, (2, 3))])
    [{'x': 1, 'y': (2, 3)}]
    """
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(part) for part in value)
    return value


def record(value: Any) -> Any:
    """Return the value with a record, whose attributes are the entries, in place of every dictionary inside it.

    >>> record({"levels": ({"height": 2},)}).levels[0].height
    2
    """
    if isinstance(value, dict):
        return SimpleNamespace(**{name: record(part) for name, part in value.items()})
    if isinstance(value, list | tuple):
        return type(value)(record(part) for part in value)
    return value
