"""What the exact zeros of transition matrices say, whatever the other numbers are.

Entry (i, j) is an edge from j to i if it is not zero for some letter. The strongly connected parts of this graph are the blocks
of a block triangular form that all letters share. A part is small if it is one coordinate, or two on which every letter is the
matrix [[c, -s], [s, c]] of a complex number c + i s. If all parts are small, the letters are triangular in one basis (complex
where parts are numbers), so their Lie algebra is solvable. Let the longest path between parts have L edges. Then products of
L + 1 strictly triangular matrices vanish. [g, g] is strictly triangular, and the k-th derived algebra lies in products of
2^(k-1) of them, so the derived length is at most 1 + ceil(log2(L + 1)).
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Complex, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


@dataclasses.dataclass(frozen=True)
class Pattern:
    """The block triangular form that matrices share by their exact zeros.

    Attributes:
        parts: Coordinates of each part.
        small: Whether each part is one coordinate, or a complex one.
        below: Whether some letter maps part j to part i, `below[i, j]`.
        path: Edges of the longest path between parts.
    """

    parts: tuple[Int[np.ndarray, " _"], ...]
    small: tuple[bool, ...]
    below: Bool[np.ndarray, "parts parts"]
    path: int

    @property
    def is_triangular(self) -> bool:
        """Whether all parts are small, so that the letters are triangular in one basis."""
        return all(self.small)

    @property
    def is_diagonal(self) -> bool:
        """Whether no part acts on another one, and all are small."""
        return self.path == 0 and self.is_triangular


def triangular_length(path: int) -> int:
    """Return the largest derived length of triangular matrices in which products of `path` + 1 strict parts vanish.

    >>> [triangular_length(path) for path in (0, 1, 2, 3, 4)]
    [1, 2, 3, 3, 4]
    """
    return 1 + math.ceil(math.log2(path + 1))


def shared_pattern(matrices: Float[np.ndarray, "letters size size"]) -> Pattern:
    """Return the block triangular form that the exact zeros of matrices give them."""
    edges = (matrices != 0).any(axis=0)
    count, labels = connected_components(csr_array(edges), directed=True, connection="strong")
    parts = tuple(np.flatnonzero(labels == part) for part in range(count))
    member = np.eye(count, dtype=bool)[labels]
    below = (member.T.astype(np.int64) @ edges @ member) > 0
    np.fill_diagonal(below, False)
    small = tuple(len(part) == 1 or _is_number(matrices, part) for part in parts)
    return Pattern(parts, small, below, _longest_path(below))


def allowed(pattern: Pattern, size: int) -> Bool[np.ndarray, "size size"]:
    """Return where matrices in the algebra of all products of letters may have entries."""
    count = len(pattern.parts)
    reach = pattern.below | np.eye(count, dtype=bool)
    for _ in range(max(count - 1, 1).bit_length()):
        reach = (reach.astype(np.int64) @ reach) > 0
    labels = np.empty(size, int)
    for part, coordinates in enumerate(pattern.parts):
        labels[coordinates] = part
    return reach[labels][:, labels]


def evening_scales(matrices: Float[np.ndarray, "letters size size"], pattern: Pattern) -> Float[np.ndarray, " size"]:
    """Return powers of two s such that the blocks between parts of all s_i^-1 m_ij s_j are of the size of the matrices.

    A similarity changes nothing algebraic. The exponents are the least squares of log2(block) - s_i + s_j.
    """
    size = matrices.shape[-1]
    blocks = np.argwhere(pattern.below)
    scales = np.ones(size)
    if not len(blocks):
        return scales
    largest = np.abs(matrices).max(axis=0)
    rows, wanted = np.zeros((len(blocks), len(pattern.parts))), np.zeros(len(blocks))
    for row, (i, j) in enumerate(blocks):
        rows[row, i], rows[row, j] = 1, -1
        wanted[row] = np.log2(largest[np.ix_(pattern.parts[i], pattern.parts[j])].max())
    exponents = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    for part, exponent in zip(pattern.parts, exponents, strict=True):
        scales[part] = 2.0 ** round(exponent)
    return scales


@dataclasses.dataclass(frozen=True)
class DiagonalAffine:
    """Letters that multiply coordinates by numbers and drive them by one more coordinate, which they multiply by a number.

    Attributes:
        coordinates: The row of each coordinate in the matrices; the first of two rows for complex ones.
        second: The second row of a complex coordinate, -1 for a real one.
        weights: What each letter multiplies each coordinate by.
        drives: What each letter adds to each coordinate.
        constant: What each letter multiplies the driving coordinate by: 1 for an affine recurrence, 0 for a flow.
        place: Row of the driving coordinate; -1 if there are no drives.
        turned: Whether the matrices are the transposes of such ones.
    """

    coordinates: Int[np.ndarray, " count"]
    second: Int[np.ndarray, " count"]
    weights: Complex[np.ndarray, "letters count"]
    drives: Complex[np.ndarray, "letters count"]
    constant: Float[np.ndarray, " letters"]
    place: int
    turned: bool


def diagonal_affine(matrices: Float[np.ndarray, "letters size size"], pattern: Pattern) -> DiagonalAffine | None:
    """Return the letters as diagonal ones with drives, or None if they are not of this form."""
    if not pattern.is_triangular or pattern.path > 1:
        return None
    for turned in (False, True):
        below = pattern.below.T if turned else pattern.below
        sources = np.flatnonzero(below.any(axis=0))
        if len(sources) <= 1 and all(len(pattern.parts[source]) == 1 for source in sources):
            return _diagonal_affine(np.swapaxes(matrices, 1, 2) if turned else matrices, pattern.parts, sources, turned)
    return None


def _diagonal_affine(matrices: np.ndarray, parts: Sequence[np.ndarray], sources: np.ndarray, turned: bool) -> DiagonalAffine:
    place = int(parts[sources[0]][0]) if len(sources) else -1
    kept = [part for part in parts if place not in part]
    first = np.array([part[0] for part in kept], int)
    second = np.array([part[1] if len(part) == 2 else -1 for part in kept], int)
    paired = second >= 0
    weights = matrices[:, first, first] + 1j * np.where(paired, matrices[:, second, first], 0.0)
    if place < 0:
        drives, constant = np.zeros_like(weights), np.zeros(len(matrices))
    else:
        drives = matrices[:, first, place] + 1j * np.where(paired, matrices[:, second, place], 0.0)
        constant = matrices[:, place, place]
    return DiagonalAffine(first, second, weights, drives, constant, place, turned)


def _is_number(matrices: np.ndarray, part: np.ndarray) -> bool:
    if len(part) != 2:
        return False
    (a, b), (c, d) = np.moveaxis(matrices[:, part][:, :, part], 0, 2)
    return bool((a == d).all() and (b == -c).all())


def _longest_path(below: np.ndarray) -> int:
    """Edges of the longest path of a graph without circles, by taking away the parts that nothing acts on."""
    left, length = np.ones(len(below), bool), -1
    while left.any():
        free = left & ~(below & left[None]).any(axis=1)
        left &= ~free
        length += 1
    return max(length, 0)
