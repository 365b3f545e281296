"""A finite group as its Cayley table, from a table, from permutations, from matrices, or by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from theory.groups.closure import matrix_elements, permutation_elements, table_dtype

if TYPE_CHECKING:
    import sympy

    from theory.groups.characters import Characters
    from theory.groups.irreps import Irrep
    from theory.groups.tower import Tower

Permutation = tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class FiniteGroup:
    """A finite group on the elements ``0 .. order - 1`` with identity 0.

    Attributes:
        table: integer array, ``table[g, h]`` is the product gh.
        name: for people.
        permutations: the elements as permutations, where the group was given by some; ``(p q)(i) = p[q[i]]``.
        factors: where the group was made as a direct product, its factors; element ``(a, b)`` has the number
            ``a * |second| + b``.
    """

    table: np.ndarray
    name: str = "G"
    permutations: tuple[Permutation, ...] = ()
    factors: tuple[FiniteGroup, ...] = ()

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.table)

    @cached_property
    def inverses(self) -> np.ndarray:
        """Inverse of each element; shape ``(order,)``."""
        return np.argmin(self.table, axis=1)

    @cached_property
    def element_orders(self) -> np.ndarray:
        """Order of each element; shape ``(order,)``; O(order * exponent)."""
        orders = np.zeros(self.order, dtype=int)
        power, exponent = np.arange(self.order), 1
        while not orders.all():
            orders[(power == 0) & (orders == 0)] = exponent
            power, exponent = self.table[power, np.arange(self.order)], exponent + 1
        return orders

    @property
    def exponent(self) -> int:
        """Least common multiple of the orders of the elements."""
        return int(np.lcm.reduce(np.unique(self.element_orders)))

    @property
    def is_abelian(self) -> bool:
        """Whether all products commute."""
        return bool((self.table == self.table.T).all())

    @cached_property
    def generators(self) -> tuple[int, ...]:
        """A few elements that generate the group (each new one at least doubles what is generated)."""
        from theory.groups.subgroups import generating_set

        return generating_set(self, np.arange(self.order))

    @cached_property
    def class_of(self) -> np.ndarray:
        """Number of each element's conjugacy class; class 0 is the identity's, then by order, size and first element."""
        from theory.groups.subgroups import conjugacy_labels

        return conjugacy_labels(self)

    @cached_property
    def conjugacy_classes(self) -> tuple[np.ndarray, ...]:
        """The elements of each class, ascending."""
        order = np.argsort(self.class_of, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(self.class_of))[:-1]))

    @cached_property
    def derived_series(self) -> tuple[np.ndarray, ...]:
        """Elements of G, G', G'', ... until it is trivial or repeats (a perfect group, which is then listed once)."""
        from theory.groups.subgroups import derived_series

        return derived_series(self)

    @cached_property
    def lower_central_series(self) -> tuple[np.ndarray, ...]:
        """Elements of G, [G, G], [G, [G, G]], ... until it is trivial or repeats."""
        from theory.groups.subgroups import lower_central_series

        return lower_central_series(self)

    @cached_property
    def composition_series(self) -> tuple[np.ndarray, ...]:
        """Elements of a chain from G to 1, each maximal normal in the one before: the factors are simple."""
        from theory.groups.subgroups import composition_series

        return composition_series(self)

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

    def tower(self) -> Tower:
        """The abelian stages of the derived series, see :class:`theory.groups.tower.Tower`.

        Raises:
            OutsideHypotheses: the group is not solvable; names the perfect subgroup.
        """
        from theory.groups.tower import tower

        return tower(self)

    @cached_property
    def characters(self) -> Characters:
        """The exact character table with its multiplicities, see :class:`theory.groups.characters.Characters`."""
        from theory.groups.characters import characters

        return characters(self)

    def character_table(self) -> sympy.Matrix:
        """Rows are irreducible characters in the order of ``irreps()``, columns conjugacy classes."""
        return self.characters.matrix()

    @cached_property
    def _irreps(self) -> tuple[Irrep, ...]:
        from theory.groups.irreps import irreps

        return irreps(self)

    def irreps(self) -> list[Irrep]:
        """The irreducible unitary representations, trivial first, then by dimension; computed once."""
        return list(self._irreps)

    def index(self, permutation: Permutation) -> int:
        """Position of a permutation among the elements.

        Raises:
            ValueError: if the group was not given by permutations, or does not contain this one.
        """
        try:
            return self.permutations.index(tuple(permutation))
        except ValueError:
            known = (
                f"{self.name}'s {len(self.permutations)} permutations" if self.permutations else "a group without permutations"
            )
            raise ValueError(f"{tuple(permutation)} is not among {known}") from None

    @classmethod
    def from_permutations(cls, generators: Sequence[Sequence[int]], name: str = "G") -> FiniteGroup:
        """Close permutations of ``0 .. n-1`` under products; elements come in breadth-first order.

        Raises:
            ValueError: names the first generator that is not a permutation of the same points.

        >>> FiniteGroup.from_permutations([(1, 2, 0), (1, 0, 2)]).order
        6
        """
        elements, table = permutation_elements(generators)
        return cls(table, name, tuple(map(tuple, elements.tolist())))

    @classmethod
    def from_matrices(cls, generators: Sequence[Sequence[Sequence[int]]], modulus: int, name: str = "G") -> FiniteGroup:
        """Close matrices over the integers modulo a number under products.

        Raises:
            ValueError: not square matrices of one size, or one that is not invertible.

        >>> FiniteGroup.from_matrices([[[1, 1], [0, 1]], [[1, 0], [1, 1]]], 3).order  # SL(2, 3)
        24
        """
        return cls(matrix_elements(generators, modulus)[1], name)

    @classmethod
    def from_table(cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "G") -> FiniteGroup:
        """A group from its Cayley table, every axiom checked.

        Associativity is Light's test: if (x g) y = x (g y) for all x, y and every g of a set that generates, then always.
        O(order^2) for each of about log2(order) generators.

        Raises:
            ValueError: names the failed axiom and the first elements that break it.
        """
        array = np.asarray(table)
        n = len(array)
        if array.shape != (n, n) or n == 0 or array.dtype.kind not in "iu":
            raise ValueError(f"a Cayley table is a square array of integers, not {array.dtype} of shape {array.shape}")
        outside = (array < 0) | (array >= n)
        if outside.any():
            g, h = np.argwhere(outside)[0]
            raise ValueError(f"closure: {g}*{h} = {array[g, h]} is not one of the elements 0 .. {n - 1}")
        for g in range(n):
            if array[0, g] != g or array[g, 0] != g:
                raise ValueError(f"identity: element 0 must be neutral, but 0*{g} = {array[0, g]} and {g}*0 = {array[g, 0]}")
        array = array.astype(table_dtype(n))
        for h in _magma_generators(array):
            left, right = array[array[:, h]], array[:, array[h]]  # (gh)k and g(hk)
            if (left != right).any():
                g, k = np.argwhere(left != right)[0]
                raise ValueError(f"associativity: ({g}*{h})*{k} = {left[g, k]} but {g}*({h}*{k}) = {right[g, k]}")
        for g in range(n):
            if 0 not in array[g]:
                raise ValueError(f"inverses: element {g} has none")
        return cls(array, name)


def _magma_generators(table: np.ndarray) -> list[int]:
    """Elements whose products, bracketed in any way, give everything."""
    reached = np.zeros(len(table), dtype=bool)
    reached[0] = True
    generators = []
    while not reached.all():
        generators.append(int(np.argmin(reached)))
        reached[generators[-1]] = True
        size = 0
        while size != (size := int(reached.sum())):
            members = np.flatnonzero(reached)
            reached[table[np.ix_(members, members)].ravel()] = True
    return generators
