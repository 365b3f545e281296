"""A finite group as its Cayley table, from a table, from permutations, or by name."""

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np

Permutation = tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class FiniteGroup:
    """A finite group on the elements ``0 .. order - 1`` with identity 0.

    Attributes:
        table: integer array, ``table[g, h]`` is the product gh.
        name: for people.
        permutations: the elements as permutations, where the group was given by some; ``(p q)(i) = p[q[i]]``.
    """

    table: np.ndarray
    name: str = "G"
    permutations: tuple[Permutation, ...] = ()

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
    def from_permutations(cls, generators: Sequence[Sequence[int]], name: str = "G") -> "FiniteGroup":
        """Close permutations of ``0 .. n-1`` under products; elements come in breadth-first order. O(order^2 n).

        Raises:
            ValueError: names the first generator that is not a permutation of the same points.

        >>> FiniteGroup.from_permutations([(1, 2, 0), (1, 0, 2)]).order
        6
        """
        points = len(generators[0]) if generators else 1
        for generator in generators:
            if sorted(generator) != list(range(points)):
                raise ValueError(f"{tuple(generator)} is not a permutation of 0 .. {points - 1}")
        steps = [tuple(generator) for generator in generators]
        elements: dict[Permutation, int] = {tuple(range(points)): 0}
        queue = list(elements)
        for element in queue:  # grows while it is walked
            for step in steps:
                product = tuple(element[i] for i in step)
                if product not in elements:
                    elements[product] = len(elements)
                    queue.append(product)
        array = np.array(queue)
        # a permutation's rank in a mixed-radix code, to look products up all at once
        code = points ** np.arange(points, dtype=object) if points > 15 else points ** np.arange(points)
        codes = (array * code).sum(axis=1)
        order = np.argsort(codes)
        table = np.empty((len(queue), len(queue)), dtype=np.int64)
        for g, row in enumerate(array):
            table[g] = order[np.searchsorted(codes[order], (row[array] * code).sum(axis=1))]
        return cls(table, name, tuple(queue))

    @classmethod
    def from_table(cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "G") -> "FiniteGroup":
        """A group from its Cayley table, every axiom checked; associativity costs O(order^3).

        Raises:
            ValueError: names the failed axiom and the first elements that break it.
        """
        array = np.asarray(table)
        n = len(array)
        if array.shape != (n, n) or n == 0 or array.dtype.kind not in "iu":
            raise ValueError(f"a Cayley table is a square array of integers, not {array.dtype} of shape {array.shape}")
        if array.min() < 0 or array.max() >= n:
            raise ValueError(f"closure: entries must lie in 0 .. {n - 1}; the table holds {array.min()} .. {array.max()}")
        for g in range(n):
            if array[0, g] != g or array[g, 0] != g:
                raise ValueError(f"identity: element 0 must be neutral, but 0*{g} = {array[0, g]} and {g}*0 = {array[g, 0]}")
        for g in range(n):
            left = array[array[g]]  # left[h, k] = (gh)k
            right = array[g][array]  # right[h, k] = g(hk)
            if (left != right).any():
                h, k = np.argwhere(left != right)[0]
                raise ValueError(f"associativity: ({g}*{h})*{k} = {left[h, k]} but {g}*({h}*{k}) = {right[h, k]}")
        for g in range(n):
            if 0 not in array[g]:
                raise ValueError(f"inverses: element {g} has none")
        return cls(array.astype(np.int64), name)
