"""The abelian stages of a solvable group of permutations, from its tower."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theory.groups import FiniteGroup

__all__ = ["AbelianStages", "abelian_stages"]


class AbelianStages(NamedTuple):
    """A group of permutations whose products are numbered by coordinates, see `theory.automata.program.ComponentProgram`.

    Attributes:
        moduli: For each stage, the orders of the cyclic factors.
        increments: For each stage, int array (cosets, order, factors).
        since: Int array (order, order).
        action: Int array (order, points): the permutation with each number.
    """

    moduli: tuple[np.ndarray, ...]
    increments: tuple[np.ndarray, ...]
    since: np.ndarray
    action: np.ndarray

    def number(self, permutation: tuple[int, ...]) -> int:
        """The number of a permutation."""
        return int(np.flatnonzero((self.action == np.array(permutation)).all(axis=1))[0])


def abelian_stages(generators: tuple[tuple[int, ...], ...]) -> AbelianStages:
    """The stages of a solvable group of permutations that act from the right: the first factor of a product moves first.

    Raises:
        OutsideHypotheses: The group is not solvable.

    >>> [moduli.tolist() for moduli in abelian_stages(((1, 2, 0), (1, 0, 2))).moduli]
    [[2], [3]]
    """
    group = FiniteGroup.from_permutations([tuple(int(i) for i in g) for g in generators])
    tower = group.tower
    elements = tower.elements  # number -> element
    number = np.argsort(elements)
    return AbelianStages(
        moduli=tuple(np.array(stage.moduli) for stage in tower.stages),
        increments=tuple(stage.increments[:, elements] for stage in tower.stages),
        since=number[group.table[group.inverses[elements][:, None], elements[None, :]]],
        # products of a FiniteGroup move points by their second factor first, so an element acts as its inverse
        action=np.argsort(np.array(group.permutations), axis=1)[elements],
    )
