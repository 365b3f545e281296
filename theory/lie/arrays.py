"""Arrays with exact entries: integers, Fractions, or numbers of one number field; and brackets of rows of coordinates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.constructor import construct_domain

__all__ = ["bracket_rows", "compact", "contract", "exact_array"]


def exact_array(array: Any) -> np.ndarray:
    """The array with entries in one field: int64, Fractions, or elements of a sympy number field."""
    raw = np.asarray(array) if not isinstance(array, np.ndarray) else array
    if raw.dtype.kind in "iu":
        return raw.astype(np.int64) if raw.dtype.kind == "i" or raw.max(initial=0) < 2**62 else raw.astype(object)
    if raw.dtype.kind == "f" and np.all(raw == np.rint(raw)) and np.abs(raw).max(initial=0) < 2**53:
        return raw.astype(np.int64)
    if raw.dtype.kind != "O":
        raise ValueError(
            f"entries of type {raw.dtype}: expected integers, Fractions or sympy numbers, because ranks and series are exact "
            "(a rounded matrix generates another algebra). Convert with Fraction or sympy.nsimplify."
        )
    flat = raw.ravel().tolist()
    if all(isinstance(entry, (int, Fraction)) for entry in flat):
        return compact(raw)
    if any(isinstance(entry, sympy.Basic) for entry in flat):
        domain, entries = construct_domain([sympy.sympify(entry) for entry in flat], extension=True)
        if not (domain.is_ZZ or domain.is_QQ or domain.is_AlgebraicField):
            raise ValueError(f"entries in {domain}: expected numbers of Q or of one number field such as Q(sqrt(5)).")
        if not domain.is_AlgebraicField:
            entries = [Fraction(int(entry.numerator), int(entry.denominator)) for entry in entries]  # type: ignore
        result = np.empty(len(entries), object)
        result[:] = entries
        return compact(result.reshape(raw.shape))
    return raw


def compact(array: np.ndarray) -> np.ndarray:
    """Integers as int64 where they are small, else unchanged."""
    flat = array.ravel().tolist()
    if all(isinstance(entry, (int, Fraction)) and entry.denominator == 1 and abs(entry) < 2**31 for entry in flat):
        return np.array([int(entry) for entry in flat], dtype=np.int64).reshape(array.shape)
    return array


def contract(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``tensordot`` over one axis, in Python integers where int64 might overflow."""
    if a.dtype == b.dtype == np.int64:
        size = float(np.abs(a).max(initial=0)) * float(np.abs(b).max(initial=0)) * a.shape[-1]
        if size < 2.0**62:
            return np.tensordot(a, b, 1)
    return np.tensordot(a.astype(object), b.astype(object), 1)


def bracket_rows(a: np.ndarray | None, b: np.ndarray, constants: np.ndarray) -> np.ndarray:
    """``[a_i, b_j]`` for all rows, shape (rows of a, rows of b, dimension); ``a`` None for the basis itself."""
    right = contract(b, constants.transpose(1, 0, 2)).transpose(1, 0, 2)  # [e_i, b_j]
    return right if a is None else contract(a, right)
