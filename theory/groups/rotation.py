r"""The icosahedral rotation task: which assignments of generators are representations of A5?

Two rotations over Q(sqrt 5), one of order 3 about (1, 1, 1) and one of order 5 about (0, 1, phi), generate the icosahedral
group, a copy of A5. An *assignment* sends a 3-cycle to the first rotation and a 5-cycle to the second, and extends to the other
elements by breadth-first search. It is a homomorphism exactly if the product of the two cycles has order 2, because
:math:`\langle p, r \mid p^3 = r^5 = (pr)^2 = 1 \rangle` presents A5. Otherwise the search still gives a matrix to every
element, but the matrices depend on the order of the search, and some of the 3600 products are wrong. All counts are exact.

The published code assigns the two rotations to (0 1 2) and (0 1 2 3 4), whose product has order 5.
"""

import dataclasses
import itertools
from functools import cached_property, lru_cache

import numpy as np

from theory.exact.quadratic import QuadraticArray, stack
from theory.groups.group import FiniteGroup
from theory.groups.named import group
from theory.groups.table import Permutation

__all__ = ["PUBLISHED", "Assignment", "assignments", "icosahedral", "icosahedral_generators"]

PUBLISHED = ((1, 2, 0, 3, 4), (1, 2, 3, 4, 0))


def icosahedral_generators() -> tuple[QuadraticArray, QuadraticArray]:
    """The exact rotations by 120 degrees about (1, 1, 1) and by 72 degrees about (0, 1, phi)."""
    zero = np.zeros((3, 3), dtype=int)
    third = QuadraticArray(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), zero, 1, 5)
    # entries phi - 1, phi and 1, halved: phi = (1 + sqrt 5) / 2, so everything stands over 4
    a = np.array([[-1, -1, 2], [1, 2, -1], [-2, -1, 1]])
    b = np.array([[1, -1, 0], [1, 0, 1], [0, 1, 1]])
    return third, QuadraticArray(a, b, 4, 5)


@lru_cache
def icosahedral() -> tuple[FiniteGroup, QuadraticArray]:
    """The group that the two rotations generate, and its 60 exact matrices in the same order."""
    generators = icosahedral_generators()
    matrices = [QuadraticArray(np.eye(3, dtype=int), np.zeros((3, 3), dtype=int), 1, 5)]
    index = {matrices[0].key(): 0}
    for matrix in matrices:  # grows while it is walked
        for generator in generators:
            product = matrix @ generator
            if product.key() not in index:
                index[product.key()] = len(matrices)
                matrices.append(product)
    everything = stack(matrices)
    products = everything[:, None] @ everything[None, :]
    table = np.array([[index[products[g, h].key()] for h in range(len(matrices))] for g in range(len(matrices))])
    return FiniteGroup(table, "icosahedral rotations"), everything


@dataclasses.dataclass(frozen=True, eq=False)
class Assignment:
    """A rotation for every element of A5, extended from two generators.

    Attributes:
        three: The 3-cycle that is sent to the rotation of order 3.
        five: The 5-cycle that is sent to the rotation of order 5.
        first: The generator that the search tries first, "three" or "five".
        side: Whether the search multiplies on the "right" (x -> x g) or on the "left" (x -> g x).
    """

    three: Permutation
    five: Permutation
    first: str = "three"
    side: str = "right"

    @cached_property
    def rotations(self) -> np.ndarray:
        """For each element of A5 the index of its rotation in `icosahedral`; shape ``(60,)``.

        The search uses a FIFO queue and keeps the first rotation that reaches an element, without any check.

        Raises:
            ValueError: The two cycles do not generate A5.
        """
        a5, (turns, _) = group("A5"), icosahedral()
        # the closure tries the generators in order, so they are elements 1 and 2
        steps = [(a5.index(self.three), 1), (a5.index(self.five), 2)]
        if self.first == "five":
            steps.reverse()
        found, queue = {0: 0}, [0]
        for element in queue:
            for generator, turn in steps:
                pair, turned = (element, generator), (found[element], turn)
                if self.side == "left":
                    pair, turned = pair[::-1], turned[::-1]
                product = int(a5.table[pair])
                if product not in found:
                    found[product] = int(turns.table[turned])
                    queue.append(product)
        if len(found) < a5.order:
            raise ValueError(f"{self.three} and {self.five} generate only {len(found)} of the 60 elements of A5")
        return np.array([found[g] for g in range(a5.order)])

    @cached_property
    def violations(self) -> int:
        """Number of products xy among all 3600 with M[x] M[y] != M[xy], exact over Q(sqrt 5)."""
        m, table = self.rotations, icosahedral()[0].table
        return int((table[m[:, None], m[None, :]] != m[group("A5").table]).sum())

    @property
    def extends(self) -> bool:
        """Whether the assignment is a homomorphism: the product of the cycles has order 2, as the presentation of A5 asks."""
        product = tuple(self.three[i] for i in self.five)
        return product != tuple(range(5)) and tuple(product[i] for i in product) == tuple(range(5))


@lru_cache
def assignments(first: str = "three", side: str = "right") -> tuple[Assignment, ...]:
    """All 480 pairs of a 3-cycle and a 5-cycle, in lexicographic order, under one order of the search."""
    a5 = group("A5")
    by_order = {n: sorted(p for p, m in zip(a5.permutations, a5.element_orders, strict=True) if m == n) for n in (3, 5)}
    return tuple(Assignment(three, five, first, side) for three, five in itertools.product(by_order[3], by_order[5]))
