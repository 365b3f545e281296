"""Iterated commutators: words that show how many abelian stages a group needs.

delta_0(x) = x and delta_{j+1} = [delta_j, delta_j'] with fresh letters. Every group of derived length at most j satisfies
delta_j = 1, in particular every cascade of j abelian layers in which inverse letters act inversely. The values of delta_j
generate the j-th derived subgroup. So a group of derived length k has a non-trivial value of delta_{k-1}: a word that returns
any k - 1 abelian stages to their start although its product is not 1.
"""

from __future__ import annotations

import numpy as np

from theory.groups.table import CayleyTable

__all__ = ["iterated_commutator"]


def iterated_commutator(group: CayleyTable, depth: int) -> tuple[int, ...] | None:
    """An iterated commutator of some depth whose product is not 1, as a word of 4^depth elements; None if there is none.

    Commutators are a^-1 b^-1 a b. Letters are elements and inverses of elements. O(depth * order^2).

    >>> from theory.groups import group
    >>> len(iterated_commutator(group("S4"), 2)), iterated_commutator(group("S4"), 3)
    (16, None)
    """
    table, inverses = group.table, group.inverses
    words: dict[int, tuple[int, ...]] = {g: (g,) for g in range(1, group.order)}
    for _ in range(depth):
        values = np.array(sorted(words), dtype=int)
        a, b = values[:, None], values[None, :]
        products = table[table[inverses[a], inverses[b]], table[a, b]]
        following = {}
        for value, flat in zip(*np.unique(products, return_index=True), strict=True):
            if value:
                i, j = divmod(int(flat), len(values))
                first, second = words[int(values[i])], words[int(values[j])]
                following[int(value)] = (*_inverse(group, first), *_inverse(group, second), *first, *second)
        words = following
        if not words:
            return None
    return words[min(words)] if words else None


def _inverse(group: CayleyTable, word: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(group.inverses[g]) for g in reversed(word))
