"""Exact products of integer arrays: in int64 if a bound proves that nothing overflows, else in Python integers.

The bound: a sum of n products is at most n times the product of the largest entries, computed in Python integers.
"""

from __future__ import annotations

import numpy as np

__all__ = ["SAFE", "contract", "fits", "largest", "nonzero", "product", "widened"]

SAFE = 2**60
"""Sums of a few numbers below this bound stay in int64."""


def largest(array: np.ndarray) -> int:
    """The largest absolute value of an integer array, exactly even for -2^63; 0 for an empty array.

    >>> largest(np.array([3, -(2**63)]))
    9223372036854775808
    """
    return max(int(array.max()), -int(array.min())) if array.size else 0


def fits(a: np.ndarray, b: np.ndarray, terms: int) -> bool:
    """Whether sums of this many products, of an entry of each array, are certain to stay below `SAFE`."""
    whole = np.issubdtype(a.dtype, np.integer) and np.issubdtype(b.dtype, np.integer)
    return bool(whole) and largest(a) * largest(b) * max(terms, 1) < SAFE


def nonzero(array: np.ndarray) -> np.ndarray:
    """Where an array of exact numbers is not zero; an element of a number field that is zero does not equal the integer 0."""
    return array.astype(bool) if array.dtype == object else array != 0


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b`` of arrays of exact numbers, in int64 if that is certain to fit.

    >>> product(np.array([[2**40]]), np.array([[2**40]])).tolist() == [[2**80]]
    True
    """
    kind = np.int64 if fits(a, b, a.shape[-1]) else object
    return _as(a, kind) @ _as(b, kind)


def contract(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``tensordot`` over one axis of arrays of exact numbers, in int64 if that is certain to fit."""
    kind = np.int64 if fits(a, b, a.shape[-1]) else object
    return np.tensordot(_as(a, kind), _as(b, kind), 1)


def widened(array: np.ndarray) -> np.ndarray:
    """The array with integers of any width as Python integers; other entries stay as they are."""
    if np.issubdtype(array.dtype, np.integer) or array.dtype == bool:
        return array.astype(object)
    if array.dtype == object and any(isinstance(entry, np.integer) for entry in array.ravel()):
        entries = [int(entry) if isinstance(entry, np.integer) else entry for entry in array.ravel()]
        plain = np.empty(len(entries), object)
        plain[:] = entries
        return plain.reshape(array.shape)
    return array


def _as(array: np.ndarray, kind: type) -> np.ndarray:
    return array if array.dtype == kind else array.astype(kind)
