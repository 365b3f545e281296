"""Generators that a claim draws from a matrix Lie algebra."""

import numpy as np

from theory import lie

__all__ = ["generators"]


def generators(algebra: str, letters: int, draw: int) -> np.ndarray:
    """Return matrices of an algebra, shape (letters, size, size), with integer entries.

    Args:
        algebra: Name, as in `theory.lie.named`.
        letters: How many; at most twice the dimension where nothing is drawn.
        draw: The same number gives the same combinations of the basis with coefficients -1, 0 and 1, none of them zero and the
            first ones, as many as there is room for, independent; 0: the first elements of the basis, and behind the last one
            sums of neighbours.
    """
    basis = np.array(lie.named(algebra).matrices, int)
    if not draw:
        return np.concatenate([basis, basis + np.roll(basis, -1, axis=0)])[:letters]
    rng = np.random.default_rng(draw)
    while True:
        weights = rng.integers(-1, 2, (letters, len(basis)))
        if weights.any(axis=1).all() and np.linalg.matrix_rank(weights[: len(basis)]) == min(weights.shape):
            return np.tensordot(weights, basis, axes=1)
