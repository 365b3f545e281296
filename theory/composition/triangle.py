r"""Three elements in 24 cubes for an irrep of dimension 2 with the image of S3: one end of the word is one of three points.

Let p_0, p_1, p_2 be vectors of the plane of S3 that add up to zero and are permuted, ``rho(g) p_m = p_g(m)``. An element of
the plane is known by its products with p_0 and p_1, so compose ``rho(g1 g2 g3) p_m`` for m = 0 and 1.

**One end is free.** Let U cubes, each of a function of a point j, one of a permutation g and one of a point m, add up to

    F(j, g, m) = [g(m) = j] + h(g, m),        whatever h is.

Then ``sum_i p_i F(g1^-1(i), g2, g3(m)) = rho(g1 g2 g3) p_m``, because the p_i add up to zero and h does not depend on i. So 6 U
units compose three elements, and no constant is left. What they read of a letter is an entry of rho and a constant.

**Four cubes.** Let c = g(0) and f = [m = 1] - [m = 2]. Two cubes are, with x = (33, 13, -27) and y = (-4, -2, 6), and again
with the entries 1 and 2 of x and y exchanged,

    (x(j) + y(c) - 15 [m = 0])^3 / 19200.

Two more have n = 1 and n = 2, with e = 1 at j = n and -1 elsewhere, and ``d_n = [g(1) = n] - [g(2) = n]``:

    (132 e(j) + sqrt(30) (4 d_n(g) - 4 d_0(g) + 3 f(m)))^3 / 1140480.

As e^2 = 1, the last two are ``e (132^3 + 396 (..)^2)`` but for functions of g and m. The products of d and f are the part of
[g(m) = j] that changes its sign with f. What remains is a function of j, c and [m = 0].

Fewer than four cubes do not suffice: with g as rows, the part of [g(m) = j] that depends on all three has rank 4, and each cube
adds a product. The sign of S3 takes two units and a constant, so S3 takes 27.

Source: derived here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple

import sympy

from theory.groups.irreps import Irrep

__all__ = ["TRIANGLE_UNITS", "Cube", "four_cubes", "triangles"]

TRIANGLE_UNITS = 24
"""Units of z^3 that compose three elements in an irrep of dimension 2 whose image is that of S3."""

_TRACES = (-1, 0, 2)  # of the symmetries of a triangle
_POINT, _IMAGE = (33, 13, -27), (-4, -2, 6)


class Cube(NamedTuple):
    """The cube of a sum of three functions.

    Attributes:
        weight: Its factor.
        point: The function of the point j, 3 values.
        letter: The function of the permutation g, 6 values, in the order of `itertools.permutations`.
        end: The function of the point m, 3 values.
    """

    weight: sympy.Expr
    point: tuple[sympy.Expr, ...]
    letter: tuple[sympy.Expr, ...]
    end: tuple[sympy.Expr, ...]


def four_cubes() -> tuple[Cube, ...]:
    """Return the four cubes that add up to [g(m) = j] and a function of g and m.

    >>> [cube.point for cube in four_cubes()]
    [(33, 13, -27), (33, -27, 13), (-132, 132, -132), (-132, -132, 132)]
    """
    found = []
    for order in ((0, 1, 2), (0, 2, 1)):
        point, image = ([values[i] for i in order] for values in (_POINT, _IMAGE))
        found.append(_cube(19200, point, [image[g[0]] for g in permutations(range(3))], (-15, 0, 0)))
    for n in (1, 2):
        letter = [4 * _difference(g, n) - 4 * _difference(g, 0) for g in permutations(range(3))]
        point = [132 if j == n else -132 for j in range(3)]
        found.append(_cube(1140480, point, letter, (0, 3, -3), sympy.sqrt(30)))
    return tuple(found)


def triangles(irreps: Iterable[Irrep]) -> int:
    """Return the number of irreps of dimension 2 whose image is that of S3, by their characters.

    >>> from theory.groups import group
    >>> [triangles(group(name).irreps) for name in ("S3", "D4", "D6", "S4", "D5", "S3xC3", "Q8")]
    [1, 0, 1, 1, 0, 1, 0]
    """
    return sum(irrep.dimension == 2 and all(value in _TRACES for value in irrep.character) for irrep in irreps)


def _difference(g: tuple[int, ...], n: int) -> int:
    return int(g[1] == n) - int(g[2] == n)


def _cube(
    divisor: int, point: Iterable[int], letter: Iterable[int], end: Iterable[int], factor: sympy.Expr = sympy.S.One
) -> Cube:
    """The cube with the factor in what it reads of g and m."""
    read = [tuple(factor * value for value in values) for values in (letter, end)]
    return Cube(sympy.Rational(1, divisor), tuple(map(sympy.Integer, point)), *read)
