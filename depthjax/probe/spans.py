"""Spans of rows of which each carries its own noise, and how many dimensions they surely have.

A row of size about 1 with noise a is known up to an error of norm a * tolerance. Rows are divided by their noise, so that every
error has the size of the tolerance, and the singular values of what is left say how many dimensions stand above it. A direction
that is found with the singular value v has the noise 1 / v: what is small when it is found is known badly ever after.
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from depthjax.probe.decision import Decision, decided_rank

HIDDEN = 1e-3  # of its size: a row with more noise hides directions that are small, but a gap above the noise


class NoisySpan(NamedTuple):
    """A span of rows.

    Attributes:
        vectors: Orthonormal rows.
        noise: The noise of each, in units of the tolerance.
        rank: Its dimension, as it was decided.
    """

    vectors: Float[np.ndarray, "dimension columns"]
    noise: Float[np.ndarray, " dimension"]
    rank: Decision


def noisy_span(
    rows: Float[np.ndarray, "count columns"],
    noise: Float[np.ndarray, " count"],
    tolerance: float,
    what: str,
    most: int | None = None,
) -> NoisySpan:
    """Return the span of rows of size about 1, whose errors have the norms noise * tolerance.

    Args:
        rows: The rows.
        noise: The noise of each.
        tolerance: The unit of the noise.
        what: What the dimension is, for the reason.
        most: Largest dimension that is possible; None takes the number of columns.
    """
    values, vectors = singular(rows / together(noise, rows.shape[1])[:, None])
    rank = decided_rank(values, tolerance, what)
    hidden = (noise * tolerance > HIDDEN) & rows.any(axis=1)
    if rank.value is not None and rank.value < min(*rows.shape, rows.shape[1] if most is None else most) and hidden.any():
        rank = blurred(rank.value, float(noise[hidden].max() * tolerance), what)
    count = int((values > tolerance).sum())
    return NoisySpan(vectors[:count], 1 / values[:count], rank)


def blurred(least: int, worst: float, what: str) -> Decision:
    """Return that nothing is decided, because rounding may be as large as what would be seen."""
    why = f"cannot decide whether {what} {least} or more: rounding alone may be {worst:.2g} of what would be seen"
    return Decision(None, "numerical", why, math.inf, worst)


def together(noise: Float[np.ndarray, " count"], columns: int) -> Float[np.ndarray, " count"]:
    """Return the noise to divide rows by, so that all errors together have a spectral norm of about the tolerance.

    Independent errors of norm 1 in `count` rows have the spectral norm 1 + sqrt(count / columns) (Bai and Yin).
    """
    return noise * (1 + math.sqrt(len(noise) / max(columns, 1)))


def singular(rows: Float[np.ndarray, "count columns"]) -> tuple[np.ndarray, np.ndarray]:
    """Return singular values and right vectors of rows; tall arrays are reduced to a square first."""
    if not rows.size:
        return np.zeros(0), np.zeros((0, rows.shape[-1]))
    if len(rows) > 2 * rows.shape[1]:
        rows = np.asarray(np.linalg.qr(rows, mode="r"))
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return values, vectors
