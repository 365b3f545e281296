"""The widths at which explicit weights compose elements of a group: one hidden layer, a quadratic recurrence, a quadratic tree.

A recurrence h <- (h mix + x drive)^2 reads from its state what one hidden layer of z^2 writes, the code of the product of the
letters so far, and composes it with the next letter. A node of a tree composes the products of its two halves. So each network
that composes two elements is a recurrence and the node of a tree, of the same width.
"""

from __future__ import annotations

import sympy
from sympy.logic.boolalg import BooleanFunction

from theory.bound import Assumption, Bound, integral
from theory.checks import positive_integer
from theory.composition.sufficient import any_length, sufficient
from theory.groups import FiniteGroup
from theory.groups import group as finite_group
from theory.registry import registered

__all__ = ["ARCHITECTURES", "composition"]

ARCHITECTURES = ("two-layer", "recurrent", "tree")


@registered
def composition(group: str | FiniteGroup, length: int | None = None, architecture: str = "two-layer") -> Bound:
    """Return the width at which explicit weights compose a sequence of group elements exactly.

    The network maps the codes of `length` elements to the code of their product, up to its mean. All irreps but the trivial one
    are taken to be in the code. Two layers take the narrowest of the constructions that are known at this length, and quadratic
    recurrences and trees take the units of two elements in each node. `width_dichotomy` names the constructions, and has the
    other side: the width that two layers need, whatever their weights.

    Args:
        group: A group, or its name: C12, D4 (of order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, ...
        length: Number of elements k that are multiplied, at least 2; None leaves the length open.
        architecture: "two-layer" (one hidden layer of z^k), "recurrent" (quadratic units that take k steps, at a width
            independent of k), or "tree" (log2 k quadratic layers, of which the first and widest is counted).

    Raises:
        ValueError: No group has this name, the architecture is unknown, or `length` is not an integer >= 1.

    >>> composition(group="A5", length=3).at()
    1218.0
    >>> [composition("S3", 2, architecture).at() for architecture in ARCHITECTURES]
    [10.0, 10.0, 10.0]
    >>> composition("D4").expr
    Piecewise((12, Eq(length, 2)), (34, Eq(length, 3)), (2**(2*length) + 3*length - 2, True))
    >>> [composition("C2", length).at() for length in (2, 8)]
    [2.0, 8.0]
    """
    if architecture not in ARCHITECTURES:
        raise ValueError(f"architecture = {architecture!r}: expected one of {', '.join(ARCHITECTURES)}.")
    g = finite_group(group)
    k = sympy.Symbol("length", positive=True)
    values = {} if length is None else {k: sympy.Integer(positive_integer("length", length, "a number of group elements"))}
    whole = integral(k, least=2)
    if architecture == "two-layer":
        expr = any_length(g, k)
    else:
        expr = sympy.Integer(min(sufficient(g, 2).values()))
    if architecture == "tree":
        expr = expr * k / 2
        whole = Assumption("length is a power of two, at least 2", sympy.Ge(k, 2) & _PowerOfTwo(k))
    return Bound(
        expr=expr,
        quantity=f"the width at which a {architecture} network composes `length` elements of {g.name} exactly",
        assumes=(
            whole,
            Assumption("the code is real, its Fourier coefficients zero or invertible (taken as given)"),
            Assumption(
                "units read a constant where the narrowest construction does (taken as given: a bias, or a code that is not "
                "centred; one more unit then writes the mean, where that of the constant is not among them)"
            ),
            Assumption("weights are unrestricted real numbers; what is needed, says width-dichotomy (taken as given)"),
        ),
        source="explicit weights (derived), for the task of arXiv 2602.03655",
        values=values,
    )


class _PowerOfTwo(BooleanFunction):
    """The condition that an integer is a power of two; undecided for a symbol."""

    @classmethod
    def eval(cls, *args: sympy.Basic) -> sympy.Basic | None:
        (number,) = args
        if isinstance(number, sympy.Integer):
            return sympy.true if number > 0 and int(number).bit_count() == 1 else sympy.false
        return sympy.false if number.is_number else None
