"""Exact arrays over a real quadratic field Q(sqrt d)."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from theory.checks import exact_entries, integer

__all__ = ["QuadraticArray", "stack"]


@dataclasses.dataclass(frozen=True, eq=False)
class QuadraticArray:
    r"""An array of numbers :math:`(a + b \sqrt d) / q` with integer arrays ``a``, ``b`` and one positive denominator ``q``.

    Entries are Python integers, so nothing overflows or rounds. Equal arrays have equal parts, kept in lowest terms.

    Attributes:
        rational: The integers a.
        irrational: The integers b, of the same shape.
        denominator: q.
        radicand: d.

    Raises:
        ValueError: d is a perfect square, so that the representation would not be unique, or q < 1.

    >>> golden = QuadraticArray(np.array([[1]]), np.array([[1]]), 2, 5)
    >>> (golden @ golden - golden).rational.item()  # phi^2 - phi = 1
    1
    """

    rational: np.ndarray
    irrational: np.ndarray
    denominator: int
    radicand: int

    def __post_init__(self) -> None:
        for name in ("denominator", "radicand"):
            object.__setattr__(self, name, integer(name, getattr(self, name), "of a quadratic field's numbers"))
        if self.radicand < 2 or math.isqrt(self.radicand) ** 2 == self.radicand:
            raise ValueError(f"Q(sqrt {self.radicand}) is no quadratic field: the radicand must be at least 2 and not a square")
        if self.denominator < 1:
            raise ValueError(f"the common denominator must be a positive integer, not {self.denominator}")
        parts = (exact_entries("the parts of a quadratic array", part) for part in (self.rational, self.irrational))
        a, b = (np.asarray(part, dtype=object) for part in parts)
        if any(type(entry) is not int for part in (a, b) for entry in part.ravel()):
            raise ValueError("the parts of a quadratic array must have integer entries: put fractions over the denominator")
        common = math.gcd(self.denominator, *a.ravel(), *b.ravel())
        object.__setattr__(self, "rational", a // common)
        object.__setattr__(self, "irrational", b // common)
        object.__setattr__(self, "denominator", self.denominator // common)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.rational.shape

    def __getitem__(self, index: Any) -> QuadraticArray:
        return dataclasses.replace(self, rational=self.rational[index], irrational=self.irrational[index])

    def __matmul__(self, other: QuadraticArray) -> QuadraticArray:
        """Matrix product; leading axes broadcast as in numpy."""
        a = self.rational @ other.rational + self.radicand * (self.irrational @ other.irrational)
        b = self.rational @ other.irrational + self.irrational @ other.rational
        return QuadraticArray(a, b, self.denominator * other.denominator, self.radicand)

    def __sub__(self, other: QuadraticArray) -> QuadraticArray:
        q, p = self.denominator, other.denominator
        return QuadraticArray(
            self.rational * p - other.rational * q, self.irrational * p - other.irrational * q, q * p, self.radicand
        )

    def key(self) -> tuple:
        """A hashable key of the value: two arrays are equal if and only if their keys are."""
        return self.shape, self.denominator, tuple(self.rational.ravel()), tuple(self.irrational.ravel())

    def numpy(self) -> np.ndarray:
        """The array in float64, rounded."""
        return (self.rational.astype(float) + self.irrational.astype(float) * math.sqrt(self.radicand)) / self.denominator


def stack(arrays: list[QuadraticArray]) -> QuadraticArray:
    """Join arrays of one shape along a new first axis, over their common denominator."""
    common = math.lcm(*(array.denominator for array in arrays))
    rational = np.stack([array.rational * (common // array.denominator) for array in arrays])
    irrational = np.stack([array.irrational * (common // array.denominator) for array in arrays])
    return QuadraticArray(rational, irrational, common, arrays[0].radicand)
