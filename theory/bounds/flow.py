"""From the logarithm to the flow, tails with measured first terms, and the floor of one order-blind layer."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.bounds.series import magnus

__all__ = ["a_posteriori", "flow", "order_blind"]


def flow(gap: Number | None = None, size: Number | None = None) -> Bound:
    """``|e^A - e^B| <= |A - B| e^max(|A|, |B|)``: ``gap`` is ``|A - B|``, ``size`` the larger norm.

    >>> flow(gap=0.001, size=1).at() < 0.003
    True
    """
    d, s = sympy.symbols("gap size", nonnegative=True)
    return Bound(
        expr=d * sympy.exp(s),
        quantity="the norm of e^A - e^B",
        assumes=(
            Hypothesis("the norm is submultiplicative, |AB| <= |A||B| (taken as given)"),
            Hypothesis("gap >= |A - B| and size >= max(|A|, |B|) (taken as given)"),
        ),
        source="e^A - e^B is the integral of e^{tA} (A - B) e^{(1-t)B} over [0, 1] (derived)",
        values={symbol: exact_number(symbol.name, x) for symbol, x in ((d, gap), (s, size)) if x is not None},
    )


def a_posteriori(order: int, term_norms: Sequence[Number], mass: Number) -> Bound:
    """The Magnus (or BCH) tail beyond ``order``, its first terms by their actual norms.

    Args:
        order: The last degree that is kept.
        term_norms: Norms of the terms of degree ``order + 1, order + 2, ..``, evaluated on the matrices at hand.
        mass: As in `magnus`.

    Raises:
        ValueError: ``order < 1``, or a norm or mass that is negative or not finite.

    >>> a_posteriori(2, [1e-3, 1e-4], mass=0.5).at() < magnus(2, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    norms = [exact_number(f"term_norms[{i}]", norm) for i, norm in enumerate(term_norms)]
    rest = magnus(order + len(norms), mass)
    return Bound(
        expr=sympy.Add(*norms) + rest.expr,
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(Hypothesis("term_norms are the norms of the next terms (taken as given)"), *rest.assumes),
        source=f"triangle inequality on the terms that were evaluated; beyond them {rest.source}",
        values=rest.values,
    )


def order_blind(
    bracket: Number | None = None, step: Number | None = None, mass: Number | None = None, gain: Number | None = None
) -> Bound:
    """A floor under the worst error of any system that only sees the integrals of its inputs (one abelian layer).

    On the words ``AB`` and ``BA`` such a system ends in one state, so one of the two errors is at least half of
    ``|C (e^{sA} e^{sB} - e^{sB} e^{sA}) h0|``; that is ``s^2 C [A, B] h0`` up to twice the exponential tail beyond degree two.

    Args:
        bracket: ``|C [A, B] h0|``: what the readout sees of the bracket.
        step: The duration s of each piece.
        mass: ``|A| + |B|``.
        gain: ``|C| |h0|``.

    >>> floor = order_blind(bracket=1, step=0.01, mass=2, gain=1).at()
    >>> 0.9 * 0.5e-4 < floor < 0.5e-4
    True
    """
    g, s, m, c = sympy.symbols("bracket step mass gain", nonnegative=True)
    sigma = s * m
    rest = sympy.exp(sigma) - 1 - sigma - sigma**2 / 2
    given = ((g, bracket), (s, step), (m, mass), (c, gain))
    return Bound(
        side="below",
        expr=sympy.Max(0, g * s**2 / 2 - c * rest),
        quantity="from below, the larger of the two output errors on AB and BA",
        assumes=(
            Hypothesis("the system's output depends only on the integrals of its inputs (taken as given)"),
            Hypothesis("the bracket is visible: |C [A, B] h0| > 0", g > 0),
            Hypothesis("mass >= |A| + |B| and gain >= |C| |h0| in a submultiplicative norm (taken as given)"),
        ),
        source="arXiv 2603.05573 with minimality made explicit: half the gap, and its leading term s^2 [A, B] (derived)",
        values={symbol: exact_number(symbol.name, x) for symbol, x in given if x is not None},
    )
