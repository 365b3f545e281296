"""Generators of the named algebras, as both sides of a claim need them."""

import numpy as np

from theory import lie


def generators(name: str, count: int | None = None) -> np.ndarray:
    """The first defining matrices of a named algebra, in float64; shape ``(count, d, d)``, all of them by default.

    Raises:
        ValueError: if the algebra has none, or fewer.
    """
    matrices = lie.named(name).matrices or ()
    if len(matrices) < (count or 1):
        raise ValueError(f"{name} has {len(matrices)} defining matrices, and {count or 'some'} are needed as generators")
    return np.array(matrices[:count], dtype=float)


def in_corner(matrices: np.ndarray, size: int) -> np.ndarray:
    """Matrices in the corner of larger ones of this size, zeros elsewhere: algebras of several sizes share a program."""
    return np.pad(matrices, ((0, 0), *[(0, size - matrices.shape[-1])] * 2))
