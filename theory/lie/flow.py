"""Bounds on errors of the flow: from the error of a logarithm, from measured terms, and from below for order-blind layers."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import nonnegative_number, positive_integer
from theory.lie.tails import magnus
from theory.registry import registered

__all__ = ["a_posteriori", "flow", "order_blind"]


@registered
def flow(gap: Number | None = None, size: Number | None = None) -> Bound:
    """Bound ``|e^A - e^B|`` by ``|A - B| e^max(|A|, |B|)``.

    This turns an error of a logarithm into an error of the flow.

    Args:
        gap: Norm of A - B, or an upper bound on it; None leaves the gap open.
        size: Larger one of the norms of A and B, or an upper bound on both; None leaves the size open.

    Raises:
        ValueError: A number is negative or not finite.

    >>> flow(gap=0.001, size=1).at() < 0.003
    True
    """
    d, s = sympy.symbols("gap size", nonnegative=True)
    return Bound(
        expr=d * sympy.exp(s),
        quantity="the norm of e^A - e^B",
        assumes=(
            Assumption("the norm is submultiplicative, |AB| <= |A||B| (taken as given)"),
            Assumption("gap >= |A - B| and size >= max(|A|, |B|) (taken as given)"),
        ),
        source="e^A - e^B is the integral of e^{tA} (A - B) e^{(1-t)B} over [0, 1] (derived)",
        values=given({d: gap, s: size}),
    )


@registered
def a_posteriori(order: int, term_norms: Sequence[Number], mass: Number) -> Bound:
    """Bound the Magnus or BCH series beyond a degree, from the norms of the next terms.

    Terms whose norms were evaluated enter by these norms; everything beyond them enters by the tail of `magnus`.

    Args:
        order: Last degree that is kept, at least 1.
        term_norms: Norms of the terms of degree ``order + 1, order + 2, ..``, evaluated on the matrices at hand.
        mass: Integral of the norm of the generator, as in `magnus`.

    Raises:
        ValueError: `order` is below 1, or a norm or the mass is negative or not finite.

    >>> a_posteriori(2, [1e-3, 1e-4], mass=0.5).at() < magnus(2, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    norms = [nonnegative_number(f"term_norms[{i}]", norm) for i, norm in enumerate(term_norms)]
    rest = magnus(order + len(norms), mass)
    return Bound(
        expr=sympy.Add(*norms) + rest.expr,
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(Assumption("term_norms are the norms of the next terms (taken as given)"), *rest.assumes),
        source=f"triangle inequality on the terms that were evaluated; beyond them {rest.source}",
        values=rest.values,
    )


@registered
def order_blind(
    bracket: Number | None = None, step: Number | None = None, mass: Number | None = None, gain: Number | None = None
) -> Bound:
    """Bound from below the error of a system that sees only the integrals of its inputs.

    One abelian layer is such a system. On the words ``AB`` and ``BA`` it ends in the same state, so one of its two errors is
    at least half of ``|C (e^{sA} e^{sB} - e^{sB} e^{sA}) h0|``. This is ``s^2 |C [A, B] h0|`` up to twice the exponential tail
    beyond degree 2.

    Args:
        bracket: Norm of ``C [A, B] h0``, the part of the bracket that the readout C sees in the state h0; None
            leaves the bracket open.
        step: Duration s of each of the two pieces; None leaves the step open.
        mass: ``|A| + |B|``; None leaves the mass open.
        gain: ``|C| |h0|``; None leaves the gain open.

    Raises:
        ValueError: A number is negative or not finite.

    >>> 0.9 * 0.5e-4 < order_blind(bracket=1, step=0.01, mass=2, gain=1).at() < 0.5e-4
    True
    """
    g, s, m, c = sympy.symbols("bracket step mass gain", nonnegative=True)
    sigma = s * m
    rest = sympy.exp(sigma) - 1 - sigma - sigma**2 / 2
    return Bound(
        side="below",
        expr=sympy.Max(0, g * s**2 / 2 - c * rest),
        quantity="from below, the larger of the two output errors on AB and BA",
        assumes=(
            Assumption("the system's output depends only on the integrals of its inputs (taken as given)"),
            Assumption("the bracket is visible: |C [A, B] h0| > 0", g > 0),
            Assumption("mass >= |A| + |B| and gain >= |C| |h0| in a submultiplicative norm (taken as given)"),
        ),
        source="arXiv 2603.05573 with minimality made explicit: half the gap, and its leading term s^2 [A, B] (derived)",
        values=given({g: bracket, s: step, m: mass, c: gain}),
    )
