"""The abelian stages of a solvable permutation group as tables, from its derived series."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from theory.groups import FiniteGroup
from theory.groups.subgroups import derived_series, quotient, restricted

__all__ = ["AbelianStages", "abelian_stages"]


class AbelianStages(NamedTuple):
    """A group of permutations whose products are numbered by coordinates; see `theory.automata.program.ComponentProgram`.

    Attributes:
        moduli: per stage, the orders of the cyclic factors of the derived series' quotient.
        increments: per stage, int array (cosets, order, factors).
        since: int array (order, order).
        action: int array (order, points): the permutation that each number stands for.
    """

    moduli: tuple[np.ndarray, ...]
    increments: tuple[np.ndarray, ...]
    since: np.ndarray
    action: np.ndarray

    def number(self, permutation: tuple[int, ...]) -> int:
        """The number of a permutation."""
        return int(np.flatnonzero((self.action == np.array(permutation)).all(axis=1))[0])


def abelian_stages(generators: tuple[tuple[int, ...], ...]) -> AbelianStages:
    """The stages of a solvable group of permutations that act from the right: in a product the first factor moves first.

    With G = N_0 > N_1 > ... the derived series, write g = t_d ... t_1 with t_k in N_{k-1} a representative modulo N_k. For
    s = t_{k-1} ... t_1 fixed by the stages below, g x has the k-th coordinate of g plus that of s x s'^-1 in N_{k-1}, with s'
    the representative of s x. O(order^2).
    """
    # FiniteGroup's products move points by the second factor first, so words multiply inverses
    group = FiniteGroup.from_permutations([tuple(np.argsort(g)) for g in generators])
    table, inverse = group.table, group.inverses
    series = derived_series(group)
    section = np.zeros(group.order, dtype=int)  # the product of the coordinates so far, of each element
    code = np.zeros(group.order, dtype=int)  # their number
    moduli, sections, codes, coordinates = [], [section], [code], []
    for upper, lower in zip(series, series[1:], strict=False):
        inside = restricted(group, upper)
        factor, coset = quotient(inside, np.searchsorted(upper, lower))
        sizes, exponents = _cyclic_coordinates(factor)
        coordinate = np.zeros((group.order, len(sizes)), dtype=int)
        coordinate[upper] = exponents[coset]
        representative = np.zeros(group.order, dtype=int)
        first = np.unique(coset, return_index=True)[1]
        representative[upper] = upper[first[coset]]
        rest = table[np.arange(group.order), inverse[section]]  # lies in the upper group
        number = _mixed_radix(coordinate[rest], sizes)
        section = table[representative[rest], section]
        code = code * math.prod(sizes) + number
        moduli.append(np.array(sizes))
        sections.append(section)
        codes.append(code)
        coordinates.append(coordinate)
    place = np.argsort(code)  # number -> element
    increments = []
    for k, coordinate in enumerate(coordinates):
        cosets = np.zeros(math.prod(math.prod(m.tolist()) for m in moduli[:k]), dtype=int)
        cosets[codes[k]] = sections[k]
        moved = table[cosets[None, :], place[:, None]]
        back = inverse[sections[k][moved]]
        increments.append(coordinate[table[moved, back]].swapaxes(0, 1))
    since = code[table[np.ix_(inverse[place], place)]]
    action = np.argsort(np.array(group.permutations), axis=1)[place]
    return AbelianStages(tuple(moduli), tuple(increments), since, action)


def _mixed_radix(digits: np.ndarray, sizes: list[int]) -> np.ndarray:
    number = np.zeros(len(digits), dtype=int)
    for column, size in enumerate(sizes):
        number = number * size + digits[:, column]
    return number


def _cyclic_coordinates(group: FiniteGroup) -> tuple[list[int], np.ndarray]:
    """An abelian group as a product of cyclic ones: their orders, and the exponents of each element.

    The subgroup so far is a direct factor; an element of the largest order whose powers meet it in 1 only extends it to one.
    """
    sizes: list[int] = []
    exponents = {0: ()}
    while len(exponents) < group.order:
        best: list[int] = []
        for element in range(1, group.order):
            powers = [0]
            while (following := int(group.table[powers[-1], element])) != 0:
                powers.append(following)
            if len(powers) > len(best) and not any(p in exponents for p in powers[1:]):
                best = powers
        sizes.append(len(best))
        exponents = {int(group.table[g, p]): (*e, i) for g, e in exponents.items() for i, p in enumerate(best)}
    return sizes, np.array([exponents[g] for g in range(group.order)]).reshape(group.order, len(sizes))
