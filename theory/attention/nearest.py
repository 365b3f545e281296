r"""One softmax head as the nearest-neighbour predictor, with its exact worst error.

A head scores key x_i for the query x by ``-beta |x - x_i|^2`` (bilinear in ``(x, 1)`` and ``(x_i, |x_i|^2)``, up to a constant
of the row) and averages the labels y_i in [0, 1]. Let the nearest key with the right label be nearer than all keys of another
label by the margin, in squared distance. Each of the m other keys has at most ``e^(-beta margin)`` times its weight, so

    |output - label| <= m / (m + e^(beta margin)),      m = N - 1,

and this is attained: one key with the label, and all others at one distance with the other extreme label. With a margin of the
other sign the same holds for the other label, so the error is at least ``1 - m / (m + e^(beta |margin|))``.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, Number, given, integral
from theory.registry import registered

__all__ = ["nearest_neighbour", "nearest_neighbour_threshold"]

_size = sympy.Symbol("context", positive=True)
_beta, _margin, _error = (sympy.Symbol(name, nonnegative=True) for name in ("beta", "margin", "error"))
_HEAD = Assumption("scores are -beta times squared distances, labels lie in [0, 1] (taken as given)")
_SOURCE = "attained by one key with the label and all others at one distance with the other (derived)"


@registered
def nearest_neighbour(context: int | None = None, beta: Number | None = None, margin: Number | None = None) -> Bound:
    """Return the largest error of one softmax head as a nearest-neighbour predictor.

    Args:
        context: Number of pairs of key and label N, at least 2.
        beta: Inverse temperature of the head, positive.
        margin: How much farther the nearest key with another label is, in squared distance, positive.

    Raises:
        ValueError: A number is negative or not finite.

    >>> nearest_neighbour(context=2, beta=1, margin=0.5).at() < 0.378
    True
    >>> nearest_neighbour().expr
    (context - 1)/(context + exp(beta*margin) - 1)
    """
    return Bound(
        expr=(_size - 1) / (_size - 1 + sympy.exp(_beta * _margin)),
        quantity="the error of one softmax head as the nearest-neighbour predictor, in units of the range of labels",
        assumes=(
            integral(_size, least=2),
            Assumption("beta > 0", _beta > 0),
            Assumption("margin > 0: the nearest label is not tied", _margin > 0),
            _HEAD,
        ),
        source=_SOURCE,
        values=given({_size: context, _beta: beta, _margin: margin}),
    )


@registered
def nearest_neighbour_threshold(context: int | None = None, margin: Number | None = None, error: Number | None = 0.5) -> Bound:
    """Return the inverse temperature from which one softmax head errs less than a given amount.

    It is zero where the other keys together cannot outweigh the nearest one by that much, whatever the temperature.

    Args:
        context: Number of pairs of key and label N, at least 2.
        margin: How much farther the nearest key with another label is, in squared distance, positive.
        error: Error that is allowed, between 0 and 1; half of the range of labels decides between two classes.

    Raises:
        ValueError: A number is negative or not finite.

    >>> nearest_neighbour_threshold(context=17, margin=1).expr
    Max(0, log(context - 1))/margin
    >>> nearest_neighbour_threshold(3, 1, error=0.7).at()
    0.0
    """
    allowed = _error if error is None else given({_error: error})[_error]
    odds = allowed / (1 - allowed) if allowed != 1 else sympy.Integer(1)  # an error of 1 is refused below
    return Bound(
        # a head of negative temperature prefers far keys, so that nothing holds below zero
        expr=sympy.oo if odds == 0 else sympy.Max(sympy.log((_size - 1) / odds), 0) / _margin,
        quantity="the inverse temperature above which one softmax head predicts the nearest label within this error",
        assumes=(
            integral(_size, least=2),
            Assumption("margin > 0: the nearest label is not tied", _margin > 0),
            Assumption("0 < error < 1", (sympy.S(0) < allowed) & (allowed < 1)),
            _HEAD,
        ),
        source=_SOURCE,
        values=given({_size: context, _margin: margin}) | ({} if error is None else {_error: allowed}),
    )
