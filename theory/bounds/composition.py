r"""Widths at which explicit polynomial networks compose k elements of a finite group.

The formulas and where they come from: :mod:`theory.composition.widths`.
"""

from __future__ import annotations

from typing import cast

import sympy
from sympy.logic.boolalg import BooleanFunction

from theory.bounds.bound import Bound, Hypothesis, positive_integer
from theory.composition import recurrent_width, two_layer_width_expr
from theory.groups import FiniteGroup
from theory.groups import group as finite_group

__all__ = ["ARCHITECTURES", "composition"]

ARCHITECTURES = ("two-layer", "recurrent", "tree")


def composition(group: str | FiniteGroup, length: int | None = None, architecture: str = "two-layer") -> Bound:
    """Width that suffices to map the codes of `length` elements to the code of their product, exactly.

    Args:
        group: The group, or its name; all irreps but the trivial one are taken to be in the code.
        length: k; left open, the bound is a formula in ``length``.
        architecture: ``two-layer``, one hidden layer of z^k; ``recurrent``, quadratic units that take k steps, at a width that
            does not depend on k; ``tree``, log2 k quadratic layers, whose first and widest is counted.

    Raises:
        ValueError: an unknown group or architecture, or a length below one.

    >>> [composition("S3", 2, architecture).at() for architecture in ARCHITECTURES]
    [18.0, 18.0, 18.0]
    >>> composition("C3").expr
    2**(length - 1)*(length + 1)
    """
    if architecture not in ARCHITECTURES:
        raise ValueError(f"no architecture is named {architecture!r}; there are {', '.join(ARCHITECTURES)}.")
    g = finite_group(group)
    k = sympy.Symbol("length", positive=True)
    values = {} if length is None else {k: sympy.Integer(positive_integer("length", length, "a number of group elements"))}
    whole = Hypothesis("length is an integer >= 2", sympy.Ge(k, 2) & sympy.Eq(k, sympy.floor(k)))
    irreps = g.irreps()[1:]
    expr = two_layer_width_expr(irreps, k) if architecture == "two-layer" else sympy.Integer(recurrent_width(irreps))
    if architecture == "tree":
        expr = expr * k / 2
        whole = Hypothesis("length is a power of two, at least 2", sympy.Ge(k, 2) & _PowerOfTwo(k))
    return Bound(
        expr=cast(sympy.Expr, sympy.factor(expr)),
        quantity=f"the width at which a {architecture} network composes `length` elements of {g.name} exactly",
        assumes=(
            whole,
            Hypothesis("the code is real and centred, its Fourier coefficients zero or invertible (taken as given)"),
            Hypothesis("weights are unrestricted real numbers; a smaller width is not excluded (taken as given)"),
        ),
        source="explicit weights (derived), for the task of arXiv 2602.03655",
        values=values,
    )


class _PowerOfTwo(BooleanFunction):
    """Whether an integer is a power of two; undecided for a symbol."""

    @classmethod
    def eval(cls, *args: sympy.Basic) -> sympy.Basic | None:
        (number,) = args
        if isinstance(number, sympy.Integer):
            return sympy.true if number > 0 and int(number).bit_count() == 1 else sympy.false
        return sympy.false if number.is_number else None
