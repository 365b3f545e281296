"""Facts about an object, which are properties. They were methods once: for one more release their values can be called.

Calling a value warns and returns the plain value. This file goes with the next release, and `fact` becomes `property`.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = ["called", "fact"]

if TYPE_CHECKING:
    fact = property
else:

    class fact(property):
        """A property whose value can be called, which warns.

        >>> class Square:
        ...     @fact
        ...     def sides(self) -> list[int]:
        ...         return [1, 1, 1, 1]
        >>> Square().sides, isinstance(Square().sides, list)
        ([1, 1, 1, 1], True)
        >>> with warnings.catch_warnings(record=True, action="always") as told:
        ...     Square().sides()
        [1, 1, 1, 1]
        >>> print(told[0].message)
        Square.sides is a property: leave the parentheses away; the next release refuses them
        """

        def __get__(self, target: Any, owner: type | None = None) -> Any:
            """Return the value: it is of a class that can be called, its own or one made for it."""
            value = super().__get__(target, owner)
            if target is None or callable(value):
                return value
            kind = _with_call(type(value), self.fget.__qualname__)
            return value.view(kind) if isinstance(value, np.ndarray) else kind(value)


def called(name: str, plain: Callable[[Any], Any] = lambda value: value) -> Callable[[Any], Any]:
    """Return the method ``__call__`` of values that the property `name` has: it warns and returns the plain value."""

    def __call__(value: Any) -> Any:
        warnings.warn(
            f"{name} is a property: leave the parentheses away; the next release refuses them", DeprecationWarning, stacklevel=2
        )
        return plain(value)

    return __call__


@functools.cache
def _with_call(kind: type, name: str) -> type:
    """Return a subclass of a list, a tuple, a dictionary, an array or a matrix whose values can be called."""
    plain = (lambda value: value.view(np.ndarray)) if issubclass(kind, np.ndarray) else kind
    names = {"__call__": called(name, plain), "__reduce_ex__": lambda value, protocol: (copy.copy, (plain(value),))}
    if issubclass(kind, np.ndarray):  # shows itself as an array, and what is computed from it is one
        return type("array", (kind,), names | {"__array_priority__": -1.0})
    return type(kind.__name__, (kind,), names)
