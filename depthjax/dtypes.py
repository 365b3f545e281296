"""What kind of numbers a dtype holds: one answer for numpy's types and for all types of JAX, as bfloat16 and float8 are.

To numpy the types of `ml_dtypes` are no numbers: ``np.dtype("bfloat16").kind`` is "V", as that of raw bytes, and
``np.issubdtype`` denies that it is a float. So no other file asks numpy for the kind of a dtype (``tests/test_dtypes.py``).
"""

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["eps", "is_complex", "is_exact", "is_floating", "is_inexact", "is_integer", "number", "wide"]

_OWN = ((np.bool_, bool), (np.timedelta64, None), (np.integer, int), (np.floating, float), (np.complexfloating, complex))


def number(dtype: Any) -> type | None:
    """Return the Python type of a dtype's numbers: bool, int, float or complex; None if it holds no numbers.

    Args:
        dtype: A dtype of numpy, `ml_dtypes` or JAX, or its name. Objects, texts, times and keys are no numbers.

    >>> number("bfloat16"), number("float8_e5m2"), number("int4"), number("complex64"), number("bool"), number("M8[ns]")
    (<class 'float'>, <class 'float'>, <class 'int'>, <class 'complex'>, <class 'bool'>, None)
    """
    try:
        return _number(np.dtype(dtype))
    except TypeError:  # numpy knows no such type: a key of JAX
        return None


@cache
def _number(dtype: np.dtype) -> type | None:
    if dtype.type.__module__ == "numpy":
        return next((python for own, python in _OWN if issubclass(dtype.type, own)), None)
    python = type(np.zeros((), dtype).item())  # an extension type says by its zero what it holds
    return python if python in (bool, int, float, complex) else None


def is_floating(dtype: Any) -> bool:
    """Return whether a dtype holds real numbers that are rounded."""
    return number(dtype) is float


def is_complex(dtype: Any) -> bool:
    """Return whether a dtype holds complex numbers."""
    return number(dtype) is complex


def is_inexact(dtype: Any) -> bool:
    """Return whether a dtype holds numbers that are rounded, real or complex."""
    return number(dtype) in (float, complex)


def is_integer(dtype: Any) -> bool:
    """Return whether a dtype holds integers; truth values are not integers."""
    return number(dtype) is int


def is_exact(dtype: Any) -> bool:
    """Return whether a dtype holds integers or truth values."""
    return number(dtype) in (bool, int)


def eps(dtype: Any) -> float:
    """Return the distance from 1 to the next larger number of a rounded type; of a complex type, that of its parts.

    Raises:
        ValueError: The type is not rounded.

    >>> eps("bfloat16"), eps("complex64") == 2**-23
    (0.0078125, True)
    """
    if not is_inexact(dtype):
        raise ValueError(
            f"{dtype} is not a type of rounded numbers: expected floats or complex numbers, only these have an eps"
        )
    return float(ml_dtypes.finfo(np.dtype(dtype)).eps)


def wide(array: Any) -> np.ndarray:
    """Return an array in a type of numpy that computes without surprises, with the same numbers.

    Narrow floats become float64, narrow complex numbers complex128, and integers of other libraries int64: every number of
    the narrow type is one of the wide type. Other arrays stay as they are.

    >>> wide(np.array([1.5], ml_dtypes.bfloat16)).dtype, wide(np.array([1, 2], np.int8)).dtype
    (dtype('float64'), dtype('int8'))
    """
    array = np.asarray(array)
    kind = number(array.dtype)
    if kind in (float, complex):
        return array.astype(np.result_type(array.dtype, kind) if array.dtype.type.__module__ == "numpy" else kind)
    return array.astype(np.int64) if kind is int and array.dtype.type.__module__ != "numpy" else array
