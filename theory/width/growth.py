"""Growth and sensitivity of residual streams as functions of depth; `theory.width.residual` derives the formulas."""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import positive_integer
from theory.registry import registered
from theory.width.residual import stream_weight

__all__ = ["residual", "sensitivity"]


@registered
def residual(depth: int, scale: Number | None = None, weights: str = "fresh") -> Bound:
    """Return the growth of the mean squared norm of a residual stream ``x + scale W x``.

    The growth is relative to the squared norm of the input. With fresh weights the factor is ``(1 + alpha^2)^L``; with tied
    weights, ``sum_k C(L,k)^2 alpha^{2k}`` for wide layers.

    Args:
        depth: Number of layers L.
        scale: Factor alpha of the branch; None leaves the factor open.
        weights: "fresh" (every layer has its own weights) or "tied" (all layers share theirs).

    Raises:
        ValueError: `depth` is not an integer >= 1, `scale` is negative or not finite, or `weights` is neither of these.

    >>> residual(depth=2, scale=1, weights="tied").at()
    6.0
    >>> residual(8, 0.5).at()
    5.9604644775390625
    """
    layers = positive_integer("depth", depth, "the number of layers")
    if weights not in ("fresh", "tied"):
        raise ValueError(f"weights = {weights!r}: expected 'fresh' (every layer has its own) or 'tied' (all share theirs).")
    alpha = sympy.Symbol("scale", nonnegative=True)
    assumes = [Assumption("weights are independent, N(0, 1/width) (taken as given)")]
    if weights == "tied":
        assumes.append(Assumption("the limit of wide layers; the next term is O(1/width) (taken as given)"))
    return Bound(
        side="exact",
        # 2F1(-L, -L; 1; alpha^2) is the sum of C(L,k)^2 alpha^{2k}, because (-L)_k^2 / k!^2 = C(L,k)^2
        expr=(1 + alpha**2) ** layers if weights == "fresh" else sympy.hyper((-layers, -layers), (1,), alpha**2),
        quantity=f"the mean squared norm of a residual stream after {layers} layers of {weights} weights, over the first",
        assumes=tuple(assumes),
        source="second moments of Gaussian matrices (derived, theory.width.residual)",
        values=given({alpha: scale}),
    )


@registered
def sensitivity(depth: int, norm: str = "post") -> Bound:
    """Return how far noise on all weights turns a residual stream, by the placement of the norm.

    This is the factor C in ``1 - cos = C (1 - rho) + ..``, where cos is the cosine between two runs whose weights have the
    correlation rho: ``L/2`` for post-norm, and ``H_{L+1} - 1`` (a harmonic sum) otherwise.

    Args:
        depth: Number of layers L.
        norm: "post" or "pre" (after or before each layer), or "admin": after each layer, with the stream weighed by
            ``sqrt(l + 1)``.

    Raises:
        ValueError: `depth` is not an integer >= 1, or the norm is unknown.

    >>> round(sensitivity(depth=60, norm="admin").at(), 3)
    3.696
    >>> sensitivity(60).at()
    30.0
    """
    layers = positive_integer("depth", depth, "the number of layers")
    stream_weight(norm, 0)  # refuses an unknown norm
    # sums of 1/(omega^2 + 1): omega^2 is 1 in every layer, or l + 1 in layer l = 0, 1, ..
    expr = sympy.Rational(layers, 2) if norm == "post" else sympy.harmonic(layers + 1, evaluate=False) - 1
    return Bound(
        side="exact",
        expr=expr,
        quantity=f"how far noise on all weights turns a stream (norm: {norm}), (1 - cos) / (1 - correlation) for little noise",
        assumes=(Assumption("linear branches, weights N(0, 1/width), wide layers (taken as given)"),),
        source="one layer multiplies the cosine by (omega^2 + rho)/(omega^2 + 1) (derived)",
    )
