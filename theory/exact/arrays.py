"""Arrays with exact entries (integers, Fractions, or numbers of one number field), and brackets of rows of coordinates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.constructor import construct_domain

from theory.checks import exact_entries, exact_expression
from theory.exact.integers import contract, largest, product

__all__ = ["bracket_rows", "commutators", "compact", "contract", "exact_array"]


def exact_array(array: Any) -> np.ndarray:
    """The array with entries in one field: int64 if they are small, else Python integers, Fractions, or a sympy number field.

    Raises:
        ValueError: The array holds text or rounded numbers, or its numbers lie in no common number field.
    """
    raw = exact_entries("an array of exact numbers", array)
    flat = raw.ravel().tolist()
    if any(isinstance(entry, sympy.Basic) for entry in flat):
        domain, entries = construct_domain([exact_expression("an entry", entry) for entry in flat], extension=True)
        if not (domain.is_ZZ or domain.is_QQ or domain.is_AlgebraicField):
            raise ValueError(f"entries in {domain}: expected numbers of Q or of one number field such as Q(sqrt(5)).")
        if not domain.is_AlgebraicField:
            entries = [Fraction(int(entry.numerator), int(entry.denominator)) for entry in entries]  # type: ignore
        raw = np.empty(raw.shape, object)
        raw.reshape(-1)[:] = entries
    return compact(raw)


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
