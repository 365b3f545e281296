"""Plain data: what may cross from a prediction to a measurement.

Numbers (Python's of any size, fractions, numpy's), texts, bytes, truth values and None; arrays of numpy with numbers or truth
values, or with exact numbers of Python as objects; and lists, tuples and dictionaries of these. Everything else could carry
code, or a way back to the place where it was made.
"""

import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from depthjax import dtypes

NUMBERS = (bool, int, float, complex, Fraction)
PLAIN = (*NUMBERS, str, bytes, type(None))
WANTED = "hand over numbers, texts, truth values, None, arrays of numpy, and lists, tuples and dictionaries of them"


def unfit(value: Any, path: str = "") -> str:
    """Return why a value is not plain data, with the way to the part that is not; empty if it is plain.

    >>> unfit({"table": [[0, 1], [1, 0]], "name": "C2"})
    ''
    >>> unfit({"table": [len]})
    'table.0 is a builtin_function_or_method'
    """
    where, kind = path or "it", type(value)
    if kind in PLAIN or (isinstance(value, np.generic) and not isinstance(value, np.void | np.object_)):
        return ""
    if kind is np.ndarray:
        if dtypes.number(value.dtype) is not None or np.issubdtype(value.dtype, np.character):
            return ""
        if value.dtype != object:
            return f"{where} is an array of {value.dtype}"
        wrong = next((one for one in value.flat if type(one) not in NUMBERS and not isinstance(one, np.number)), None)
        return f"{where} is an array that holds a {_kind(wrong)}" if wrong is not None else ""
    if isinstance(value, list | tuple) and kind in (list, tuple):
        return next((why for index, item in enumerate(value) if (why := unfit(item, f"{path}.{index}".lstrip(".")))), "")
    if isinstance(value, dict) and kind is dict:
        for key, item in value.items():
            if why := unfit(key) and f"{where} has a key that is a {_kind(key)}":
                return why
            if why := unfit(item, f"{path}.{key}".lstrip(".")):
                return why
        return ""
    return f"{where} is a {_kind(value)}"


def leaves(value: Any, path: str = "") -> "list[tuple[str, Any]]":
    """Return every number, text and array in plain data, with the way to it: ``tables.0`` for the first entry of ``tables``."""
    if isinstance(value, Mapping):
        return [leaf for key, item in value.items() for leaf in leaves(item, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list | tuple):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, f"{path}.{index}".lstrip("."))]
    return [(path, value)] if isinstance(value, numbers.Number | np.ndarray | np.generic | str) else []


def _kind(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    if kind.__name__ in ("function", "module", "type"):
        return f"{name} ({getattr(value, '__module__', None) or ''}.{getattr(value, '__qualname__', None) or value.__name__})"
    return name
