r"""Fewer units for an irrep of dimension 2 with the image of S3: an end of the word is one of three points.

Let p_0, p_1, p_2 be unit vectors of the plane of S3 that add up to zero and are permuted, ``rho(g) p_m = p_g(m)``.

**Three elements take 24 cubes: one end is free.** A matrix of the plane is known by its products with p_0 and p_1, so compose
``rho(g1 g2 g3) p_m`` for m = 0 and 1. Let U cubes, each of a function of a point j, one of a permutation g and one of a point
m, add up to

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

**More elements: both ends are free.** For k elements let units of z^k add up to ``[g(m) = j]`` for the product g of g2, ..,
g_(k-1), and functions that do not depend on j or not on m. Then the sum over i and m of ``p_i p_m'`` times their value at ``j =
g1^-1(i)`` and ``g_k(m)`` is ``3/2 rho(g1 .. g_k)``, so nine times as many units compose k elements. With the signs e_n = 1 at n
and -1 elsewhere, and t_n = p_n - p_0, ``[g(m) = j]`` is the sum over n and l in {1, 2} of ``e_n(j) e_l(m) t_n' rho(g) t_l /
6``. The part of ``(e_n + e_l + S)^k`` that is odd in both signs is ``e_n e_l`` times a polynomial in S of degree k - 2.

* Any k: ``t_n' rho(g) t_l`` is a sum of ``2^(k-3)`` paths, and each of these is a sum of ``2^(k-3)`` powers of degree k - 2,
  with signs that leave no lower power: ``9 4^(k-2)`` units.
* k = 4: the polynomial is 12 S^2 + 8. With ``x = rho(g2)' t_n`` and ``y = rho(g3) t_l`` the two units of S = x_a + y_a have
  ``e_n e_l`` times ``12 |x + y|^2 + 16 = 24 <x, y> + 88``. These are eight, and 72 units for the plane. They leave 88 times the
  sum of ``e_n e_l``, which is ``e_0 e_0``, as ``e_1 + e_2 = -1 - e_0``. Written to all ends this is four products: the sum over
  i of ``p_i e_0(g1^-1(i))`` is that of ``t_i (e_0(g1^-1(i)) + 1/3)`` for i = 1 and 2. Each product is one unit and a constant,

      (e + e' + c)^4 = (8 + 12 c^2) (e + 1/3) (e' + 1/3) + constant,        where 3 c^3 - 3 c^2 + 12 c = 2,

  because its parts in e and in e e' are ``4 c^3 + 16 c`` and ``8 + 12 c^2``. So the plane takes 76 units and leaves a constant.

Source: derived here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Any, NamedTuple

import sympy

from theory.groups.irreps import Irrep

__all__ = ["Cube", "four_cubes", "is_triangle", "triangle_units"]

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


def triangle_units(length: Any) -> Any:
    """Return units of z^length that compose so many elements in an irrep with the image of S3: 24, 76, and 9 4^(length - 2).

    Those of four elements leave a constant.

    Args:
        length: Number of elements, at least 3; a symbol stands for 5 or more.

    >>> [triangle_units(length) for length in (3, 4, 5, sympy.Symbol("k"))]
    [24, 76, 576, 9*4**(k - 2)]
    """
    return {3: 24, 4: 76}.get(length, 9 * 4 ** (length - 2))


def is_triangle(irrep: Irrep) -> bool:
    """Return whether an irrep has dimension 2 and the image of S3, by its character.

    >>> from theory.groups import group
    >>> [sum(map(is_triangle, group(name).irreps)) for name in ("S3", "D4", "D6", "S4", "D5", "S3xC3", "Q8")]
    [1, 0, 1, 1, 0, 1, 0]
    """
    return irrep.dimension == 2 and all(value in _TRACES for value in irrep.character)


def _difference(g: tuple[int, ...], n: int) -> int:
    return int(g[1] == n) - int(g[2] == n)


def _cube(
    divisor: int, point: Iterable[int], letter: Iterable[int], end: Iterable[int], factor: sympy.Expr = sympy.S.One
) -> Cube:
    """The cube with the factor in what it reads of g and m."""
    read = [tuple(factor * value for value in values) for values in (letter, end)]
    return Cube(sympy.Rational(1, divisor), tuple(map(sympy.Integer, point)), *read)
