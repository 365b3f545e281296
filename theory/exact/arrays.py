"""Arrays with exact entries (integers, Fractions, or numbers of one number field), and brackets of rows of coordinates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.polyclasses import ANP

from theory.checks import exact_entries
from theory.exact.fields import NumberField, exact_number, in_field
from theory.exact.integers import contract, largest, product

__all__ = ["bracket_rows", "common_field", "commutators", "compact", "contract"]


def common_field(*arrays: Any) -> tuple[tuple[np.ndarray, ...], NumberField]:
    """The arrays over the one field that all their entries generate together, and that field.

    Entries are int64 if they are small, else Python integers, Fractions, or elements of a sympy number field.

    Raises:
        ValueError: An array holds text or rounded numbers, or its numbers lie in no common number field.

    >>> ((a,), (b,)), field = common_field([sympy.sqrt(2)], [sympy.sqrt(3)])
    >>> field.readable(np.array([a * b, b * b])).tolist()
    [sqrt(6), 3]
    """
    given = [_numbers(array) for array in arrays]
    entries = [entry for array in given if array.dtype == object for entry in array.ravel().tolist()]
    if not any(isinstance(entry, (sympy.Basic, ANP)) for entry in entries):
        return tuple(map(compact, given)), NumberField()
    found, field = in_field(entries)
    result, start = [], 0
    for array in given:
        if array.dtype == object:  # small integers need no copy in the field: their products with its elements lie there
            raw = np.empty(array.size, object)
            raw[:] = found[start : start + array.size]
            array, start = raw.reshape(array.shape), start + array.size
        result.append(compact(array))
    return tuple(result), field


def _numbers(array: Any) -> np.ndarray:
    """Integers, Fractions, sympy numbers and elements of fields, as they were given."""
    given = np.asarray(array) if isinstance(array, np.ndarray) else np.array(array, dtype=object)
    if given.dtype == object or np.issubdtype(given.dtype, np.complexfloating):
        plain = np.empty(given.size, object)
        plain[:] = [entry if type(entry) in (int, Fraction) else exact_number(entry) for entry in given.ravel().tolist()]
        given = plain.reshape(given.shape)
    return exact_entries("an array of exact numbers", given)


def compact(array: np.ndarray) -> np.ndarray:
    """Integers as int64 if they are so small that their sums stay exact, else as Python integers."""
    if np.issubdtype(array.dtype, np.integer):
        return array.astype(np.int64 if largest(array) < 2**31 else object)
    flat = array.ravel().tolist()
    if all(isinstance(entry, (int, Fraction)) and entry.denominator == 1 and abs(entry) < 2**31 for entry in flat):
        return np.array([int(entry) for entry in flat], dtype=np.int64).reshape(array.shape)
    return array


def commutators(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a b - b a`` of arrays of exact matrices, over broadcast leading axes."""
    return product(a, b) - product(b, a)


def bracket_rows(a: np.ndarray | None, b: np.ndarray, constants: np.ndarray) -> np.ndarray:
    """``[a_i, b_j]`` for all rows, shape (rows of a, rows of b, dimension); ``a = None`` stands for the basis."""
    right = contract(b, constants.transpose(1, 0, 2)).transpose(1, 0, 2)  # [e_i, b_j]
    return right if a is None else contract(a, right)
