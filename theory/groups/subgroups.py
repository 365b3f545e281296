"""Subgroups and series of a finite group. A subgroup is the ascending array of its elements."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sympy import isprime

from theory.caching import once_per_object
from theory.groups.closure import subgroup_elements
from theory.groups.table import CayleyTable

__all__ = [
    "commutators",
    "composition_series",
    "derived_series",
    "generated",
    "lower_central_series",
    "normal_closure",
    "quotient",
    "restricted",
    "sign_length",
]


def generated(group: CayleyTable, elements: Iterable[int]) -> np.ndarray:
    """The subgroup that these elements generate."""
    return subgroup_elements(group.table, np.asarray(list(elements), dtype=int))[0]


def normal_closure(group: CayleyTable, elements: Iterable[int]) -> np.ndarray:
    """The smallest normal subgroup that contains these elements: their conjugacy classes generate it."""
    classes = np.unique(group.class_of[np.asarray(list(elements), dtype=int)])
    return generated(group, np.flatnonzero(np.isin(group.class_of, classes)))


def commutators(group: CayleyTable, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The subgroup [left, right] of two subgroups, where `left` normalises `right`.

    The commutators of all elements of `left` with *generators* of `right` suffice: the group K that they generate holds
    y^-x y^z for every generator y, hence `left` normalises K, and modulo K the generators commute with `left`.
    """
    table, inverses = group.table, group.inverses
    y = np.array(subgroup_elements(group.table, right)[1], dtype=int)
    products = table[table[inverses[left][:, None], inverses[y][None, :]], table[left[:, None], y[None, :]]]
    return generated(group, np.unique(products))


@once_per_object
def derived_series(group: CayleyTable) -> tuple[np.ndarray, ...]:
    """G, G', G'', ... as long as the subgroups shrink."""
    series = [np.arange(group.order)]
    while len(following := commutators(group, series[-1], series[-1])) < len(series[-1]):
        series.append(following)
    return tuple(series)


@once_per_object
def lower_central_series(group: CayleyTable) -> tuple[np.ndarray, ...]:
    """G, [G, G], [G, [G, G]], ... as long as the subgroups shrink."""
    everything = np.arange(group.order)
    series = [everything]
    while len(following := commutators(group, everything, series[-1])) < len(series[-1]):
        series.append(following)
    return tuple(series)


def sign_length(group: CayleyTable) -> int | None:
    """How often squares are taken before only the identity is left; None if the squares of some subgroup generate it.

    The subgroup that squares generate is the least normal one whose quotient has exponent 2, so this is the number of layers of
    signs that follow the group.
    """
    members, length = np.arange(group.order), 0
    while len(members) > 1:
        squares = generated(group, group.table[members, members])
        if len(squares) == len(members):
            return None
        members, length = squares, length + 1
    return length


def restricted(group: CayleyTable, subgroup: np.ndarray) -> CayleyTable:
    """A subgroup as a group of its own: element i is ``subgroup[i]``."""
    return CayleyTable(np.searchsorted(subgroup, group.table[np.ix_(subgroup, subgroup)]), f"subgroup of {group.name}")


def quotient(group: CayleyTable, normal: np.ndarray) -> tuple[CayleyTable, np.ndarray]:
    """The quotient by a normal subgroup, and the number of each element's coset.

    Cosets are numbered by their smallest elements, so coset 0 is the subgroup.
    """
    smallest = group.table[:, normal].min(axis=1)
    section, coset = np.unique(smallest, return_inverse=True)
    return CayleyTable(coset[group.table[np.ix_(section, section)]], f"quotient of {group.name}"), coset


@once_per_object
def composition_series(group: CayleyTable) -> tuple[np.ndarray, ...]:
    """A chain from G to 1 with simple factors: the chain of G/N lifted, then that of N, for a minimal normal subgroup N."""
    everything = np.arange(group.order)
    if group.order == 1:
        return (everything,)
    # a minimal normal subgroup is the normal closure of each of its elements but 1, and some of them have prime order
    prime = [members[0] for members in group.conjugacy_classes[1:] if isprime(int(group.element_orders[members[0]]))]
    minimal = min((normal_closure(group, [element]) for element in prime), key=len)
    if len(minimal) == group.order:
        return everything, np.array([0])
    above, coset = quotient(group, minimal)
    upper = [np.flatnonzero(np.isin(coset, part)) for part in composition_series(above)]
    lower = [minimal[part] for part in composition_series(restricted(group, minimal))]
    return *upper, *lower[1:]
