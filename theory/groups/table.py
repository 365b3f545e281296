"""A finite group as its Cayley table, with what can be read off the table: inverses, orders, conjugacy classes.

Everything else about a group is a function of this table, in a file of its own. `theory.groups.FiniteGroup` joins them.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from theory.groups.closure import subgroup_elements

__all__ = ["CayleyTable", "Permutation"]

Permutation = tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class CayleyTable:
    """A finite group on the elements ``0 .. order - 1`` with identity 0.

    Attributes:
        table: Integer array, ``table[g, h]`` is the product gh.
        name: Name used in messages.
        permutations: The elements as permutations if the group was given by permutations; ``(p q)(i) = p[q[i]]``.
        factors: The factors of a direct product, else empty. Element ``(a, b)`` has the number ``a * |second| + b``.
    """

    table: np.ndarray
    name: str = "G"
    permutations: tuple[Permutation, ...] = ()
    factors: tuple[CayleyTable, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: order {self.order}>"

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
        """At most log2(order) elements that generate the group."""
        return subgroup_elements(self.table, np.arange(self.order))[1]

    @cached_property
    def class_of(self) -> np.ndarray:
        """Number of each element's conjugacy class; shape ``(order,)``.

        Class 0 holds the identity. The others are sorted by the order of their elements, by size, and by first element.
        """
        labels = _smallest_conjugates(self)
        first, sizes = np.unique(labels, return_counts=True)
        ranked = sorted(range(len(first)), key=lambda i: (self.element_orders[first[i]], sizes[i], first[i]))
        number = np.empty(self.order, dtype=int)
        number[first[ranked]] = np.arange(len(first))
        return number[labels]

    @cached_property
    def conjugacy_classes(self) -> tuple[np.ndarray, ...]:
        """The elements of each class, ascending."""
        order = np.argsort(self.class_of, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(self.class_of))[:-1]))

    def index(self, permutation: Permutation) -> int:
        """Position of a permutation among the elements.

        Raises:
            ValueError: The group was not given by permutations, or does not contain this permutation.
        """
        try:
            return self.permutations.index(tuple(permutation))
        except ValueError:
            known = (
                f"{self.name}'s {len(self.permutations)} permutations" if self.permutations else "a group without permutations"
            )
            raise ValueError(f"{tuple(permutation)} is not among {known}") from None


def _smallest_conjugates(group: CayleyTable) -> np.ndarray:
    """The smallest conjugate of each element: the orbits under conjugation by generators, found by passing labels on."""
    table, inverses = group.table, group.inverses
    moves = [table[inverses[s]][table[:, s]] for s in group.generators]
    labels = np.arange(group.order)
    while True:
        before = labels.copy()
        for move in moves:
            np.minimum.at(labels, move, labels.copy())
            labels = np.minimum(labels, labels[move])
        labels = labels[labels]
        if (labels == before).all():
            return labels
