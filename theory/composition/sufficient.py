r"""The narrowest networks that are known to compose k elements with one hidden layer of z^k, for each irrep and for groups.

Units of different irreps are added, so each irrep takes the construction that is narrowest for it. Linear characters of one
kernel are functions of one cyclic quotient, which is composed by counting (`theory.composition.counts`). Where units read a
constant (a bias, or the mean of a code that is not centred), all irreps share one unit for the constants that their own units
leave.

**Characters of order 3 and 4 take three squares.** Composing two of them is multiplying complex numbers, which takes three
products of real numbers. For order 3 see `ORDER_THREE`. For order 4 take the functions a, b = cos A +- sin A with values 1 and
-1, A = pi g/2. The product has the parts aa' - bb' and ab' + ba', and (2a + b)^2 = 5 + 4 ab, (2b - a)^2 = 5 - 4 ab. So the
parts of one letter cancel, up to constants, in the combinations with x = y + z of

    x ((2a + b) + (2a' + b'))^2 + y ((2a - b) - (2a' - b'))^2 + z ((2b - a) - (2b' - a'))^2,

and both parts of the product are such combinations. The constant is a^2. With the square of its sign, (s + s')^2 = 2 + 2 s s',
the group of order 4 takes five units, which is the bound. Other orders: `theory.composition.angles`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import sympy

from theory.composition.angles import angle_squares
from theory.composition.bilinear import Typed, products
from theory.composition.counts import ORDER_THREE
from theory.composition.lengths import word_length
from theory.composition.orthogonal import cube_units, distance_units
from theory.composition.quaternions import UNITS, is_quaternion
from theory.composition.triangle import is_triangle, triangle_units
from theory.composition.widths import counting_width, two_layer_width, two_layer_width_expr
from theory.groups import FiniteGroup

__all__ = ["ORDER_FOUR", "any_length", "sufficient"]

ORDER_FOUR: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = (((2, 1), (2, 1)), ((2, -1), (-2, 1)), ((-1, 2), (1, -2)))
"""Coefficients of a, b and of a', b' in the three units for a pair of characters of order 4."""


class _Type(NamedTuple):
    dimension: int
    kind: str


def sufficient(g: FiniteGroup, length: int) -> dict[str, int]:
    """Return the widths of one hidden layer of z^length that composes elements, by construction, the narrowest first.

    Raises:
        TypeError: `g` is no group.
        ValueError: The length is not an integer >= 1.
        TooExpensive: The widths have too many digits, see `theory.cost`.

    >>> from theory.groups import group
    >>> [min(sufficient(group(name), 2).values()) for name in ("C2", "C2xC2", "C3", "C4", "C3xC3", "S3", "Q8")]
    [2, 4, 3, 5, 12, 10, 12]
    """
    if not isinstance(g, FiniteGroup):
        raise TypeError(f"g = {g!r:.60}: expected a group, such as theory.groups.group('S3').")
    length = word_length(length, sizes=[4 * g.order])
    irreps = g.irreps[1:]
    found = {"one unit for each sign of each path": two_layer_width(irreps, length)}
    if not irreps:
        return found
    if length > 1 and g.is_abelian:
        found["counting, for units that read a constant"] = counting_width(g.order, length) - 1
    if length == 2:
        found["schemes of matrix multiplication"] = 2 * products(irreps)
        found["squared distances"] = distance_units(irreps)
    if length == 3:
        found["one cube for each path, for a code with all its coefficients"] = cube_units(irreps)
    if length > 1:
        found["the narrowest for each irrep, for units that read a constant"] = _each(g, length)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def any_length(g: FiniteGroup, length: sympy.Symbol) -> sympy.Expr:
    """Return the least known width as a formula in the length; at every length from 2 on it is the least of `sufficient`.

    >>> from theory.groups import group
    >>> any_length(group("A5"), sympy.Symbol("k"))
    Piecewise((244, Eq(k, 2)), (1218, Eq(k, 3)), (2**(k - 1)*(6*3**k + 4*4**k + 5*5**k), True))
    """
    irreps = g.irreps[1:]
    paths = sympy.factor(two_layer_width_expr(irreps, length))
    orders, planes = _orders(g), sum(map(is_triangle, irreps))
    widths: list[Any] = [] if {2, 3} & set(orders) else [paths]
    if orders:
        rest = [irrep for irrep in irreps if irrep.dimension > 1 and not is_triangle(irrep)]
        terms = [number * _narrowest(m, length) for m, number in orders.items()]
        terms.append(planes * triangle_units(length))
        widths.append(sympy.Add(*terms) + sympy.factor(two_layer_width_expr(rest, length)) + 1)
    if g.is_abelian and irreps:
        widths.append(sympy.binomial(length + g.order - 1, g.order - 1) - 1)
    general = sympy.Min(*widths)
    exact = [(sympy.Integer(min(sufficient(g, k).values())), sympy.Eq(length, k)) for k in ((2, 3, 4) if planes else (2, 3))]
    return sympy.Piecewise(*exact, (general, True))


def _each(g: FiniteGroup, length: int) -> int:
    """The least units for each irrep, and one for the constant if one of them leaves a constant."""
    linear = _summed([(number, _of_characters(m, length)) for m, number in _orders(g).items()])
    choices = [(1, [linear, (angle_squares(g), True)] if length == 2 else [linear])]
    larger = Counter((irrep.kind, irrep.dimension) for irrep in g.irreps if irrep.dimension > 1)
    if length == 2:
        quaternions = sum(map(is_quaternion, g.irreps))
        larger["quaternionic", 2] -= quaternions
        choices.append((quaternions, [(UNITS, True)]))
    if length > 2:
        planes = sum(map(is_triangle, g.irreps))
        larger["real", 2] -= planes
        choices.append((planes, [(triangle_units(length), False)]))  # a constant is left anyway, by the sign of the plane
    choices += [(1, _of_matrices([_Type(n, kind)] * number, length)) for (kind, n), number in larger.items() if number]
    units, constant = _summed(choices)
    return units + constant


def _summed(choices: list[tuple[int, list[tuple[int, bool]]]]) -> tuple[int, bool]:
    """The units of the least of each choice, so many times, and whether one of these leaves a constant."""
    chosen = [(number, min(costs)) for number, costs in choices]
    return sum(number * units for number, (units, _) in chosen), any(number and constant for number, (_, constant) in chosen)


def _of_characters(m: int, length: int) -> list[tuple[int, bool]]:
    """Units for all characters of order m with one kernel, by construction, and whether they leave a constant."""
    found = [(int(_paths(m, length)), False), (int(_counts(m, length)), True)]
    if m == 3 and length in ORDER_THREE:
        found.append((3, False) if length == 2 else (len(ORDER_THREE[length]) - 1, True))
    return found


def _of_matrices(irreps: Sequence[Typed], length: int) -> list[tuple[int, bool]]:
    """Units for irreps of one kind and dimension, more than 1, by construction, and whether they leave a constant."""
    found = [(two_layer_width(irreps, length), False)]
    if length == 2:
        row = irreps[0].dimension * (1 if irreps[0].kind == "real" else 2)
        found += [(2 * products(irreps), False), (distance_units(irreps) - row, True)]
    if length == 3:
        found.append((cube_units(irreps) - (len(irreps) > 1), True))
    return found


def _orders(g: FiniteGroup) -> dict[int, int]:
    """The orders of the linear characters, and how many kernels belong to each."""
    characters = g.characters
    linear = (row for row, degree in zip(characters.residues, characters.degrees, strict=True) if degree == 1)
    orders = Counter(len(set(row.tolist())) for row in linear)  # the values are all roots of unity of this order
    return {m: number // _totient(m) for m, number in sorted(orders.items()) if m > 1}


def _totient(m: int) -> int:
    return int(sympy.totient(m))


def _narrowest(m: int, length: sympy.Symbol) -> sympy.Expr:
    """The narrower of `_paths` and `_counts`, which is counting at every length from 2 on if m is 2 or 3."""
    counts = sympy.expand_func(_counts(m, length)) if m <= 4 else _counts(m, length)
    return counts if m <= 3 else sympy.Min(_paths(m, length), counts)


def _paths(m: int, length: Any) -> Any:
    """The units of `two_layer_width` for the characters of order m with one kernel."""
    return 2 ** (length - 1) if m == 2 else _totient(m) // 2 * 2 ** (length - 1) * (length + 1)


def _counts(m: int, length: Any) -> Any:
    """The units of counting in a cyclic group of order m but for the constant that they share."""
    return (comb if isinstance(length, int) else sympy.binomial)(length + m - 1, m - 1) - 2
