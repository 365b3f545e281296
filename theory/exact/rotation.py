"""Rational rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from theory.checks import fraction

__all__ = ["cayley"]


def cayley(skew: Any) -> np.ndarray:
    """Return the rational rotation ``(1 - A)(1 + A)^-1`` of a skew matrix A; it fixes the kernel of A.

    Raises:
        ValueError: The matrix is not skew or has an entry that is not rational.

    >>> cayley([[0, 1], [-1, 0]]).tolist()  # a quarter turn
    [[Fraction(0, 1), Fraction(-1, 1)], [Fraction(1, 1), Fraction(0, 1)]]
    """
    entries = np.asarray(skew, dtype=object)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise ValueError(f"skew has shape {entries.shape}: expected a square matrix, A^t = -A.")
    matrix = sympy.Matrix([[fraction("an entry of skew", entry) for entry in row] for row in entries])
    if matrix.T != -matrix:
        raise ValueError("the matrix is not skew: expected A^t = -A, because only then is (1 - A)(1 + A)^-1 a rotation.")
    eye = sympy.eye(matrix.rows)
    turned = np.array((eye - matrix) * (eye + matrix).inv(), dtype=object)
    return np.array([[fraction("an entry of the rotation", entry) for entry in row] for row in turned], dtype=object)
