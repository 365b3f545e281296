r"""Widths at which explicit polynomial networks compose k elements of a finite group.

A real monomial of degree k costs :math:`2^{k-1}` units of :math:`z^k` (polarisation), a product of k matrices of size n has
:math:`n^{k+1}` index paths, and a complex path costs k+1 real ones (phases); conjugates are counted once, and the paths of a
quaternionic irrep come in equal halves. Quadratic recurrent and tree networks multiply two matrices at a time: :math:`n^3`
products of numbers, 2 units each, 3 phases where they are complex.
"""

from __future__ import annotations

from typing import cast

import sympy
from sympy.logic.boolalg import BooleanFunction

from theory.bounds.bound import Bound, Hypothesis, positive_integer
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
    if architecture == "two-layer":
        costs = {"real": sympy.Integer(1), "complex": (k + 1) / 2, "quaternionic": (k + 1) / 2}
        expr = sympy.Add(*(2 ** (k - 1) * costs[kind] * n ** (k + 1) for kind, n in _kinds(g)))
    else:
        expr = sympy.Add(*({"real": 2, "complex": 3, "quaternionic": 3}[kind] * n**3 for kind, n in _kinds(g)))
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


def _kinds(group: FiniteGroup) -> list[tuple[str, int]]:
    """Kind and dimension of every irrep but the trivial one; both members of a conjugate pair."""
    return [(irrep.kind, irrep.dimension) for irrep in group.irreps()[1:]]
