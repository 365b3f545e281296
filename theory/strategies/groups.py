"""Finite groups from a catalogue: the named families and all their direct products."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from theory.groups import FiniteGroup, group
from theory.strategies.sizes import interval, refused, simplest_first

__all__ = ["groups"]

LARGEST = 1000
"""Largest order that is drawn; a table has its square in entries."""
_SMALLEST_PERFECT = 60


class _Name(NamedTuple):
    order: int
    name: str
    solvable: bool = True
    abelian: bool = False


def groups(
    *,
    min_order: int = 1,
    max_order: int = 24,
    solvable: bool | None = None,
    abelian: bool | None = None,
    renumbered: bool = False,
) -> st.SearchStrategy[FiniteGroup]:
    """Finite groups: cyclic, dihedral, quaternion, symmetric, alternating, matrix and metacyclic groups, and their products.

    Shrinks towards the trivial group, by family and order.

    Args:
        min_order: Smallest order.
        max_order: Largest order, at most 1000.
        solvable: True for solvable groups, False for groups that are not; None for all.
        abelian: The same for abelian groups.
        renumbered: Give the elements other than the identity another numbering.

    Raises:
        ValueError: The bounds are no orders, contradict each other, or no group of the catalogue meets them.

    >>> from hypothesis import find, settings
    >>> find(groups(), lambda group: not group.is_abelian, settings=settings(database=None))
    <FiniteGroup D3: order 6>
    >>> groups(max_order=24, solvable=False)
    Traceback (most recent call last):
    ValueError: groups(max_order=24, solvable=False) is empty: A5, of order 60, is the smallest group that is not solvable; ...
    """
    low, high = interval("order", min_order, max_order, largest=LARGEST)
    if solvable is False and high < _SMALLEST_PERFECT:
        why = "A5, of order 60, is the smallest group that is not solvable"
        raise refused("groups", f"max_order={high}, solvable=False", why, "raise max_order to 60 or more")
    if abelian and solvable is False:
        raise refused("groups", "abelian=True, solvable=False", "abelian groups are solvable", "drop one of the two")
    names = [
        entry.name
        for entry in _catalogue(high)
        if entry.order >= low and solvable in (None, entry.solvable) and abelian in (None, entry.abelian)
    ]
    if not names:
        wanted = f"min_order={low}, max_order={high}, solvable={solvable}, abelian={abelian}"
        raise refused("groups", wanted, "no group of the catalogue is like this", "widen the orders")
    drawn = simplest_first(names, partial(re.sub, r"\d+", "")).map(group)
    return drawn.flatmap(_renumbered) if renumbered else drawn


def _renumbered(original: FiniteGroup) -> st.SearchStrategy[FiniteGroup]:
    def moved(order: list[int]) -> FiniteGroup:
        new = np.array([0, *order])  # the new number of each element
        old = np.argsort(new)
        return FiniteGroup.from_table(new[original.table[np.ix_(old, old)]], original.name)

    return st.permutations(range(1, original.order)).map(moved)


@lru_cache(maxsize=32)
def _catalogue(most: int) -> tuple[_Name, ...]:
    """All direct products of blocks up to an order, by order; abelian groups come first."""
    blocks = sorted(_blocks(most))
    found = [_Name(1, "C1", abelian=True)]

    def multiply(first: int, product: _Name) -> None:
        for index in range(first, len(blocks)):
            block = blocks[index]
            if product.order * block.order > most:
                break
            name = block.name if product.order == 1 else f"{product.name}x{block.name}"
            solvable, abelian = product.solvable and block.solvable, product.abelian and block.abelian
            larger = _Name(product.order * block.order, name, solvable, abelian)
            found.append(larger)
            multiply(index, larger)

    multiply(0, found[0])
    return tuple(sorted(found, key=lambda entry: (entry.order, not entry.abelian, len(entry.name), entry.name)))


def _blocks(most: int) -> Iterator[_Name]:
    """Groups that are not direct products of smaller ones of the catalogue, most of them indecomposable."""
    primes = [n for n in range(2, most + 1) if all(n % d for d in range(2, int(n**0.5) + 1))]
    for p in primes:
        q = p
        while q <= most:
            yield _Name(q, f"C{q}", abelian=True)
            q *= p
        for m in range(3, p):
            if (p - 1) % m == 0 and p * m <= most:
                yield _Name(p * m, f"C{p}:C{m}")
        for family, order in (("SL2", p * (p * p - 1)), ("GL2", p * (p - 1) * (p * p - 1))):
            if p > 2 and order <= most:
                yield _Name(order, f"{family}_{p}", solvable=p < 5)
        if p > 5 and p * (p * p - 1) // 2 <= most:
            yield _Name(p * (p * p - 1) // 2, f"PSL2_{p}", solvable=False)
    yield from (_Name(2 * n, f"D{n}") for n in range(3, most // 2 + 1))
    yield from (_Name(n, f"Q{n}") for n in range(8, most + 1, 4))
    yield from (_Name(n**3, f"H3_{n}") for n in range(3, most) if n**3 <= most)
    points, order = 4, 24
    while order // 2 <= most:
        yield _Name(order // 2, f"A{points}", solvable=points < 5)
        if order <= most:
            yield _Name(order, f"S{points}", solvable=points < 5)
        points, order = points + 1, order * (points + 1)
