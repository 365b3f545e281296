"""What an objective leaves open, and how flat it is: masked pairs, and noise contrast between Gaussians."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.identify.contrast import LOSSES

__all__ = ["contrastive", "masked_pairs"]

_NEAR, _FAR = sympy.Rational(1, 10**6), sympy.Integer(10**6)


def masked_pairs(states: int, symbols: int | None = None, *, adjacent: bool = False) -> Bound:
    """Dimension of the hidden Markov models with the same pair predictors: ``(k-1)(k-2)/2``, or ``(k-1)^2`` from neighbours.

    >>> masked_pairs(4).at(), masked_pairs(4, adjacent=True).at()
    (3.0, 9.0)
    """
    k, d = sympy.symbols("states symbols", positive=True, integer=True)
    values = {k: sympy.Integer(positive_integer("states", states, "the number of hidden states"))}
    size = positive_integer("symbols", states if symbols is None else symbols, "the number of symbols")
    return Bound(
        side="exact",
        expr=(k - 1) ** 2 if adjacent else (k - 1) * (k - 2) / 2,
        quantity="the dimension of the hidden Markov models that predict one symbol from another alike",
        assumes=(
            Hypothesis("at least as many symbols as states", sympy.Ge(d, k)),
            Hypothesis(
                "the emission has full column rank, the transition is invertible and doubly stochastic (taken as given)"
            ),
            Hypothesis(
                f"predicted are {'neighbours only' if adjacent else 'neighbours and symbols two apart'} (taken as given)"
            ),
        ),
        source="arXiv 2202.09305 for the fact that pairs do not identify; the family is derived (theory.identify.markov)",
        values=values | {d: sympy.Integer(size)},
    )


def contrastive(radius: Number | None = None, loss: str = "nce") -> Bound:
    """Condition number at the optimum of noise contrast between unit Gaussians at distance R, exactly.

    >>> round(contrastive(4, "ence").at(), 4), round(contrastive(4).at(), 2)
    (33.9706, 87.5)
    """
    if loss not in LOSSES:
        raise ValueError(f"loss = {loss!r}: expected 'nce' or 'ence'.")
    given = None if radius is None else exact_number("radius", radius)
    if given is not None and given != 0 and not _NEAR <= given <= _FAR:
        raise ValueError(
            f"radius = {radius!r}: expected {float(_NEAR):g} to {float(_FAR):g}, where the integral is evaluated; the "
            f"number grows like {'R^6 / (16 pi^2)' if loss == 'nce' else 'R^4 / 16'} for large R."
        )
    # not declared positive: sympy would then take the hypothesis for granted
    r, u = sympy.Symbol("radius", nonnegative=True), sympy.Symbol("u", real=True)
    weight = sympy.exp(-(u**2) / 2) / sympy.cosh(r * u / 2)
    total, second = (sympy.Integral(u**power * weight, (u, 0, 14)) for power in (0, 2))
    v = second / total if loss == "nce" else sympy.Integer(1)
    t = (1 + r**2 / 4 + v) / sympy.sqrt(v)
    growth = "R^6 / (16 pi^2)" if loss == "nce" else "R^4 / 16"
    return Bound(
        side="exact",
        expr=((t + sympy.sqrt(t**2 - 4)) / 2) ** 2,
        quantity=f"the condition number of {'NCE' if loss == 'nce' else 'eNCE'} at the optimum, about {growth} for large R",
        assumes=(
            Hypothesis("noise N(0, 1), data N(R, 1), a free normaliser (taken as given)"),
            Hypothesis("radius > 0", sympy.Gt(r, 0)),
        ),
        source="the Hessian as an integral (derived in theory.identify.contrast); losses: arXiv 2110.11271",
        values={} if given is None else {r: given},
    )
