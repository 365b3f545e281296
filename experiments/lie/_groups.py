"""Finite groups that a claim draws, and copies of them that number their elements otherwise."""

import random
from functools import lru_cache

from depthjax.verify.domain import Values, drawn
from experiments.numbering import renumbered
from theory.groups import group
from theory.groups.group import FiniteGroup

__all__ = ["copied", "groups_up_to"]

ORDERS = {"A4": 12, "SL2_3": 24, "S4": 24, "H3_3": 27, "GL2_3": 48, "A5": 60, "H3_4": 64, "S5": 120, "H3_5": 125}
PRIMES = 3, 5, 7, 11, 13, 17, 19


def groups_up_to(order: int) -> Values:
    """Return the groups of at most this order that have a name, as their names, each with a chance.

    >>> groups_up_to(8).words
    'every product of cyclic, dihedral, quaternion, metacyclic, matrix and permutation groups of order 2 to 8'
    """
    kinds = "cyclic, dihedral, quaternion, metacyclic, matrix and permutation groups"
    return drawn(lambda source: _name(source, order), f"every product of {kinds} of order 2 to {order}")


@lru_cache(maxsize=64)
def copied(name: str, relabel: int) -> FiniteGroup:
    """Return a group with its elements in another order: the identity stays the first one; 0 changes nothing.

    Args:
        name: Of the group.
        relabel: The same number gives the same order.
    """
    original = group(name)
    return group(renumbered(relabel, original.table)[0]) if relabel else original


def _name(source: random.Random, order: int) -> str:
    """A factor, and further ones while there is room and a coin says so."""
    factors = []
    while order > 1 and (not factors or source.random() < 0.5):
        factor, size = source.choice(source.choice([kind for kind in _factors(order) if kind]))
        factors.append(factor)
        order //= size
    return "x".join(factors)


@lru_cache(maxsize=128)
def _factors(order: int) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Names and orders of the factors up to an order, kind by kind."""
    cyclic = tuple((f"C{n}", n) for n in range(2, order + 1))
    dihedral = tuple((f"D{n}", 2 * n) for n in range(3, order // 2 + 1))
    quaternion = tuple((f"Q{n}", n) for n in range(8, order + 1, 4))
    metacyclic = tuple((f"C{p}:C{m}", p * m) for p in PRIMES for m in range(3, p) if (p - 1) % m == 0 and p * m <= order)
    others = tuple((name, size) for name, size in ORDERS.items() if size <= order)
    return cyclic, dihedral, quaternion, metacyclic, others
