r"""A basis in which letters are monomial, one entry in each row and column: permutations times diagonal matrices.

Two reflections are an example, in the basis of eigenvectors of their product. Such a basis is found from the powers w^N of
words, N = lcm(1, .., n): no permutation of n coordinates is left of them, so that they are diagonal, and where their weights
differ, the eigenvectors of a random combination are the basis. How it was found does not matter: what the letters have beside
one entry in each row and column must lie within their rounding.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Inexact, Int

from depthjax.probe.decision import LEAST_GAP
from depthjax.probe.spans import HIDDEN

LARGEST = 8  # rows: higher powers of words are known too badly


class Monomial(NamedTuple):
    """Where each letter takes each coordinate, and the sizes on both sides of the cut, relative to each letter's largest."""

    permutations: Int[np.ndarray, "letters size"]
    kept: float
    dropped: float


def monomial(
    letters: Inexact[np.ndarray, "letters size size"], words: Iterable[Sequence[int]], tolerance: float
) -> Monomial | None:
    """Return the permutations of letters in a basis in which they are monomial; None where none is found.

    Args:
        letters: Real or complex matrices.
        words: Words, by their letters, whose powers are looked at.
        tolerance: Relative error of the letters.

    Cost: a power and its norm for each word.
    """
    size = letters.shape[-1]
    if size > LARGEST or (np.linalg.cond(letters) * LEAST_GAP * tolerance >= 1).any():
        return None
    power, draw = math.lcm(*range(1, size + 1)), np.random.default_rng(0)
    mixed, longest = np.zeros((size, size), letters.dtype), 1
    for word in words:
        product = functools.reduce(np.matmul, letters[list(word)])
        radius = np.abs(np.linalg.eigvals(product)).max()
        raised = np.linalg.matrix_power(product / radius, power)
        norm = float(np.linalg.norm(raised, 2))
        if math.isfinite(norm):
            mixed, longest = mixed + draw.normal() / norm * raised, max(longest, len(word))
    basis, apart = _weight_spaces(mixed, math.sqrt(tolerance))
    condition = float(np.linalg.cond(basis))
    # eigenvectors move by the error of the powers over the distance of their eigenvalues
    rounding = condition * tolerance * (1 + 2 * condition * power * longest / apart)
    # of a letter that is nearly a multiple of 1 the rest says what it does to a basis
    rest = np.linalg.norm(letters - np.trace(letters, axis1=1, axis2=2)[:, None, None] / size * np.eye(size), axis=(1, 2))
    unsure = rounding / (rest / np.linalg.norm(letters, axis=(1, 2)))[rest > 0].min(initial=1.0)
    if not LEAST_GAP * unsure < 1 or unsure ** (size * (size - 1)) > HIDDEN:  # others come so near by chance
        return None
    sizes = np.abs(np.linalg.solve(basis, letters @ basis))
    sizes /= sizes.max(axis=(1, 2), keepdims=True)
    rows = sizes.argmax(axis=1)
    taken = np.arange(size) == rows[..., None]  # (letters, columns, rows)
    largest, others = sizes.max(axis=1), np.where(taken.swapaxes(1, 2), 0.0, sizes)
    kept, dropped = float(largest.min()), float(others.max())
    one_each = (np.sort(rows, axis=1) == np.arange(size)).all()
    return Monomial(rows, kept, dropped) if one_each and dropped <= rounding and kept > LEAST_GAP * rounding else None


def _weight_spaces(matrix: np.ndarray, near: float) -> tuple[np.ndarray, float]:
    """Eigenvectors, orthonormal where eigenvalues are as near as this, and the distance of the others; relative to the norm."""
    norm = float(np.linalg.norm(matrix, 2))
    left, found, apart = np.linalg.eigvals(matrix), [], math.inf
    while len(left):
        same = np.abs(left - left[0]) <= near * norm
        centre = left[same].mean()
        # a space of several dimensions has no basis of its own, and needs none where letters are multiples of 1
        found.append(np.linalg.svd(matrix - centre * np.eye(len(matrix)))[2][len(matrix) - same.sum() :].conj().T)
        left = left[~same]
        apart = min(apart, float(np.abs(left - centre).min(initial=math.inf)) / norm)
    return np.concatenate(found, axis=1), apart
