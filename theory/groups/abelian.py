"""A finite abelian group as a product of cyclic groups."""

from __future__ import annotations

import numpy as np

from theory.groups.subgroups import generated, quotient
from theory.groups.table import CayleyTable

__all__ = ["abelian_basis", "coordinates"]


def abelian_basis(group: CayleyTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Elements b_1, b_2, .. whose cyclic subgroups have the group as their direct product, and their orders.

    Each order is a multiple of the next. The construction: an element a of largest order generates a direct factor, and an
    element of the quotient by <a> lifts to an element of the same order.

    Raises:
        ValueError: The group is not abelian.

    >>> from theory.groups.named import group
    >>> abelian_basis(group("C4xC6"))[1]
    (12, 2)
    """
    if not group.is_abelian:
        raise ValueError(f"{group.name} is not abelian, so it is not a product of cyclic groups")
    if group.order == 1:
        return (), ()
    largest = int(np.argmax(group.element_orders))
    above, coset = quotient(group, generated(group, [largest]))
    lifts, orders = [largest], [int(group.element_orders[largest])]
    for element, order in zip(*abelian_basis(above), strict=True):
        candidates = np.flatnonzero(coset == element)
        lifts.append(int(candidates[group.element_orders[candidates] == order][0]))
        orders.append(order)
    return tuple(lifts), tuple(orders)


def coordinates(group: CayleyTable, basis: tuple[int, ...], orders: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The products b_1^c_1 b_2^c_2 .. in lexicographic order of c, and the position of each element among them.

    Returns:
        The elements, shape ``(product of orders,)``, and their positions, shape ``(order,)``.
    """
    elements = np.zeros(1, dtype=int)
    for b, order in zip(basis, orders, strict=True):
        powers = [0]
        for _ in range(order - 1):
            powers.append(int(group.table[powers[-1], b]))
        elements = group.table[elements[:, None], np.array(powers)[None, :]].ravel()
    position = np.empty(group.order, dtype=int)
    position[elements] = np.arange(len(elements))
    return elements, position
