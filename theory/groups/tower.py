r"""A solvable group as a tower of abelian stages, in plain integer arrays.

Let :math:`G = G_0 > G_1 > \dots > G_k = 1` be the derived series, :math:`A_i = G_{i-1} / G_i` its abelian factors, and
:math:`\sigma` a section of :math:`G \to G / G_{i-1}`. Every y is uniquely :math:`n\, \sigma(q)` with q its coset and n in
:math:`G_{i-1}`. For a letter x,

.. math:: y x = n \cdot \sigma(q)\, x\, \sigma(q x)^{-1} \cdot \sigma(q x),

so the i-th coordinate of y, the class of n in :math:`A_i`, grows by the class of :math:`\sigma(q)\, x\, \sigma(qx)^{-1}`: a
function of the letter and of the coordinates below, *before* the letter. The extension may split or not.

No shorter tower exists: in a subnormal series with abelian factors, :math:`G_i` contains the i-th derived subgroup, so its
length is at least the derived length, and the derived series attains it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from theory.checks import integer
from theory.errors import OutsideHypotheses
from theory.facts import called
from theory.groups.abelian import abelian_basis, coordinates
from theory.groups.subgroups import derived_series, quotient, restricted
from theory.groups.table import CayleyTable

__all__ = ["AbelianStage", "Tower", "tower"]


@dataclasses.dataclass(frozen=True, eq=False)
class AbelianStage:
    """One abelian factor A_i, a product of cyclic groups.

    Attributes:
        moduli: Orders of the cyclic factors.
        increments: Integer array, shape ``(cosets, order, len(moduli))``: ``increments[q, x]`` is what letter x adds to the
            coordinates if the stages below are at coset q.
        section: The representative of each coset of the stages below; shape ``(cosets,)``.
    """

    moduli: tuple[int, ...]
    increments: np.ndarray
    section: np.ndarray

    def __str__(self) -> str:
        return " x ".join(f"C{modulus}" for modulus in self.moduli)

    def __repr__(self) -> str:
        return f"<AbelianStage {self}>"


@dataclasses.dataclass(frozen=True, eq=False)
class Tower:
    """The stages, lowest first, and the element for every combination of coordinates.

    Cosets and elements are numbered lexicographically by their coordinates, starting with the first stage.

    Attributes:
        group: The group.
        stages: One stage for each step of the derived series.
        elements: The group's element with each number; shape ``(order,)``.
    """

    group: CayleyTable
    stages: tuple[AbelianStage, ...]
    elements: np.ndarray

    __call__ = called("FiniteGroup.tower")

    def __repr__(self) -> str:
        return f"<Tower of {self.group.name}: {', '.join(map(str, self.stages)) or 'no stages'}>"

    @property
    def depth(self) -> int:
        """Number of stages: the derived length."""
        return len(self.stages)

    @property
    def moduli(self) -> tuple[int, ...]:
        """Orders of all cyclic factors, lowest stage first."""
        return tuple(m for stage in self.stages for m in stage.moduli)

    def run(self, word: Iterable[int]) -> int:
        """The product of a word of elements, computed by the stages alone.

        Raises:
            ValueError: A letter is not the number of an element.

        >>> from theory.groups import group
        >>> s4 = group("S4")
        >>> s4.tower.run([5, 7, 11]) == int(s4.table[s4.table[5, 7], 11])
        True
        """
        state = [[0] * len(stage.moduli) for stage in self.stages]
        for letter in word:
            letter = integer("letter", letter, f"the number of an element of {self.group.name}", least=0)
            if letter >= self.group.order:
                known = f"0 .. {self.group.order - 1}"
                raise ValueError(
                    f"letter = {letter}: expected one of {known}, because {self.group.name} has no other elements."
                )
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


def tower(group: CayleyTable) -> Tower:
    """The tower of the derived series. The last stage holds O(order^2) numbers.

    Raises:
        OutsideHypotheses: The group is not solvable; the message names the perfect subgroup in which the derived series ends.

    >>> from theory.groups import group
    >>> [stage.moduli for stage in group("S4").tower.stages]
    [(2,), (3,), (2, 2)]
    """
    series = derived_series(group)
    last = series[-1]
    if len(last) > 1:
        raise OutsideHypotheses(
            "the tower of abelian stages",
            [(f"{group.name} is solvable: its derived series stops at a perfect subgroup of order {len(last)}", False)],
            given=group.name,
            remedy="no number of abelian stages tracks it; use depth that grows with the length",
        )
    stages = []
    section = np.zeros(1, dtype=int)  # a representative of each coset of the current subgroup
    coset = np.zeros(group.order, dtype=int)
    for upper, lower in itertools.pairwise(series):
        lifts, moduli, number = _factor(group, upper, lower)
        products = group.table[section]
        remainder = group.table[products, group.inverses[section[coset[products]]]]
        stages.append(AbelianStage(moduli, np.stack(np.unravel_index(number[remainder], moduli), axis=-1), section))
        inner = number[group.table[np.arange(group.order), group.inverses[section[coset]]]]
        coset = coset * len(lifts) + inner
        section = group.table[lifts[None, :], section[:, None]].ravel()
    return Tower(group, tuple(stages), section)


def _factor(group: CayleyTable, upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, tuple[int, ...], np.ndarray]:
    """The factor upper / lower: a representative for each number, the moduli, and the number of each element of `upper`."""
    inside = restricted(group, upper)
    factor, coset = quotient(inside, np.searchsorted(upper, lower))
    basis, moduli = abelian_basis(factor)
    elements, position = coordinates(factor, basis, moduli)
    smallest = np.zeros(factor.order, dtype=int)
    smallest[coset[::-1]] = np.arange(inside.order)[::-1]
    number = np.full(group.order, -1)
    number[upper] = position[coset]
    return upper[smallest[elements]], moduli, number
