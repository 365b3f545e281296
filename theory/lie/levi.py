"""Levi subalgebras, as linear algebra on structure constants.

A complement of the radical is lifted through the derived series ``R > [R, R] > .. > 0`` of the radical. At each step, elements
of the present term are added so that the brackets close modulo the next term. The condition is linear, because the product of
two added elements lies in the next term.

Source: W. de Graaf, *Lie Algebras: Theory and Algorithms*, section 4.13.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from theory.exact.arrays import bracket_rows, compact, contract
from theory.exact.integers import nonzero
from theory.exact.linear import complement, coordinates, row_space

__all__ = ["levi_subalgebra"]


def levi_subalgebra(constants: np.ndarray, radical: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Return a basis of a semisimple subalgebra complementary to the radical.

    Args:
        constants: Structure constants of the algebra.
        radical: A basis of its radical.
        core: A basis of an ideal that contains every Levi subalgebra, such as the last term of the derived series.
    """
    lift = complement(radical, core)
    count = len(lift)
    if not count or not len(radical):
        return lift
    brackets = bracket_rows(lift, lift, constants).reshape(count**2, -1)
    quotient = coordinates(np.concatenate([lift, radical]), brackets)
    assert quotient is not None, "a complement and the radical span the algebra's core"
    gamma = compact(quotient[:, :count]).reshape(count, count, count)
    series = [radical]
    while len(series[-1]):
        series.append(row_space(bracket_rows(series[-1], series[-1], constants).reshape(-1, len(constants))))
    for upper, lower in pairwise(series):
        lift = _corrected(constants, lift, gamma, complement(lower, upper), lower)
    return lift


def _corrected(constants: np.ndarray, lift: np.ndarray, gamma: np.ndarray, moves: np.ndarray, modulo: np.ndarray) -> np.ndarray:
    """Return `lift` plus combinations of `moves` such that the brackets close modulo `modulo`."""
    count, width = len(lift), len(moves)
    defect = bracket_rows(lift, lift, constants) - contract(gamma, lift)
    if not np.any(nonzero(defect)):
        return lift

    def in_moves(rows: np.ndarray) -> np.ndarray:
        found = coordinates(np.concatenate([moves, modulo]), rows.reshape(-1, len(constants)))
        assert found is not None, "the terms of the radical's series are ideals"
        return found[:, :width].reshape(*rows.shape[:2], width)

    action, target = in_moves(bracket_rows(lift, moves, constants)), in_moves(defect)
    equations = []
    for i in range(count):
        for j in range(i):
            for out in range(width):  # the component of [x_i, y_j] - [x_j, y_i] - sum gamma y along moves[out]
                row = np.zeros((count, width), object)
                row[j] += action[i, :, out]
                row[i] -= action[j, :, out]
                row[:, out] -= gamma[i, j]
                equations.append([*row.ravel(), -target[i, j, out]])
    solution = np.zeros(count * width, object)
    for row in row_space(equations).tolist():
        pivot = next(i for i, entry in enumerate(row) if entry)
        solution[pivot] = Fraction(row[-1], row[pivot]) if isinstance(row[-1], int) else row[-1] / row[pivot]
    return compact(lift + solution.reshape(count, width) @ moves.astype(object))
