"""The group axioms, checked for a Cayley table that a user gives; an error names the axiom that fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depthjax.refusal import refusing
from theory.groups.closure import table_dtype
from theory.groups.expected import square_of_integers

__all__ = ["checked_table"]


@refusing(square_of_integers)
def checked_table(table: Sequence[Sequence[int]] | np.ndarray) -> np.ndarray:
    """The table of a group as an integer array, after a check of every axiom.

    Associativity is Light's test: if (x g) y = x (g y) for all x, y and every g of a generating set, then for all g.
    Cost: O(order^2) for each of about log2(order) generators.

    Raises:
        ValueError: Names the axiom that fails and the first elements that break it.
    """
    array = np.asarray(table)
    n = len(array)
    if array.shape != (n, n) or n == 0 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"a Cayley table is a square array of integers, not {array.dtype} of shape {array.shape}")
    outside = (array < 0) | (array >= n)
    if outside.any():
        g, h = np.argwhere(outside)[0]
        counted = array.min() == 1 and array.max() == n
        hint = "; the entries are 1 .. n, as in GAP: subtract 1 from each" if counted else ""
        raise ValueError(f"closure: {g}*{h} = {array[g, h]} is not one of the elements 0 .. {n - 1}{hint}")
    for g in range(n):
        if array[0, g] != g or array[g, 0] != g:
            raise ValueError(f"identity: element 0 must be neutral, but 0*{g} = {array[0, g]} and {g}*0 = {array[g, 0]}")
    array = array.astype(table_dtype(n))
    for h in _magma_generators(array):
        left, right = array[array[:, h]], array[:, array[h]]  # (gh)k and g(hk)
        if (left != right).any():
            g, k = np.argwhere(left != right)[0]
            raise ValueError(f"associativity: ({g}*{h})*{k} = {left[g, k]} but {g}*({h}*{k}) = {right[g, k]}")
    for g in range(n):
        if 0 not in array[g]:
            raise ValueError(f"inverses: element {g} has none")
    return array


def _magma_generators(table: np.ndarray) -> list[int]:
    """Elements whose products, in any bracketing, give all elements."""
    reached = np.zeros(len(table), dtype=bool)
    reached[0] = True
    generators = []
    while not reached.all():
        generators.append(int(np.argmin(reached)))
        reached[generators[-1]] = True
        size = 0
        while size != (size := int(reached.sum())):
            members = np.flatnonzero(reached)
            reached[table[np.ix_(members, members)].ravel()] = True
    return generators
