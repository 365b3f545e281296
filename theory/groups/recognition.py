"""The name of a finite group, proved by an isomorphism.

A homomorphism is fixed by the images of generators. So for every named group of the same order, images of the generators with
the right element orders are tried, the first image up to conjugation, until one choice extends to a bijection that respects
the products with generators.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from theory.groups.abelian import abelian_basis
from theory.groups.named import group
from theory.groups.table import CayleyTable

__all__ = ["recognised"]

_TRIES = 4_000


def recognised(unknown: CayleyTable) -> str | None:
    """Return the name of a group that is isomorphic to this one, or None if none of the known families has one.

    Families: products of cyclic groups, Dn, Qn, Sn, An, SL2_p, GL2_p, PSL2_p, H3_p, and products of one of them with Cn. At
    most 4,000 choices of images are tried for each candidate.

    >>> from theory.groups.group import FiniteGroup
    >>> recognised(FiniteGroup.from_permutations([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)]))
    'A5'
    >>> recognised(FiniteGroup.from_permutations([(1, 0, 2, 3), (0, 1, 3, 2)]))
    'C2xC2'
    """
    if unknown.is_abelian:
        return "x".join(f"C{order}" for order in abelian_basis(unknown)[1]) or "C1"
    return next((name for name in _candidates(unknown.order) if _isomorphic(unknown, group(name))), None)


def _candidates(order: int) -> Iterator[str]:
    """Names of non-abelian groups of an order, simple names first."""
    for cyclic in (c for c in range(1, order) if order % c == 0):
        rest = order // cyclic
        factor = "" if cyclic == 1 else f"xC{cyclic}"
        for name in _families(rest):
            yield name + factor


def _families(order: int) -> Iterator[str]:
    for n in range(3, 8):
        if math.factorial(n) == order:
            yield f"S{n}"
        if n > 3 and math.factorial(n) == 2 * order:
            yield f"A{n}"
    if order % 2 == 0 and order > 6:
        yield f"D{order // 2}"
    if order % 4 == 0 and order >= 8:
        yield f"Q{order}"
    for p in (3, 5, 7, 11, 13):
        special = p * (p * p - 1)
        yield from (
            name
            for name, size in (
                (f"SL2_{p}", special),
                (f"PSL2_{p}", special // 2),
                (f"GL2_{p}", special * (p - 1)),
                (f"H3_{p}", p**3),
            )
            if size == order
        )


def _isomorphic(a: CayleyTable, b: CayleyTable) -> bool:
    if sorted(a.element_orders.tolist()) != sorted(b.element_orders.tolist()):
        return False
    generators = a.generators
    first, *others = (np.flatnonzero(b.element_orders == a.element_orders[g]) for g in generators)
    heads = sorted({int(min(b.conjugacy_classes[b.class_of[h]])) for h in first})
    for tried, images in enumerate(product(heads, *(other.tolist() for other in others))):
        if tried == _TRIES:
            return False
        if _extends(a, b, generators, images):
            return True
    return False


def _extends(a: CayleyTable, b: CayleyTable, generators: tuple[int, ...], images: tuple[int, ...]) -> bool:
    """Whether the images of the generators extend to an isomorphism."""
    image = np.full(a.order, -1)
    image[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = []
        for g, h in zip(generators, images, strict=True):
            after, wanted = a.table[frontier, g], b.table[image[frontier], h]
            new = image[after] < 0
            image[after[new]] = wanted[new]
            if (image[after] != wanted).any():
                return False
            reached.append(after[new])
        frontier = np.unique(np.concatenate(reached))
    return len(np.unique(image)) == a.order
