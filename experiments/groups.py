"""Which groups claims draw: named ones and products of them, with their elements numbered in any way."""

import functools
import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from depthjax.verify.domain import Values, drawn, whole
from experiments.numbering import renumbered
from theory.groups import FiniteGroup, group

if TYPE_CHECKING:
    from theory.groups.irreps import Irrep

__all__ = ["NUMBERINGS", "CellOfGroup", "copied", "group_of", "groups", "order_and_classes", "other_irreps"]
__all__ += ["square_roots_of_one"]

NUMBERINGS = whole(1, 999)  # 0 is that of `theory.groups`
OTHERS = {"S3": 6, "Q8": 8, "A4": 12, "Q12": 12, "Q16": 16, "C5:C4": 20, "C7:C3": 21, "S4": 24, "SL2_3": 24, "H3_3": 27}
OTHERS |= {"C13:C3": 39, "C7:C6": 42, "GL2_3": 48, "C13:C4": 52, "C11:C5": 55, "A5": 60, "H3_4": 64, "S5": 120, "H3_5": 125}
CLASSES = {"S3": 3, "Q8": 5, "A4": 4, "Q12": 6, "Q16": 7, "C5:C4": 5, "C7:C3": 5, "S4": 5, "SL2_3": 7, "H3_3": 11}
CLASSES |= {"C13:C3": 7, "C7:C6": 7, "GL2_3": 8, "C13:C4": 7, "C11:C5": 7, "A5": 5, "H3_4": 22, "S5": 7, "H3_5": 29}
ROOTS = {"S3": 4, "Q8": 2, "A4": 4, "Q12": 2, "Q16": 2, "C5:C4": 6, "C7:C3": 1, "S4": 10, "SL2_3": 2, "H3_3": 1}
ROOTS |= {"C13:C3": 1, "C7:C6": 8, "GL2_3": 14, "C13:C4": 14, "C11:C5": 1, "A5": 16, "H3_4": 8, "S5": 26, "H3_5": 1}
COUNTS = {2: "two", 3: "two or three"}


class CellOfGroup(Protocol):
    """The cell of a claim on groups."""

    @property
    def group(self) -> str:
        """The name of the group."""
        ...

    @property
    def numbering(self) -> int:
        """Which numbering of its elements."""
        ...


def groups(most: int, least: int = 2, *, factors: int = 2, **orders: int) -> Values:
    """Return the groups of these orders that are cyclic, dihedral, one of `OTHERS`, or a product of some of these.

    Abelian groups and others are equally likely.

    Args:
        most: The largest order.
        least: The smallest order.
        factors: Of a product, at the most: 2 or 3.
        orders: The largest order at smaller sizes, such as ``quick=12``.

    >>> groups(8, least=6).words
    'every cyclic or dihedral group, S3, Q8 and product of two of them, of order 6 to 8'
    """
    families = [sorted(name for name, n in some.items() if least <= n <= most) for some in _by_kind(most, factors)]
    families = [names for names in families if names]

    def draw(source: random.Random) -> str:
        return source.choice(source.choice(families))

    named = "".join(f", {name}" for name, order in OTHERS.items() if order <= most)
    words = f"every cyclic or dihedral group{named} and product of {COUNTS[factors]} of them, of order {least} to {most}"
    return drawn(draw, words, **{size: groups(order, least, factors=factors) for size, order in orders.items()})


def group_of(cell: CellOfGroup) -> FiniteGroup:
    """The group of a cell: that of its name, or a copy with other numbers and irreps computed anew."""
    return copied(cell.group, cell.numbering)


@functools.lru_cache(maxsize=64)
def copied(name: str, numbering: int) -> FiniteGroup:
    """Return a group with its elements in another order: the identity stays the first one; 0 changes nothing.

    Its name, and with it the entries of `theory.composition.encodings.generic_task`, says the numbering.

    Args:
        name: Of the group.
        numbering: As of `experiments.numbering.numbered`.
    """
    finite = group(name)
    if not numbering:
        return finite
    table, _ = renumbered(numbering, finite.table)
    return FiniteGroup.from_table(table, f"{name}, numbering {numbering}")


def other_irreps(cell: CellOfGroup) -> "list[Irrep]":
    """The non-trivial irreps of a cell's group without the last one and its conjugate."""
    irreps = group_of(cell).irreps[1:]
    return [irrep for irrep in irreps[:-1] if irrep.number != irreps[-1].conjugate]


def order_and_classes(name: str) -> tuple[int, int]:
    """Return order and number of conjugacy classes of the group with a name, from books and not from `theory.groups`.

    A group of order n with k classes has n k pairs of elements that commute.

    >>> [order_and_classes(name) for name in ("C7", "D4", "D5", "S3xC3", "C5:C4")]
    [(7, 7), (8, 5), (10, 4), (18, 9), (20, 5)]
    """
    order = _product(name, OTHERS, cyclic=lambda n: n, dihedral=lambda n: 2 * n)
    return order, _product(name, CLASSES, cyclic=lambda n: n, dihedral=lambda n: n // 2 + 3 - n % 2)


def square_roots_of_one(name: str) -> int:
    """Return how many elements have the square 1 in the group with a name, from books as `order_and_classes`.

    It tells groups of one order and as many classes apart, such as D4 and Q8.

    >>> [square_roots_of_one(name) for name in ("C7", "C8", "D4", "Q8", "D5", "S3xC3")]
    [1, 2, 6, 2, 6, 4]
    """
    # of n turns one or two come back after two
    return _product(name, ROOTS, cyclic=lambda n: 2 - n % 2, dihedral=lambda n: n + 2 - n % 2)


def _product(name: str, books: dict[str, int], cyclic: Callable[[int], int], dihedral: Callable[[int], int]) -> int:
    """The product over the factors of a group of a number that is listed, or follows from the n of a cyclic or dihedral one."""
    factors = name.split("x")
    return math.prod(
        books[part] if part in OTHERS else {"C": cyclic, "D": dihedral}[part[0]](int(part[1:])) for part in factors
    )


@functools.cache
def _by_kind(most: int, factors: int) -> tuple[dict[str, int], dict[str, int]]:
    """The orders of abelian groups and of others by name."""
    cyclic = {f"C{n}": n for n in range(2, most + 1)}
    single = {f"D{n}": 2 * n for n in range(4, most // 2 + 1)} | {name: n for name, n in OTHERS.items() if n <= most}
    abelian, others = cyclic, single
    for _ in range(factors - 1):
        every = abelian | others
        abelian, others = cyclic | _products(cyclic, abelian, most), single | _products(single, every, most)
    return abelian, others


def _products(first: dict[str, int], second: dict[str, int], most: int) -> dict[str, int]:
    pairs = [(f"{a}x{b}", m * n) for a, m in first.items() for b, n in second.items() if ":" not in f"{a}{b}"]
    return {name: order for name, order in pairs if order <= most}
