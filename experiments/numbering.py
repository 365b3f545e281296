"""Copies of a finite group that number its elements otherwise: claims draw them, so that no statement rests on a numbering."""

from collections.abc import Sequence

import numpy as np

__all__ = ["numbered", "renumbered"]


def numbered(order: int, numbering: int) -> np.ndarray:
    """Return which element of a group is the first, the second, ... one of its copy, shape (order,).

    The identity stays the first one.

    Args:
        order: Of the group.
        numbering: The same number gives the same order of elements; 0 leaves them.

    >>> numbered(4, 0).tolist(), int(numbered(4, 7)[0])
    ([0, 1, 2, 3], 0)
    """
    if not numbering:
        return np.arange(order)
    return np.append(0, 1 + np.random.default_rng(numbering).permutation(order - 1))


def renumbered(numbering: int, table: np.ndarray, irreps: Sequence[tuple] = ()) -> tuple[np.ndarray, list[tuple]]:
    """Return the Cayley table and the representations of a group whose elements are numbered otherwise.

    Args:
        numbering: As of `numbered`.
        table: The Cayley table.
        irreps: Kind, matrices, and whatever follows, of representations.

    >>> renumbered(7, [[0, 1, 2], [1, 2, 0], [2, 0, 1]])[0].tolist()  # of order 3 all tables are alike
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    old = numbered(len(table), numbering)
    new = np.argsort(old)
    return new[np.asarray(table)[np.ix_(old, old)]], [(kind, np.asarray(m)[old], *rest) for kind, m, *rest in irreps]
