"""How much of a code is missing where units of three letters' network are idle, from the matrices of the irreps.

Let X, Y, Z be the real forms of rho(g_1), rho(g_2), rho(g_3), of size d, the last with the columns that are entries of rho
alone, and let the target be the sum of W_rj (X Y Z)_rj. The units of several letters bring W_rj / 6 (X_ra + Y_ab + Z_bj)^3
over all paths, and two units each take X_ra^2 m_a and m'_b Z_bj^2 away, m_a the sum of row a of Y less that of the last row,
m' the same with columns.
"""

import numpy as np

from experiments.composition._target import TargetIrrep, target_parts
from theory.groups import FiniteGroup


def missing_pair(group: FiniteGroup, encoding: np.ndarray) -> float | None:
    """Return the largest share of a code that the last unit of several letters brings; None where it is not known.

    >>> from theory.groups import group
    >>> missing_pair(group("C2"), np.array([1.0, -1.0]))  # 3^3 / 6
    4.5
    """
    part = target_parts(group, encoding)[-1]
    if not part.known:
        return None
    square, columns, weights = _real(part)
    if len(square[0]) == 1:
        most, out = 27 * np.abs(square).max(), 2 * weights[:, 0, 0]
    else:
        # -(m'_b - Z_bj)^3 / 12 for the last b but one; columns of an orthogonal matrix leave the last of them out
        complete = columns.shape == square.shape
        b, j = -2, -2 if complete else -1
        sums = square.sum(axis=1)
        most = np.abs((sums[:, b] - sums[:, -1])[:, None] - columns[:, b, j]).max() ** 3
        out = weights.sum(axis=1)
        out = out[:, j] - (out[:, -1] if complete else 0)
    return float(most * np.abs(out).max() / 12 / np.abs(encoding).max())


def missing_singles(group: FiniteGroup, encoding: np.ndarray) -> float | None:
    """Return the largest share of a code that all units of one letter bring, over all words; None where it is not known.

    With orthogonal rows and columns of size 1 every term of the cubes that the others leave depends on one letter.

    >>> from theory.groups import group
    >>> missing_singles(group("C2"), np.array([1.0, -1.0]))  # (1 + 1 + 1)^3 / 6 in place of 1
    3.5
    """
    parts = target_parts(group, encoding)
    if not all(part.known for part in parts):
        return None
    first, second, third = (np.sum(terms, axis=0) for terms in zip(*map(_singles, parts), strict=True))
    words = first[:, None, None] + second[:, None] + third
    return float(np.abs(words).max() / np.abs(encoding).max())


def _singles(part: TargetIrrep) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the units of several letters bring beside the target, as functions of each letter: shapes (order, outputs)."""
    square, columns, weights = _real(part)
    complete = columns.shape == square.shape
    by_row, by_column = weights.sum(axis=2), weights.sum(axis=1)
    first = (len(square[0]) * square**3 + 6 * square).sum(axis=2) @ by_row.T / 6
    third = (len(square[0]) * columns**3 + 6 * columns).sum(axis=1) @ by_column.T / 6
    second = np.outer((square**3).sum(axis=(1, 2)), weights.sum(axis=(1, 2))) / 6
    for sums, out, whole in ((square.sum(axis=2), by_row, True), (square.sum(axis=1), by_column, complete)):
        rest = sums[:, :-1] - sums[:, -1:]
        # all squares of a row or column are 1 together, so the last of them, and where `whole` those of the last output, go out
        second = second + np.outer(sums[:, -1], out.sum(axis=1)) / 2
        if whole:
            second = second + np.outer(rest.sum(axis=1), out[:, -1]) / 2
            out = out[:, :-1] - out[:, -1:]
        # (m + x)^3 + (m - x)^3 = 6 x^2 m + 2 m^3
        second = second - np.outer((rest**3).sum(axis=1), out.sum(axis=1)) / 6
    return first, second, third


def _real(part: TargetIrrep) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The real form of all matrices, shape (order, d, d), its columns that are entries, and their weights."""
    z, w = part.matrices, part.weights
    if part.kind == "real":
        return np.real(z), np.real(z), np.real(w)
    # rows and columns by entry, then real and imaginary part
    square = np.stack([np.stack([np.real(z), -np.imag(z)], axis=3), np.stack([np.imag(z), np.real(z)], axis=3)], axis=2)
    columns, weights = np.stack([np.real(z), np.imag(z)], axis=2), np.stack([np.real(w), -np.imag(w)], axis=2)
    d = 2 * part.size
    return square.reshape(-1, d, d), columns.reshape(-1, d, part.size), weights.reshape(-1, d, part.size)
