"""Residual streams by depth: how large they grow, how far noise on the weights turns them. Derived in `theory.width.residual`."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.width.residual import stream_weight

__all__ = ["residual", "sensitivity"]


def residual(depth: int, scale: Number | None = None, weights: str = "fresh") -> Bound:
    """E |x_L|^2 / |x_0|^2 of ``x + alpha W x``: ``(1 + alpha^2)^L`` fresh, ``sum_k C(L,k)^2 alpha^{2k}`` tied.

    Raises:
        ValueError: a depth that is not a positive integer, a negative scale, other weights than "fresh" or "tied".

    >>> residual(8, 0.5).at(), residual(2, 1, "tied").at()
    (5.9604644775390625, 6.0)
    """
    layers = positive_integer("depth", depth, "the number of layers")
    if weights not in ("fresh", "tied"):
        raise ValueError(f"weights = {weights!r}: expected 'fresh' (their own in every layer) or 'tied' (the same in all).")
    alpha = sympy.Symbol("scale", nonnegative=True)
    assumes = [Hypothesis("weights are independent, N(0, 1/width) (taken as given)")]
    if weights == "tied":
        assumes.append(Hypothesis("the limit of wide layers; the next term is O(1/width) (taken as given)"))
    return Bound(
        side="exact",
        # 2F1(-L, -L; 1; alpha^2) is the sum of C(L,k)^2 alpha^{2k}: (-L)_k^2 / k!^2 = C(L,k)^2
        expr=(1 + alpha**2) ** layers if weights == "fresh" else sympy.hyper((-layers, -layers), (1,), alpha**2),
        quantity=f"the mean squared norm of a residual stream after {layers} layers of {weights} weights, over the first",
        assumes=tuple(assumes),
        source="second moments of Gaussian matrices (derived)",
        values={} if scale is None else {alpha: exact_number("scale", scale)},
    )


def sensitivity(depth: int, norm: str = "post") -> Bound:
    """C in ``1 - cos = c (1 - rho) + ..`` between two runs with weights of correlation rho: ``L/2``, or ``H_{L+1} - 1``.

    Raises:
        ValueError: a depth that is not a positive integer, an unknown norm.

    >>> sensitivity(60).at(), round(sensitivity(60, "admin").at(), 3)
    (30.0, 3.696)
    """
    layers = positive_integer("depth", depth, "the number of layers")
    stream_weight(norm, 0)  # refuses an unknown norm
    # sums of 1/(omega^2 + 1): omega^2 is 1 in every layer, or l + 1 in layer l = 0, 1, ..
    expr = sympy.Rational(layers, 2) if norm == "post" else sympy.harmonic(layers + 1, evaluate=False) - 1
    return Bound(
        side="exact",
        expr=expr,
        quantity=f"how far noise on all weights turns a stream (norm: {norm}), (1 - cos) / (1 - correlation) for little noise",
        assumes=(Hypothesis("linear branches, weights N(0, 1/width), wide layers (taken as given)"),),
        source="one layer multiplies the cosine by (omega^2 + rho)/(omega^2 + 1) (derived)",
    )
