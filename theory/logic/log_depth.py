"""Depth that grows like log2 of the length: regular languages without positions, reachability and connectivity.

Beside the bounds stand the diameters of a few graphs, by which squarings settle them.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, integral
from theory.checks import integer, positive_integer
from theory.cost import digits, power, refuse
from theory.registry import registered

__all__ = ["FAMILIES", "connectivity", "diameter", "looped_doubling", "reach", "regular_language", "squarings"]

FAMILIES = ("path", "cycle", "lollipop", "star", "binary tree")
"""Graphs whose diameter is known in closed form."""

_LITTLE = "Merrill, Sabharwal, arXiv 2503.03961"


@registered
def regular_language(length: int, *, uniform: bool = False) -> Bound:
    """Return the layers of the published log-depth transformer for any regular language.

    The number is ``4 ceil(log2 n) + 5``. The network evaluates a tree over the letters, with one level for each doubling and
    one more level in which the last token reads the root. A level takes four layers: the position before, its content, the
    last block whose turn it was, and the product with the clearing of cells. A last layer looks the answer up, so the total is
    4 (ceil(log2 n) + 1) + 1. A looped network (`uniform`) must also count the turns modulo two with repeated layers; its
    levels take eight layers and the total is 8 (ceil(log2 n) + 1) + 1.

    This is an upper bound of one construction. The same model needs only `looped_doubling` layers, and with positions only
    `scan` layers.

    Args:
        length: Number of letters n, at least 1.
        uniform: Count the layers of one looped network instead.

    Raises:
        ValueError: `length` is not an integer >= 1.

    >>> regular_language(length=100).at()
    33.0
    >>> regular_language(100, uniform=True).at()
    65.0
    """
    symbol = sympy.Symbol("length", positive=True)
    repeated, fixed = (8, 9) if uniform else (4, 5)
    return Bound(
        expr=repeated * sympy.ceiling(sympy.log(symbol, 2)) + fixed,
        quantity="the number of layers of the published log-depth transformer that recognises a regular language",
        assumes=(
            integral(symbol),
            Assumption("averaging hard attention, causal mask, begin token, no positions, log(length) bits (taken as given)"),
        ),
        source=f"{_LITTLE}, {'Theorem 1' if uniform else 'Corollary 1.1'} (constants quoted)",
        values={symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))},
    )


@registered
def looped_doubling(length: int, precision: int | None = None) -> Bound:
    """Return the layers in which a looped transformer without positions runs any automaton.

    The number is ``1 + ceil(log2 n)``. The first layer counts the letters before each position. One further layer, repeated,
    doubles the block that a position knows and moves the position's pointer to the block in front. The model is that of
    `regular_language`. Pointers are compared by the cosine of ``(i, 1)`` and ``(j, 1)``, whose square is ``1 - (i - j)^2 /
    ((i^2 + 1)(j^2 + 1))``. Words of length n are safe if the gap ``1/(2 (n^2 + 1)((n + 1)^2 + 1))`` is at least eight units in
    the last place.

    Args:
        length: Number of letters n, at least 1.
        precision: Bits of the significand (53 for float64), against which the length is checked.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> looped_doubling(length=100, precision=53).at()
    8.0
    >>> looped_doubling(100, precision=24).at()
    Traceback (most recent call last):
    theory.errors.OutsideHypotheses: the bound on ... 2^4 (n^2 + 1)((n + 1)^2 + 1) <= 2^(precision - 1) ...
    """
    symbol, bits = sympy.Symbol("length", positive=True), sympy.Symbol("precision", positive=True)
    gap = "the pointers differ by more than rounding: 2^4 (n^2 + 1)((n + 1)^2 + 1) <= 2^(precision - 1)"
    fine = Assumption(f"{gap} (taken as given: no precision)")
    values = {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    if precision is not None:
        fine = Assumption(gap, sympy.Le(16 * (symbol**2 + 1) * ((symbol + 1) ** 2 + 1), 2 ** (bits - 1)))
        values[bits] = sympy.Integer(positive_integer("precision", precision, "bits of a significand"))
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol, 2)) + 1,
        quantity="the number of layers of a looped transformer without positions that reads every prefix by an automaton",
        assumes=(
            Assumption("averaging hard attention, causal mask, begin token, masked pre-norm, no positions (taken as given)"),
            fine,
        ),
        source=f"the model of {_LITTLE}; pointers and weights derived (depthjax.constructions.doubling.looped)",
        values=values,
    )


@registered
def squarings(vertices: int) -> Bound:
    """Return the squarings of the reachability matrix that settle every graph on n vertices.

    The number is ``ceil(log2(n - 1))``. A shortest path has at most n - 1 edges, and r squarings of A + I reach every path of
    at most 2^r edges. The path graph has two vertices at distance n - 1, so it needs all of these squarings.

    Args:
        vertices: Number of vertices n, at least 2.

    Raises:
        ValueError: `vertices` is not an integer >= 1.

    >>> squarings(vertices=10).at()
    4.0
    >>> [squarings(n).at() for n in (2, 3, 5, 6, 9)]
    [0.0, 1.0, 2.0, 3.0, 3.0]
    """
    symbol = sympy.Symbol("vertices", positive=True)
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol - 1, 2)),
        quantity="the number of squarings of the reachability matrix that settle every graph on this many vertices",
        assumes=(integral(symbol, least=2),),
        source="paths of 2^r edges after r squarings (derived)",
        values={symbol: sympy.Integer(positive_integer("vertices", vertices, "a number of vertices"))},
    )


def diameter(family: str, vertices: int) -> int:
    """Return the largest distance in a graph of one of `FAMILIES`, which `squarings` of a path with as many edges settle.

    The lollipop is a clique with a tail of half of the vertices, rounded down, at its last one. The binary tree is numbered
    like a heap: its deepest leaves stand floor(log2 n) below the root on the left and floor(log2 (2 n / 3)) on the right,
    because the last level reaches the right half from 3/2 of the largest power of two on.

    Raises:
        ValueError: The family is unknown, or there are fewer than three vertices.

    >>> [diameter(family, 9) for family in FAMILIES]
    [8, 4, 5, 2, 5]
    """
    n = integer("vertices", vertices, "a number of vertices", least=3)
    found = {
        "path": n - 1,
        "cycle": n // 2,
        "lollipop": n // 2 + 1,
        "star": 2,
        "binary tree": (n.bit_length() - 1) + ((2 * n // 3).bit_length() - 1),
    }
    if family not in found:
        raise ValueError(f"family = {family!r}: expected one of {', '.join(FAMILIES)}")
    return found[family]


@registered
def connectivity(vertices: int) -> Bound:
    """Return the layers of the published log-depth transformer that decides graph connectivity.

    The number is ``2 ceil(log2 n) + 18``; the constants are quoted from the publication.

    Args:
        vertices: Number of vertices n, at least 1.

    Raises:
        ValueError: `vertices` is not an integer >= 1.

    >>> connectivity(vertices=64).at()
    30.0
    """
    symbol = sympy.Symbol("vertices", positive=True)
    return Bound(
        expr=2 * sympy.ceiling(sympy.log(symbol, 2)) + 18,
        quantity="the number of layers of the published log-depth transformer that decides connectivity",
        assumes=(
            integral(symbol),
            Assumption("causal and unmasked heads, n^2 + n^3 tokens of padding (taken as given)"),
        ),
        source=f"{_LITTLE}, Theorem 2 (constants quoted)",
        values={symbol: sympy.Integer(positive_integer("vertices", vertices, "a number of vertices"))},
    )


def reach(layers: int, repeated: int, fixed: int) -> int:
    """Return the largest n with ``repeated * ceil(log2 n) + fixed <= layers``, or 0 if there is none.

    For integers m >= 0, ceil(log2 n) <= m if and only if n <= 2^m, and the budget allows m = floor((layers - fixed) /
    repeated). Without the floor the answer is too large wherever `repeated` does not divide the difference: 2^((layers - 5) /
    4) allows n = 3 at 12 layers, where 4 ceil(log2 3) + 5 = 13.

    Raises:
        ValueError: A number is not an integer, or `repeated` is below 1.
        TooExpensive: The number has too many digits, see `theory.cost`.

    >>> reach(12, 4, 5), reach(13, 4, 5), reach(4, 4, 5)
    (2, 4, 0)
    """
    layers, fixed = integer("layers", layers, "the budget"), integer("fixed", fixed, "layers beside the doublings")
    doublings = (layers - fixed) // positive_integer("repeated", repeated, "layers a doubling")
    refuse(digits(f"the reach of {power(doublings, 1):.6g} doublings", power(doublings, 1)))
    return 2**doublings if doublings >= 0 else 0
