"""The lower bound on the units that compose two elements, counted from the Cayley table, without irreps.

The ideals of the real group algebra are as many as the classes of g and g^-1 together, the trivial one among them. A sign is a
homomorphism onto 1 and -1: there is one if the squares do not generate the group. Only S3 and D4 have one real irrep of
dimension 2 and signs alone: t signs and the trivial irrep are as many as the index of the commutator subgroup, which divides
4 + t + 1.
"""

import numpy as np
from jaxtyping import Int


def counted_bound(table: Int[np.ndarray, "order order"]) -> int:
    """Return ``2 (|G| - 1) - t``, one more if the group has a sign, and one more for S3 and D4.

    Args:
        table: The Cayley table; element 0 is the identity.

    >>> counted_bound(np.add.outer(range(3), range(3)) % 3), counted_bound(np.array([[0, 1], [1, 0]]))
    (3, 2)
    """
    order, letters = len(table), np.arange(len(table))
    inverses = np.argmin(table, axis=1)
    conjugates = table[table, inverses[:, None]]  # h g h^-1, at h and g
    classes = {min(*conjugates[:, g], *conjugates[:, inverses[g]]) for g in letters}
    abelian, involutions = bool((table == table.T).all()), int((np.diag(table) == 0).sum()) - 1
    special = not abelian and (order == 6 or (order == 8 and involutions == 5))
    return 2 * (order - 1) - (len(classes) - 1) + (len(_generated(table, np.diag(table))) < order) + special


def _generated(table: np.ndarray, some: np.ndarray) -> np.ndarray:
    """The elements of the subgroup that some elements generate."""
    found = np.unique(some)
    while len(more := np.unique(table[np.ix_(found, found)])) > len(found):
        found = more
    return found
