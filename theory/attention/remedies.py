r"""What skips and LayerNorm do to rank collapse: an attracting and a repelling example, and the derivative of the norm.

**Skips.** ``res(X + SA(X)) = e R + e^3 F(R) + ..`` with the cubic map F of `theory.attention.expansion`. So at small residual a
layer changes the size of the residual by the relative amount ``e^2 <R, F(R)>/|R|^2``. The weights decide the sign, and no
weights cube the residual. The 2d tokens ``+-rho e_i`` with ``A = I, W = -+I`` keep their shape, because the token ``rho e_k``
sees itself with the weight ``e^t``, its opposite with ``e^-t`` and all others with 1, ``t = s rho^2``, s the scale:

    rho' = rho (1 -+ g(t)),     g(t) = 2 sinh(t) / (2 cosh(t) + 2d - 2) = t/d + O(t^3).

So W = +I never lets them fall, and W = -I makes ``rho ~ sqrt(d / (2 s l))`` after l layers: the residual ``sqrt(2d) rho`` does
fall to zero, like ``d / sqrt(s l)`` (`skip_residuals`, `skip_decay`).

**LayerNorm** of a row y is ``sqrt(d) C y / |C y|``, C the centring of features. Near a shared row y0 with ``C y0 != 0`` it is
smooth, with derivative ``J = sqrt(d)/|C y0| (C - c c^T)``, ``c = C y0/|C y0|`` (`norm_jacobian`). So the residual after a norm
is still cubic, ``e^3 F(R) J``. On the other hand, attention and LayerNorm are odd, so tokens in pairs ``+-x`` stay in pairs.
Their mean is zero and their rows have length ``sqrt(d)``, so their residual is ``sqrt(n d)`` after any number of layers with
any weights (`antipodal_residual`).

Source: derived here; setting of Dong, Cordonnier, Loukas, arXiv 2103.03404.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse

__all__ = ["antipodal_residual", "norm_jacobian", "skip_decay", "skip_residuals"]

LARGEST = sys.float_info.max


def skip_decay(width: int, scale: float) -> tuple[float, float]:
    """Return exponent and constant of the residual ``constant * layers^-exponent`` of ``+-rho e_i`` with skip, A = I, W = -I.

    Raises:
        ValueError: `width` is not an integer >= 1, or `scale` is not positive.

    >>> skip_decay(4, 0.25)
    (0.5, 8.0)
    """
    width = positive_integer("width", width, "the size of a token")
    if not scale > 0:
        raise ValueError(f"scale = {scale!r}: expected more than 0, because logits of scale 0 leave all tokens where they are.")
    return 0.5, width / math.sqrt(scale)


def skip_residuals(width: int, scale: float, layers: int, sign: int, size: float = 1.0) -> np.ndarray:
    """Return the residual ``sqrt(2d) rho`` of the tokens ``+-rho e_i`` after each layer with skip, A = I and W = sign I.

    Args:
        width: Size d of a token.
        scale: Scale of the logits.
        layers: Number of layers.
        sign: +1 or -1.
        size: rho of the input.

    Returns:
        Floats of shape ``(layers,)``.

    Raises:
        ValueError: `width` or `layers` is not an integer >= 1, `sign` is not +1 or -1, or `scale` or `size` is not positive and
            finite, or a token grows beyond the floats.
        TooExpensive: There are too many layers, see `theory.cost`.

    >>> skip_residuals(1, 1.0, 1, -1).round(6).tolist()  # two tokens +-1: sqrt(2) (1 - tanh 1)
    [0.337157]
    """
    width = positive_integer("width", width, "the size of a token")
    layers = positive_integer("layers", layers, "the number of layers")
    if sign not in (1, -1):
        raise ValueError(f"sign = {sign!r}: expected +1 or -1, the sign of W.")
    for name, number in (("width", width), ("scale", scale), ("size", size)):
        if not 0 < number <= LARGEST:
            raise ValueError(f"{name} = {number!r:.80}: expected a positive number that a float holds.")
    refuse(Estimate(f"the residuals of {power(layers, 1):.6g} layers", 2e-6 * power(layers, 1), 4e-8 * power(layers, 1)))
    found = []
    for _ in range(layers):
        logit = scale * size * size  # infinite where the attention is hard
        # 2 sinh / (2 cosh + 2d - 2), divided by e^logit so that no power overflows
        below, above = -math.expm1(-2 * logit), 1 + math.exp(-2 * logit) + (2 * width - 2) * math.exp(-logit)
        size *= 1 + sign * below / above
        residual = math.sqrt(2 * width) * size
        if math.isinf(residual):
            raise ValueError(
                f"layers = {layers}: after {len(found) + 1} layers a token is too large for a float, because W = +I lets it "
                f"grow at each layer; ask for at most {len(found)} layers."
            )
        found.append(residual)
    return np.array(found)


def norm_jacobian(row: np.ndarray) -> np.ndarray:
    """Return the derivative of LayerNorm (no gain, bias or epsilon) at a row, acting from the right; shape ``(width, width)``.

    Raises:
        ValueError: All features of the row are equal, where LayerNorm is not defined.

    >>> bool(abs(norm_jacobian(np.array([1.0, -1.0]))).max() < 1e-15)  # LayerNorm of two features is a sign
    True
    """
    row = np.asarray(row, float)
    if np.ptp(row) == 0:
        raise ValueError(
            "all features of the row are equal: expected a row that differs from its mean, because LayerNorm divides by its "
            "deviation. Take another offset or value matrix."
        )
    centring = np.eye(len(row)) - 1 / len(row)
    moved = centring @ row
    size = np.linalg.norm(moved)
    return math.sqrt(len(row)) / size * (centring - np.outer(moved, moved) / size**2)


def antipodal_residual(tokens: int, width: int) -> float:
    """Return the residual of `tokens` rows, in pairs +-x, after attention and LayerNorm: ``sqrt(n d)``.

    >>> antipodal_residual(8, 2)
    4.0
    """
    return math.sqrt(tokens * width)
