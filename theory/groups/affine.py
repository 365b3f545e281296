r"""Groups of affine maps with integer matrices: which of them fix a point, and how many linear parts they have.

A finite group of affine maps fixes the mean of an orbit. About that point its maps are linear, so the group is isomorphic to
the group of its linear parts. Conversely, maps that fix a common point and whose linear parts generate a finite group
generate a finite group. Maps are homogenised, ``[[A, b], [0, 1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theory.checks import positive_integer
from theory.exact.linear import rank

__all__ = ["affine_map", "has_common_fixed_point", "linear_order"]


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
