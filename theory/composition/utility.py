r"""The order and the times in which a two-layer network learns irreps, and the loss that remains.

The utility of a unit neuron (u_1 .. u_k, w) is E_{g_1..g_k} <w, x_{g_1..g_k}> prod_j <u_j, x_{g_j}>. Its maximum over unit
vectors inside an irrep is score / |G|^((k+1)/2) with

    score = ||x^[rho]||_op^{k+1} / (C n)^{(k-1)/2},      C = 1 for real type, otherwise 2.

The part that is not learned yet is a sum over the other irreps, so the score of an irrep does not change while others are
learned.

Source: score and order, Marchetti et al. (arXiv 2602.03655), Theorem 4.1; exact utility and plateau levels derived here.
Loss: half the squared error, summed over coordinates and averaged over words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from theory.checks import exact_expression, integer
from theory.composition.lengths import word_length
from theory.composition.spectrum import Component
from theory.cost import digits, refuse

__all__ = ["activation_time", "learning_order", "linear_loss", "plateau_levels", "score", "utility_maximum"]

_PLACES = 2**16
"""Norms of coefficients are seldom larger, so powers of this number bound the digits of a score."""


def score(component: Component, length: int) -> sympy.Expr:
    """Return the score of Theorem 4.1; it is exact if the norm is.

    Raises:
        ValueError: `length` is not an integer >= 1.
        TooExpensive: The answer has too many digits, see `theory.cost`.

    >>> score(Component.scalar(1, "complex", 3), 2), score(Component.scalar(2, "real", 2), 3)
    (27*sqrt(2)/2, 8)
    """
    length = word_length(length, sizes=[_PLACES])
    doubled = component.dimension * (1 if component.kind == "real" else 2)
    norm: Any = _number("norm", component.norm)
    return norm ** (length + 1) / sympy.Integer(doubled) ** sympy.Rational(length - 1, 2)


def utility_maximum(component: Component, length: int, order: int) -> sympy.Expr:
    """Return the largest utility of unit vectors u_1, ..., u_k, w inside the irrep.

    >>> utility_maximum(Component.scalar(1, "real", 1), 3, 4)
    1/16
    """
    length, order = word_length(length, sizes=[_PLACES]), integer("order", order, "of the group", least=1)
    return score(component, length) / sympy.Integer(order) ** sympy.Rational(length + 1, 2)


def activation_time(component: Component, length: int, order: int) -> sympy.Expr:
    """Return the time at which an aligned neuron of the irrep leaves the origin, in the limit of small initialisation alpha.

    A neuron of norm one has the utility U = k! (k+1)^(-(k+1)/2) * `utility_maximum` and grows by d log r / dt = (k+1) U
    log(1/alpha), which sets the unit of time.
    """
    length, order = word_length(length, sizes=[_PLACES]), integer("order", order, "of the group", least=1)
    refuse(digits(f"the factorial of {length}", length * math.log2(length)))
    share = sympy.factorial(length) * sympy.Integer(length + 1) ** sympy.Rational(1 - length, 2)
    return 1 / (share * utility_maximum(component, length, order))


def learning_order(components: Sequence[Component], length: int) -> list[int]:
    """Return the positions of the components with a non-zero coefficient, by falling score.

    >>> learning_order([Component.scalar(1, "real", 1), Component.scalar(2, "real", sympy.Rational(4, 5))], 2)
    [0, 1]
    """
    active = [i for i, component in enumerate(components) if component.norm != 0]
    return sorted(active, key=lambda i: -sympy.N(score(components[i], length)))


def plateau_levels(components: Iterable[Component], length: int, order: int) -> list[sympy.Expr]:
    """Return the losses before, between and after the jumps; irreps of equal score (a conjugate pair) jump together.

    >>> plateau_levels([Component.scalar(1, "real", 1), Component.scalar(2, "real", sympy.Rational(4, 5))], 2, 6)
    [89/300, 16/75, 0]
    """
    components = list(components)
    order_of_learning = learning_order(components, length)
    level = sum((_power(components[i], order) for i in order_of_learning), sympy.Integer(0)) / 2
    levels, before = [level], None
    for i in order_of_learning:
        value = sympy.N(score(components[i], length))  # a number of sympy, which does not overflow
        level = level - _power(components[i], order) / 2
        if before is not None and abs(before - value) <= 1e-9 * before:
            levels[-1] = level
        else:
            levels.append(level)
        before = value
    return levels


def linear_loss(components: Iterable[Component], order: int) -> sympy.Expr:
    """Return the smallest loss of any affine map of the codes, for words of at least two letters: only the mean is learned.

    Given the letters at some but not all positions, the product is uniform. So the conditional mean of the target is the mean
    of x in every coordinate, and there is nothing to regress on. The same holds for every polynomial of degree below the
    length.

    Args:
        components: The non-trivial irreps.
        order: Order of the group.
    """
    return sum((_power(component, order) for component in components), sympy.Integer(0)) / 2


def _power(component: Component, order: int) -> sympy.Expr:
    """Return the irrep's share of the squared norm of the encoding."""
    square_norm: Any = _number("square_norm", component.square_norm)
    return component.dimension * square_norm / order


def _number(name: str, number: object) -> sympy.Expr:
    """Return an exact number, or a float as a float, because most norms of encodings are rounded."""
    return sympy.Float(float(number)) if isinstance(number, float) else exact_expression(name, number)
