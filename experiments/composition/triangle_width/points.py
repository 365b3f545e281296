r"""Explicit weights that compose k elements in planes whose image is S3, and in signs: units read points of a triangle.

Let p_0, p_1, p_2 be unit vectors of a plane that add up to zero and are permuted, ``rho(g) p_m = p_g(m)``. As <p_i, p_j> is 1
or -1/2, ``[g(m) = j]`` is ``(1 + 2 p_j' rho(g) p_m) / 3``, which a code with a mean tells.

* k = 3: for every i, and m = 0 and 1, the four given cubes of a function of ``g_1^-1(i)``, one of g_2 and one of ``g_3(m)``.
  Written to p_i they compose ``rho(g_1 g_2 g_3) p_m``.
* k > 3: for every i and m, units of two signs of points, ``e_n`` at ``g_1^-1(i)`` and ``e_l`` at ``g_k(m)``, and of entries
  between them. Written to 2/3 p_i p_m' they compose ``rho(g_1 .. g_k)``. At k = 4 they leave a multiple of ``e_0 e_0``, which
  four units and a constant take away.

A sign is read by k given points, with a value of a unit for each sign of a letter. The first point has two equal values: its
unit is a constant, which all signs and the mean of the code share.

Source: derived here. Widths and the given numbers are those of `theory.composition.triangle` and `theory.composition.counts`.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from depthjax.constructions.composition.paths import Part, irrep_parts
from depthjax.models.polynomial import TwoLayer
from depthjax.tasks.composition import CompositionTask

SIGNS = np.where(np.eye(3, dtype=bool), 1.0, -1.0)  # e_n at each point
SHIFT = next(c.real for c in np.roots([3, -3, 12, -2]) if c.imag == 0)  # of the unit that is a product and a constant
PERMUTATIONS = np.array(list(itertools.permutations(range(3))))


class Cubes(NamedTuple):
    """Four cubes: factors, and functions of a point, of a permutation (as `PERMUTATIONS` has them), and of a point."""

    weight: Float[np.ndarray, "4"]
    point: Float[np.ndarray, "4 3"]
    letter: Float[np.ndarray, "4 6"]
    end: Float[np.ndarray, "4 3"]


class TriangleNetworks(NamedTuple):
    """The network of the planes, that of the signs but for constants, and the unit of the constants."""

    planes: TwoLayer
    signs: TwoLayer
    constant: TwoLayer


def triangle_weights(
    task: CompositionTask, cubes: Cubes, signs: Float[np.ndarray, "length 2"], *, exchanged: bool = False
) -> TriangleNetworks:
    """Return hidden layers of z^length whose sum composes the code of the task, of as many elements as `signs` has points.

    Args:
        task: Its irreps are the trivial one, signs, and planes whose image is S3; all have a part in its encoding.
        cubes: Those for three elements.
        signs: The values of units at the two signs of a letter, for each unit; those of the first one are equal.
        exchanged: Wrongly, the first letter moves points as the last one does.
    """
    length = len(signs)
    parts = irrep_parts(task.encoding, task.irreps)
    mean, *others = sorted(parts, key=lambda part: (part.size, np.ptp(task.codes @ part.read[0, 0]) > 1e-6))
    one = mean.read[0, 0]
    planes = [unit for part in others if part.size == 2 for unit in _plane(part, task.codes, one, cubes, length, exchanged)]
    found = [unit for part in others if part.size == 1 for unit in _sign(part, one, signs)]
    # what all of them leave is a constant, seen where every letter is the identity
    constant = task.codes[0] - sum(
        sum(task.codes[0] @ read for read in reads) ** length * write for reads, write in planes + found
    )
    idle = [([signs[0, 0] * one] * length, constant / (length * signs[0, 0]) ** length)]
    return TriangleNetworks(*map(_network, (planes, found, idle)))


def frame(matrices: Float[np.ndarray, "order 2 2"]) -> Float[np.ndarray, "3 2"]:
    """Return the unit vectors p_0, p_1, p_2: what a mirror leaves as it is, and the vectors that matrices make of it."""
    mirror = matrices[np.argmin(np.linalg.det(matrices))]
    first = np.linalg.svd(mirror - np.eye(2))[2][1]
    images = matrices @ first
    angles = np.round(np.angle((images[:, 0] + 1j * images[:, 1]) / (first[0] + 1j * first[1])) / (2 * np.pi / 3)) % 3
    return images[[np.argmax(angles == turn) for turn in range(3)]]


def _sign(part: Part, one: np.ndarray, points: np.ndarray) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """What the units of a sign read of each letter, and what they write; they leave a constant."""
    length, read = len(points), part.read[0, 0]
    points = points / np.abs(points).max(axis=1, keepdims=True)
    values = np.array([[(length - n) * a + n * b for n in range(length + 1)] for a, b in points]) ** length
    weights = np.linalg.lstsq(values.T, (-1.0) ** np.arange(length + 1))[0]
    for (a, b), weight in list(zip(points, weights, strict=True))[1:]:
        yield [(a + b) / 2 * one + (a - b) / 2 * read] * length, weight * part.write[0, 0]


def _plane(
    part: Part, codes: np.ndarray, one: np.ndarray, cubes: Cubes, length: int, exchanged: bool
) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """What the units of a plane read of each letter, and what they write."""
    matrices = np.einsum("gf,abf->gab", codes, part.read)
    p = frame(matrices)
    point = (one + 2 * np.einsum("ja,abf,mb->jmf", p, part.read, p)) / 3  # [g(m) = j]
    first = point.swapaxes(0, 1) if exchanged else point
    if length == 3:
        # functions of a permutation as sums of functions of the images of points
        images = np.eye(3)[PERMUTATIONS].reshape(6, 9)  # [g(m) = j] at (m, j)
        middle = np.einsum("umj,jmf->uf", np.linalg.lstsq(images, cubes.letter.T)[0].T.reshape(-1, 3, 3), point)
        dual = np.linalg.inv(p[:2])
        for i, m in itertools.product(range(3), range(2)):
            write = np.einsum("a,b,baf->f", p[i], dual[:, m], part.write)
            for weight, at, letter, end in zip(cubes.weight, cubes.point, middle, cubes.end, strict=True):
                yield [at @ first[i], letter, end @ point[:, m]], weight * write
        return
    inner = list(_between(part, p, one, length))
    for i, m in itertools.product(range(3), repeat=2):
        write = 2 / 3 * np.einsum("a,b,baf->f", p[i], p[m], part.write)
        for weight, n, last, between in inner:
            yield [SIGNS[n] @ first[i], *between, SIGNS[last] @ point[:, m]], weight * write
    if length == 4:
        for i, m in itertools.product((1, 2), repeat=2):
            yield [SIGNS[0] @ first[i] + SHIFT * one, 0 * one, 0 * one, SIGNS[0] @ point[:, m]], _of_product(part, p, i, m)


def _of_product(part: Part, p: np.ndarray, i: int, m: int) -> np.ndarray:
    """What the unit of two ends writes: they take away 88 times ``e_0 e_0`` at all ends."""
    return -2 / 3 * 88 / 144 / (8 + 12 * SHIFT**2) * np.einsum("a,b,baf->f", p[i] - p[0], p[m] - p[0], part.write)


def _between(part: Part, p: np.ndarray, one: np.ndarray, length: int) -> Iterator[tuple[float, int, int, list[np.ndarray]]]:
    """Factors, both signs of points and what is read of the letters between them, of units with the part [g(m) = j]."""
    ends = p - p[0]
    for n, last in itertools.product((1, 2), repeat=2):
        if length == 4:
            row, column = np.einsum("a,abf->bf", ends[n], part.read), np.einsum("abf,b->af", part.read, ends[last])
            yield from ((1 / 144, n, last, [row[a], column[a]]) for a in range(2))
            continue
        letters = length - 2
        factor = 6 * length * (length - 1) * math.factorial(letters) * 2 ** (letters - 1)
        for path in itertools.product(range(2), repeat=letters - 1):
            stations = [ends[n], *np.eye(2)[list(path)], ends[last]]
            entries = [np.einsum("a,abf,b->f", a, part.read, b) for a, b in itertools.pairwise(stations)]
            for sign in itertools.product((1, -1), repeat=letters - 1):
                yield math.prod(sign) / factor, n, last, [s * entry for s, entry in zip((1, *sign), entries, strict=True)]


def _network(units: list[tuple[list[np.ndarray], np.ndarray]]) -> TwoLayer:
    reads = np.array([read for read, _ in units]).swapaxes(0, 1).swapaxes(1, 2)
    return TwoLayer(jnp.asarray(reads), jnp.asarray(np.array([write for _, write in units]).T))
