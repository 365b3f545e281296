r"""A solvable group as a tower of abelian stages, in plain integer arrays.

Let :math:`G = G_0 > G_1 > \dots > G_k = 1` be the derived series, :math:`A_i = G_{i-1} / G_i` its abelian factors, and
:math:`\sigma` a section of :math:`G \to G / G_{i-1}`. Every y is uniquely :math:`n\, \sigma(q)` with q its coset and n in
:math:`G_{i-1}`, and for a letter x

.. math:: y x = n \cdot \sigma(q)\, x\, \sigma(q x)^{-1} \cdot \sigma(q x),

so the i-th coordinate of y, the class of n in :math:`A_i`, grows by the class of :math:`\sigma(q)\, x\, \sigma(qx)^{-1}`: a
function of the letter and of the coordinates below, *before* the letter. Split or not, the extension needs no case of its own.

No shorter tower exists: in a subnormal series with abelian factors, :math:`G_i` contains the i-th derived subgroup, so its
length is at least the derived length, and the derived series attains it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from theory.errors import OutsideHypotheses
from theory.groups.abelian import abelian_basis, coordinates
from theory.groups.group import FiniteGroup
from theory.groups.subgroups import quotient, restricted

__all__ = ["AbelianStage", "Tower", "tower"]


@dataclasses.dataclass(frozen=True, eq=False)
class AbelianStage:
    """One abelian factor A_i, a product of cyclic groups.

    Attributes:
        moduli: orders of the cyclic factors.
        increments: ``increments[q, x]`` is what letter x adds to the coordinates when the stages below stand at coset q;
            integer array, shape ``(cosets, order, len(moduli))``.
        section: the element that stands for each coset of the stages below; shape ``(cosets,)``.
    """

    moduli: tuple[int, ...]
    increments: np.ndarray
    section: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class Tower:
    """The stages, lowest first, and the element for every combination of coordinates.

    Cosets and elements are numbered lexicographically by coordinates, the first coordinate of the first stage foremost.

    Attributes:
        group: the group.
        stages: one per step of the derived series.
        elements: the group's element with each number; shape ``(order,)``.
    """

    group: FiniteGroup
    stages: tuple[AbelianStage, ...]
    elements: np.ndarray

    @property
    def depth(self) -> int:
        """Number of stages: the derived length."""
        return len(self.stages)

    @property
    def moduli(self) -> tuple[int, ...]:
        """Orders of all cyclic factors, lowest stage first."""
        return tuple(m for stage in self.stages for m in stage.moduli)

    def run(self, word: Iterable[int]) -> int:
        """The product of a word of elements, by the stages alone.

        >>> from theory.groups.named import group
        >>> s4 = group("S4")
        >>> s4.tower().run([5, 7, 11]) == int(s4.table[s4.table[5, 7], 11])
        True
        """
        state = [[0] * len(stage.moduli) for stage in self.stages]
        for letter in word:
            coset, following = 0, []
            for stage, own in zip(self.stages, state, strict=True):
                grown = stage.increments[coset, letter]
                following.append([(a + int(b)) % m for a, b, m in zip(own, grown, stage.moduli, strict=True)])
                for a, m in zip(own, stage.moduli, strict=True):
                    coset = coset * m + a
            state = following
        number = 0
        for own, stage in zip(state, self.stages, strict=True):
            for a, m in zip(own, stage.moduli, strict=True):
                number = number * m + a
        return int(self.elements[number])


def tower(group: FiniteGroup) -> Tower:
    """The tower of the derived series. O(order^2) numbers for the last stage.

    Raises:
        OutsideHypotheses: the group is not solvable; the perfect subgroup where the derived series stops is the reason.

    >>> from theory.groups.named import group
    >>> [stage.moduli for stage in group("S4").tower().stages]
    [(2,), (3,), (2, 2)]
    """
    last = group.derived_series[-1]
    if len(last) > 1:
        raise OutsideHypotheses(
            "the tower of abelian stages",
            [(f"{group.name} is solvable: its derived series stops at a perfect subgroup of order {len(last)}", False)],
            given=group.name,
            remedy="no number of abelian stages tracks it; use depth that grows with the length",
        )
    stages = []
    section = np.zeros(1, dtype=int)  # an element for each coset of the subgroup at hand
    coset = np.zeros(group.order, dtype=int)
    for upper, lower in zip(group.derived_series, group.derived_series[1:], strict=False):
        lifts, moduli, number = _factor(group, upper, lower)
        products = group.table[section]
        remainder = group.table[products, group.inverses[section[coset[products]]]]
        stages.append(AbelianStage(moduli, np.stack(np.unravel_index(number[remainder], moduli), axis=-1), section))
        inner = number[group.table[np.arange(group.order), group.inverses[section[coset]]]]
        coset = coset * len(lifts) + inner
        section = group.table[lifts[None, :], section[:, None]].ravel()
    return Tower(group, tuple(stages), section)


def _factor(group: FiniteGroup, upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, tuple[int, ...], np.ndarray]:
    """An abelian factor upper / lower: an element for each number, the moduli, and the number of each element of `upper`."""
    inside = restricted(group, upper)
    factor, coset = quotient(inside, np.searchsorted(upper, lower))
    basis, moduli = abelian_basis(factor)
    elements, position = coordinates(factor, basis, moduli)
    smallest = np.zeros(factor.order, dtype=int)
    smallest[coset[::-1]] = np.arange(inside.order)[::-1]
    number = np.full(group.order, -1)
    number[upper] = position[coset]
    return upper[smallest[elements]], moduli, number
