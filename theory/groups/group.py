"""Finite groups for users: constructors, and one-line access to everything that is computed from the Cayley table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from theory.facts import fact
from theory.groups import subgroups
from theory.groups.axioms import checked_table
from theory.groups.characters import Characters, characters
from theory.groups.closure import matrix_elements, permutation_elements
from theory.groups.foreign import permutations
from theory.groups.irreps import Irrep, irreps
from theory.groups.names import element_names
from theory.groups.table import CayleyTable
from theory.groups.tower import Tower, tower

__all__ = ["FiniteGroup"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class FiniteGroup(CayleyTable):
    """A finite group: its Cayley table and everything that is computed from it, each part when first asked for.

    >>> s4 = FiniteGroup.from_permutations([(1, 2, 3, 0), (1, 0, 2, 3)], "S4")
    >>> s4.order, s4.is_solvable, s4.derived_length, [irrep.dimension for irrep in s4.irreps]
    (24, True, 3, [1, 1, 2, 3, 3])
    """

    @classmethod
    def from_permutations(cls, generators: Sequence[Any], name: str = "G") -> FiniteGroup:
        """The group that permutations of ``0 .. n-1`` generate; elements come in breadth-first order.

        Cycles and the permutations of sympy are read too, see `theory.groups.foreign`.

        Raises:
            TypeError: There is no list of generators.
            ValueError: Names the first generator that is not a permutation of the same points.

        >>> FiniteGroup.from_permutations([(1, 2, 0), (1, 0, 2)]).order
        6
        """
        found = permutations(generators)
        elements, table = permutation_elements(generators if found is None else found)
        return cls(table, name, tuple(map(tuple, elements.tolist())))

    @classmethod
    def from_matrices(cls, generators: Sequence[Sequence[Sequence[int]]], modulus: int, name: str = "G") -> FiniteGroup:
        """The group that matrices over the integers modulo a number generate.

        Raises:
            TypeError: There is no list of generators.
            ValueError: The generators are not square matrices of one size, or one of them is not invertible.

        >>> FiniteGroup.from_matrices([[[1, 1], [0, 1]], [[1, 0], [1, 1]]], 3).order  # SL(2, 3)
        24
        """
        return cls(matrix_elements(generators, modulus)[1], name)

    @classmethod
    def from_table(cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "G") -> FiniteGroup:
        """The group with a Cayley table; every axiom is checked, see `theory.groups.axioms`.

        Raises:
            ValueError: Names the axiom that fails and the first elements that break it.
        """
        return cls(checked_table(table), name)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each element: cycles of points 1, 2, .., pairs, or words in generators; see `theory.groups.names`."""
        return element_names(self)

    @property
    def derived_series(self) -> tuple[np.ndarray, ...]:
        """Elements of G, G', G'', ... until the subgroup is trivial or repeats; a perfect group is listed once."""
        return subgroups.derived_series(self)

    @property
    def lower_central_series(self) -> tuple[np.ndarray, ...]:
        """Elements of G, [G, G], [G, [G, G]], ... until the subgroup is trivial or repeats."""
        return subgroups.lower_central_series(self)

    @property
    def composition_series(self) -> tuple[np.ndarray, ...]:
        """Elements of a chain of subgroups from G to 1, each maximal normal in the previous one: the factors are simple."""
        return subgroups.composition_series(self)

    @property
    def is_solvable(self) -> bool:
        """Whether the derived series ends at the identity."""
        return len(self.derived_series[-1]) == 1

    @property
    def is_nilpotent(self) -> bool:
        """Whether the lower central series ends at the identity."""
        return len(self.lower_central_series[-1]) == 1

    @property
    def derived_length(self) -> int | None:
        """Steps of the derived series to the identity; None if the group is not solvable."""
        return len(self.derived_series) - 1 if self.is_solvable else None

    @fact
    def tower(self) -> Tower:
        """The abelian stages of the derived series, see `theory.groups.tower`.

        Raises:
            OutsideHypotheses: The group is not solvable; the message names the perfect subgroup.
        """
        return tower(self)

    @property
    def characters(self) -> Characters:
        """The exact character table as multiplicities of roots of unity, see `theory.groups.characters`."""
        return characters(self)

    @fact
    def character_table(self) -> sympy.Matrix:
        """The exact characters in the order of ``irreps`` (rows) on the conjugacy classes (columns).

        Raises:
            ValueError: The symbolic table would fill the memory.
        """
        return self.characters.matrix()

    @fact
    def irreps(self) -> list[Irrep]:
        """The irreducible unitary representations, the trivial one first, then by dimension; computed once."""
        return list(irreps(self))
