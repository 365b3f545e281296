r"""Groups of affine maps with integer matrices: which of them fix a point, and how many linear parts they have.

A finite group of affine maps fixes the mean of an orbit. About that point its maps are linear, so the group is isomorphic to
the group of its linear parts. Conversely, maps that fix a common point and whose linear parts generate a finite group
generate a finite group. Maps are homogenised, ``[[A, b], [0, 1]]``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from theory.checks import positive_integer
from theory.exact.linear import rank

__all__ = ["affine_map", "commuting_pairs", "has_common_fixed_point", "linear_order", "polygon_symmetries"]

ROTATIONS = {3: ((0, -1), (1, -1)), 4: ((0, -1), (1, 0)), 6: ((1, -1), (1, 0))}  # integer matrices of order 3, 4, 6
SPACE = 3  # dimension in which all pairs are given


def affine_map(a: Sequence[Sequence[int]] | np.ndarray, b: Sequence[int] | np.ndarray) -> np.ndarray:
    """The homogenised map ``h -> A h + b``, a square integer matrix one larger than A.

    >>> affine_map([[-1]], [3]).tolist()
    [[-1, 3], [0, 1]]
    """
    size = len(a)
    return np.block([[np.asarray(a), np.asarray(b)[:, None]], [np.zeros((1, size), int), np.ones((1, 1), int)]])


def has_common_fixed_point(maps: Sequence[np.ndarray]) -> bool:
    """Whether some point c satisfies ``A c + b = c`` for every map ``[[A, b], [0, 1]]``.

    Exact ranks over the rationals decide whether ``(A - 1) c = -b`` has a common solution. Cost: one elimination.

    >>> shift, turn = affine_map([[1]], [1]), affine_map([[-1]], [3])
    >>> has_common_fixed_point([turn]), has_common_fixed_point([turn, shift])
    (True, False)
    """
    system = np.concatenate([(np.asarray(m) - np.eye(len(m), dtype=int))[:-1] for m in maps])
    return rank(system[:, :-1]) == rank(system)


def linear_order(maps: Sequence[np.ndarray], most: int = 1000) -> int:
    """Number of elements of the group that the linear parts of the maps generate.

    Args:
        maps: Homogenised integer maps whose linear parts are invertible and generate a finite group.
        most: Largest order that is looked for.

    Raises:
        ValueError: The linear parts generate more than ``most`` matrices.

    >>> linear_order([affine_map([[0, -1], [1, 0]], [5, 0])])
    4
    """
    positive_integer("most", most, "the largest order that is looked for")
    steps = [np.asarray(m)[:-1, :-1] for m in maps]
    queue = [np.eye(len(steps[0]), dtype=steps[0].dtype)]
    seen = {queue[0].tobytes()}
    for element in queue:  # grows while it is walked
        for step in steps:
            product = element @ step
            if product.tobytes() not in seen:
                seen.add(product.tobytes())
                queue.append(product)
        if len(queue) > most:
            raise ValueError(f"the linear parts generate more than {most} matrices; raise `most` if the group is finite")
    return len(queue)


def commuting_pairs(sides: int, drawn: int, seed: int) -> np.ndarray:
    """Pairs of affine maps of space whose linear parts commute, shape (pairs, 2, 4, 4).

    First come all pairs of maps of the plane with translations in {-1, 0, 1}^2, whose linear parts are powers of a rotation, or
    diagonal signs; they leave the third coordinate as it is. Then random pairs of space: the linear parts are powers of the
    rotation beside a sign, signed powers of the cyclic permutation of the coordinates, or diagonal signs. Every other one of
    these pairs fixes a common point.

    Args:
        sides: Order of the rotation: 3, 4 or 6.
        drawn: Number of random pairs.
        seed: The same seed gives the same pairs.

    >>> commuting_pairs(4, 10, seed=0).shape
    (1270, 2, 4, 4)
    """
    turns = [np.linalg.matrix_power(np.array(ROTATIONS[sides]), k) for k in range(sides)]
    flat = [[_in_space(a) for a in turns], [_in_space(np.diag(s)) for s in itertools.product((1, -1), repeat=2)]]
    shifts = [(*b, 0) for b in itertools.product((-1, 0, 1), repeat=2)]
    pairs = [p for family in flat for p in itertools.combinations([affine_map(a, b) for a in family for b in shifts], 2)]
    cycle = np.roll(np.eye(SPACE, dtype=int), 1, axis=0)
    families = (
        [_in_space(a, sign) for a in turns for sign in (1, -1)],
        [sign * np.linalg.matrix_power(cycle, k) for k in range(SPACE) for sign in (1, -1)],
        [np.diag(s) for s in itertools.product((1, -1), repeat=SPACE)],
    )
    rng = np.random.default_rng(seed)
    for index in range(drawn):
        family, point = families[index % len(families)], rng.integers(-1, 2, SPACE)
        linear = [family[i] for i in rng.integers(0, len(family), 2)]
        shift = [point - a @ point if index // len(families) % 2 else rng.integers(-1, 2, SPACE) for a in linear]
        first, second = (affine_map(a, b) for a, b in zip(linear, shift, strict=True))
        pairs.append((first, second))
    return np.array(pairs)


def polygon_symmetries(permutations: Sequence[Sequence[int]]) -> np.ndarray:
    """Signs s and steps j of the symmetries i -> s i + j of a polygon's corners, one row for each permutation of the corners.

    >>> polygon_symmetries([(1, 2, 0), (0, 2, 1)]).tolist()
    [[1, 1], [-1, 0]]
    """
    return np.array([(1 if (p[1] - p[0]) % len(p) == 1 else -1, p[0]) for p in permutations])


def _in_space(plane: np.ndarray, last: int = 1) -> np.ndarray:
    space = np.diag([1] * (SPACE - 1) + [last])
    space[:2, :2] = plane
    return space
