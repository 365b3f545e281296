"""Named finite groups."""

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from theory.groups.group import FiniteGroup


def group(given: str | Sequence) -> FiniteGroup:
    """A finite group by name, from a Cayley table (numpy array) or from permutations (sequence of tuples).

    Names: ``C7`` cyclic, ``D4`` dihedral *of the square, order 8* (D_n has order 2n), ``Q8`` quaternions, ``S4`` symmetric,
    ``A5`` alternating.

    Raises:
        ValueError: for a name that is not known (the nearest is suggested), or a size the family does not have.

    >>> group("D4").order, group("A5").order
    (8, 60)
    """
    if isinstance(given, np.ndarray):
        return FiniteGroup.from_table(given)
    if not isinstance(given, str):
        return FiniteGroup.from_permutations(given)
    return _named(given)


@lru_cache
def _named(name: str) -> FiniteGroup:
    match = re.fullmatch(r"([A-Z][a-z]*)(\d+)", name)
    family, size = (match[1], int(match[2])) if match else (name, 0)
    makers = {"C": _cyclic, "D": _dihedral, "Q": _quaternion, "S": _symmetric, "A": _alternating}
    if family not in makers or size < 1:
        known = [f"{letter}n" for letter in makers]
        near = difflib.get_close_matches(name, [*known, "Q8", "S3", "S4", "S5", "A4", "A5"], n=2, cutoff=0.3)
        raise ValueError(
            f"no group is named {name!r}; known are {', '.join(known)}" + (f"; near it: {', '.join(near)}" if near else "")
        )
    return FiniteGroup.from_permutations(makers[family](size), name)


def _cycle(points: int, *cycles: Sequence[int]) -> tuple[int, ...]:
    image = list(range(points))
    for cycle in cycles:
        for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            image[i] = j
    return tuple(image)


def _cyclic(n: int) -> list:
    return [_cycle(n, range(n))]


def _dihedral(n: int) -> list:
    if n < 3:
        raise ValueError(f"D{n}: a polygon has at least 3 corners; D3 has order 6")
    return [_cycle(n, range(n)), tuple(-i % n for i in range(n))]


def _quaternion(n: int) -> list:
    if n != 8:
        raise ValueError(f"Q{n}: only Q8, the quaternion group of order 8, is known")
    # left multiplication of 1, i, j, k, -1, -i, -j, -k by i and by j
    return [(1, 4, 3, 6, 5, 0, 7, 2), (2, 7, 4, 1, 6, 3, 0, 5)]


def _symmetric(n: int) -> list:
    return [_cycle(n, range(n)), _cycle(n, range(min(n, 2)))]


def _alternating(n: int) -> list:
    return [_cycle(n, (0, 1, i)) for i in range(2, n)] or [tuple(range(n))]
