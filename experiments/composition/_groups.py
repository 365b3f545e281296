"""Which groups the claims of this topic draw: named ones and products of them, with their elements numbered in any way."""

import functools
import random
from typing import Protocol

from depthjax.verify.domain import Values, drawn, whole
from experiments.numbering import renumbered
from theory.groups import FiniteGroup, group

NUMBERINGS = whole(1, 999)  # 0 is that of `theory.groups`
OTHERS = {"S3": 6, "Q8": 8, "A4": 12, "Q12": 12, "Q16": 16, "C5:C4": 20, "C7:C3": 21, "S4": 24, "SL2_3": 24, "H3_3": 27}


def groups(most: int, least: int = 2, **orders: int) -> Values:
    """Return the groups of these orders that are cyclic, dihedral, one of `OTHERS`, or a product of two of these.

    Abelian groups and others are equally likely.

    Args:
        most: The largest order.
        least: The smallest order.
        orders: The largest order at smaller sizes, such as ``quick=12``.
    """
    families = [sorted(name for name, order in some.items() if least <= order <= most) for some in _by_kind(most)]
    families = [names for names in families if names]

    def draw(source: random.Random) -> str:
        return source.choice(source.choice(families))

    words = f"every cyclic or dihedral group, {', '.join(OTHERS)} and product of two of them, of order {least} to {most}"
    return drawn(draw, words, **{size: groups(order, least) for size, order in orders.items()})


def _by_kind(most: int) -> tuple[dict[str, int], dict[str, int]]:
    """The orders of abelian groups and of others by name."""
    abelian = {f"C{n}": n for n in range(2, most + 1)}
    others = {f"D{n}": 2 * n for n in range(4, most // 2 + 1)} | {name: n for name, n in OTHERS.items() if n <= most}
    return abelian | _products(abelian, abelian, most), others | _products(others, abelian | others, most)


def _products(first: dict[str, int], second: dict[str, int], most: int) -> dict[str, int]:
    pairs = [(f"{a}x{b}", m * n) for a, m in first.items() for b, n in second.items() if ":" not in f"{a}{b}"]
    return {name: order for name, order in pairs if order <= most}


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


def group_of(cell: CellOfGroup) -> FiniteGroup:
    """The group of a cell: that of its name, or a copy with other numbers and irreps computed anew.

    Its name, and with it the entries of `theory.composition.encodings.generic_task`, says the numbering.
    """
    return _numbered(cell.group, cell.numbering)


@functools.cache
def _numbered(name: str, numbering: int) -> FiniteGroup:
    finite = group(name)
    if not numbering:
        return finite
    table, _ = renumbered(numbering, finite.table)
    return FiniteGroup.from_table(table, f"{name}, numbering {numbering}")
