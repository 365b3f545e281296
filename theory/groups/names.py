"""Names of the elements of a group: cycles, pairs, or words in generators."""

from __future__ import annotations

import itertools
import string

import numpy as np

from theory.caching import once_per_object
from theory.groups.table import CayleyTable, Permutation

__all__ = ["cycles", "element_name", "element_names"]

IDENTITY = "e"


@once_per_object
def element_names(group: CayleyTable) -> tuple[str, ...]:
    """The name of each element; the identity is "e".

    A direct product has pairs. A group of permutations has cycles of the points 1, 2, ..., unless it is regular: then every
    point stands for one element, and cycles would say less than words. All other groups have shortest words in generators a, b,
    .., with powers; in a cyclic group these are the powers of a.

    Cost: O(order * generators), or the number of all points.

    >>> from theory.groups import group
    >>> group("S3").names, group("C4").names
    (('e', '(1 2 3)', '(1 2)', '(1 3 2)', '(1 3)', '(2 3)'), ('e', 'a', 'a^2', 'a^3'))
    >>> group("C2xC3").names[:4]
    ('(e, e)', '(e, a)', '(e, a^2)', '(a, e)')
    """
    return tuple(element_name(group, element) for element in range(group.order))


def element_name(group: CayleyTable, element: int) -> str:
    """The name of one element, without the names of the others where they are not needed.

    >>> from theory.groups import group
    >>> element_name(group("S3xC2"), 3)
    '((1 2 3), a)'
    """
    if group.factors:
        places = np.unravel_index(element, [factor.order for factor in group.factors])
        return f"({', '.join(element_name(*pair) for pair in zip(group.factors, map(int, places), strict=True))})"
    if group.permutations and len(group.permutations[0]) != group.order:
        return cycles(group.permutations[element])
    return _words(group)[element]


def cycles(permutation: Permutation) -> str:
    """A permutation of 0 .. n-1 as its cycles on the points 1 .. n, fixed points left out.

    >>> cycles((1, 0, 3, 4, 2)), cycles((0, 1))
    ('(1 2)(3 4 5)', 'e')
    """
    seen, found = set(), ""
    for start in range(len(permutation)):
        cycle, point = [], start
        while point not in seen:
            seen.add(point)
            cycle.append(point + 1)
            point = permutation[point]
        if len(cycle) > 1:
            found += f"({' '.join(map(str, cycle))})"
    return found or IDENTITY


@once_per_object
def _words(group: CayleyTable) -> tuple[str, ...]:
    words: dict[int, str] = {0: ""}
    letters = dict(zip(string.ascii_lowercase, group.generators, strict=False))
    queue = [0]
    for element in queue:  # grows while it is walked
        for letter, generator in letters.items():
            product = int(group.table[element, generator])
            if product not in words:
                words[product] = words[element] + letter
                queue.append(product)
    return tuple(_powers(words[element]) for element in np.arange(group.order).tolist())


def _powers(word: str) -> str:
    runs = [(letter, len(list(run))) for letter, run in itertools.groupby(word)]
    return " ".join(letter if length == 1 else f"{letter}^{length}" for letter, length in runs) or IDENTITY
