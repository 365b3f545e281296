"""Whether two finite groups are isomorphic, and the usual name of a group that is given by its table."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np
from sympy import divisors

from theory.groups.abelian import abelian_basis
from theory.groups.named import group
from theory.groups.table import CayleyTable

__all__ = ["MOST", "isomorphism", "recognised"]

MOST = 1000
"""Largest order of a group whose name is looked for."""


def isomorphism(first: CayleyTable, second: CayleyTable) -> np.ndarray | None:
    """Return an isomorphism as the image of each element of the first group, or None if there is none.

    The images of generators are searched depth first: an image has the order of its generator, and the images so far extend to
    the subgroup of the generators so far. Cost: O(order^2) for each choice; few choices are tried, except among elements of
    equal order that no subgroup tells apart.

    >>> from theory.groups import group
    >>> image = isomorphism(group("S3"), group("D3"))
    >>> bool((image[group("S3").table] == group("D3").table[np.ix_(image, image)]).all())
    True
    >>> isomorphism(group("D4"), group("Q8")) is None
    True
    """
    if first.order != second.order or (np.sort(first.element_orders) != np.sort(second.element_orders)).any():
        return None
    if sorted(map(len, first.conjugacy_classes)) != sorted(map(len, second.conjugacy_classes)):
        return None
    return _extended(first, second, ())


def _extended(first: CayleyTable, second: CayleyTable, images: tuple[int, ...]) -> np.ndarray | None:
    """An isomorphism under which the first generators have these images."""
    found = _on_subgroup(first, second, images)
    if found is None or len(images) == len(first.generators):
        return found
    order = first.element_orders[first.generators[len(images)]]
    tried = (_extended(first, second, (*images, int(x))) for x in np.flatnonzero(second.element_orders == order))
    return next((image for image in tried if image is not None), None)


def _on_subgroup(first: CayleyTable, second: CayleyTable, images: tuple[int, ...]) -> np.ndarray | None:
    """The injective homomorphism of the subgroup of the first generators, -1 elsewhere; None if there is none."""
    generators = first.generators[: len(images)]
    image = np.full(first.order, -1)
    image[0] = 0
    reached = [0]
    for here in reached:  # grows while it is walked
        for generator, x in zip(generators, images, strict=True):
            there, value = int(first.table[here, generator]), int(second.table[image[here], x])
            if image[there] < 0:
                image[there] = value
                reached.append(there)
            elif image[there] != value:
                return None
    return image if len(np.unique(image[reached])) == len(reached) else None


def recognised(unknown: CayleyTable) -> str | None:
    """Return the name of an isomorphic group as `theory.groups.group` understands it, the commonest first.

    None if no family of `theory.groups.named`, and no product of a member with a cyclic group, has this group, or if its order
    is above `MOST`.

    >>> from theory.groups import group
    >>> [recognised(group(name)) for name in ("D3", "SL2_3", "C2xC3", "C7:C3", "GL2_2", "PSL2_5", "D4xC3")]
    ['S3', 'SL2_3', 'C6', 'C7:C3', 'S3', 'A5', 'D4xC3']
    """
    if unknown.order > MOST:
        return None
    if unknown.is_abelian:
        return "x".join(f"C{order}" for order in abelian_basis(unknown)[1]) or "C1"
    return next((name for name in _candidates(unknown.order) if isomorphism(unknown, group(name)) is not None), None)


def _candidates(order: int) -> Iterator[str]:
    """Names of groups of this order that do not commute."""
    for cyclic in list(divisors(order))[:-1]:
        for name in _families(order // cyclic):
            with contextlib.suppress(ValueError):  # the family has no such member
                if not group(name).is_abelian:
                    yield name + f"xC{cyclic}" * (cyclic > 1)


def _families(order: int) -> list[str]:
    """Names of groups that may have this order and not commute."""
    points = [n for n in range(3, 8) if math.factorial(n) in (order, 2 * order)]
    names = [f"{'S' if math.factorial(n) == order else 'A'}{n}" for n in points]
    names += [f"D{order // 2}"] * (order % 2 == 0) + [f"Q{order}"] * (order % 4 == 0)
    for p in (2, 3, 5, 7, 11):
        families = {"H3": p**3, "SL2": p**3 - p, "GL2": (p**2 - 1) * (p**2 - p), "PSL2": (p**3 - p) // math.gcd(2, p - 1)}
        names += [f"{family}_{p}" for family, size in families.items() if size == order]
    return names + [f"C{order // m}:C{m}" for m in list(divisors(order))[1:-1]]
