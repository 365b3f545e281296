r"""How residual streams grow with depth, and how they answer to noise on their weights: second moments in closed form.

Weights are independent N(0, 1/n), x_0 any vector of n numbers, |x| the Euclidean norm.

**Fresh weights**, ``x_{l+1} = x_l + alpha W_l x_l``: given x, W x is centred with ``E |W x|^2 = |x|^2``, so exactly
``E |x_L|^2 = (1 + alpha^2)^L |x_0|^2`` for every n. With uniform attention, ``x_i' = x_i + alpha W xbar``, the same is true of
the mean xbar, and the deviations ``x_i - xbar`` never change.

**Tied weights**, ``x_L = (1 + alpha W)^L x_0``: Householder reflections that fix x_0 make W a Hessenberg matrix with N(0, 1/n)
on and above the diagonal and ``chi_{n-1-j}/sqrt(n)`` below it. As n grows it is the shift, so ``|x_L|^2/|x_0|^2`` tends to
``sum_k C(L,k)^2 alpha^{2k}``. The entry (i, j), i <= j, moves x_L by ``h x1 + h^2 x2`` with
``x1_r = alpha^{1+r-i+j} C(L, r-i+j+1)`` and ``x2_r = alpha^{2+r-2i+2j} C(L, r-2i+2j+2)``, r >= i (Vandermonde sums), and the
squares of the entries below the diagonal are short by ``(1 + j)/n``: together, with ``a_r = C(L,r) alpha^r``,

    E |x_L|^2/|x_0|^2 = |a|^2 + (1/n) [sum_{i <= j} (|x1|^2 + 2 <a, x2>) - sum_r r(r+1)/2 a_r^2] + O(1/n^2).

The remainder has a bound. The law of W is invariant under rotations, so the mean is the normalised trace of
``(1 + alpha W^T)^L (1 + alpha W)^L``, a sum of words in W and W^T with positive weights. By Wick's formula the mean of such a
word is a sum over pairings of its letters, each a power of 1/n. So the mean is a polynomial f(1/n) with coefficients >= 0, all
its terms beyond 1/n together are at most ``(f(1) - |a|^2 - c)/n^2`` where c is the coefficient of 1/n above, and at n = 1 the
matrix W is one Gaussian: ``f(1) = E (1 + alpha g)^{2L} = sum_j C(2L, 2j) (2j-1)!! alpha^{2j}`` (`tied_remainder`).

**Noise.** Two runs whose weights have the correlation rho (W' = rho W + sqrt(1 - rho^2) G), the branch W x/|x| sqrt(n): as n
grows the cosine between the runs is multiplied in layer l by ``(omega_l^2 + rho)/(omega_l^2 + 1)``, where the stream enters
with weight omega_l: 1 after post-norm, ``sqrt(l + 1)`` for pre-norm, whose squared norm is n (l + 1), and by definition for
ADMIN, post-norm with that weight. So

    post-norm: ((1 + rho)/2)^L;   pre-norm and ADMIN: prod_{l < L} (l + 1 + rho)/(l + 2), 1 - cos ~ (1 - rho)(H_{L+1} - 1):

linear in the depth against a harmonic sum. The 1/n term follows by carrying the covariance of (|x|^2, |x'|^2, <x, x'>)/n along.

Source: L. Liu et al. 2020 for ADMIN and the growth N against log N; the closed forms are derived above.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, prod
from typing import NamedTuple

import numpy as np

from theory.checks import fraction, integer

__all__ = ["NORMS", "Expansion", "agreement", "fresh_growth", "stream_weight", "tied_growth", "tied_remainder"]

NORMS = ("post", "pre", "admin")


class Expansion(NamedTuple):
    """A mean over random weights: its limit for wide networks and the coefficient of 1/n.

    Attributes:
        limit: as n grows.
        correction: times 1/n.
    """

    limit: float
    correction: float

    def at(self, width: int) -> float:
        """Both terms."""
        return self.limit + self.correction / width


def fresh_growth(depth: int, scale: Fraction | float) -> float:
    """E |x_L|^2 / |x_0|^2 with independent weights in every layer: ``(1 + alpha^2)^L``.

    >>> fresh_growth(10, 1)
    1024.0
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    return float((1 + float(scale) ** 2) ** depth)


def tied_growth(depth: int, scale: Fraction | float) -> Expansion:
    """E |x_L|^2 / |x_0|^2 with the same weights in every layer; the limit is ``sum_k C(L,k)^2 alpha^{2k}``.

    Cost: depth^3 operations.

    >>> tied_growth(1, 1), tied_growth(2, 1).limit
    (Expansion(limit=2.0, correction=0.0), 6.0)
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    a = np.array([comb(depth, r) * float(scale) ** r for r in range(depth + 1)])
    r = np.arange(depth + 1)
    correction = -(r * (r + 1) / 2 * a**2).sum()
    padded = np.concatenate([a, np.zeros(2 * depth + 3)])  # C(L, m) alpha^m for m beyond L as well
    for i in range(depth + 1):
        for j in range(i, depth + 1):
            rows = r[i:]
            first, second = padded[rows - i + j + 1], padded[rows - 2 * i + 2 * j + 2]
            correction += (first**2).sum() + 2 * (a[i:] * second).sum()
    return Expansion(float((a**2).sum()), float(correction))


def tied_remainder(depth: int, scale: Fraction | float, width: int) -> float:
    """Bound on what `tied_growth` leaves out beyond its 1/n term: sharp at width 1, far from it at great depth.

    Raises:
        ValueError: a depth below 0, or a width below 1.

    >>> tied_remainder(2, 1, 100)  # two layers leave out 2/n^2
    0.0002
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    width = integer("width", width, "the entries of the stream", least=1)
    alone = sum(comb(2 * depth, 2 * j) * prod(range(1, 2 * j, 2)) * scale ** (2 * j) for j in range(depth + 1))
    kept = tied_growth(depth, scale)
    return max(float(alone) - kept.limit - kept.correction, 0.0) / width**2


def stream_weight(norm: str, layer: int) -> float:
    """omega^2: the squared norm of the stream, in units of the branch's, where layer l = 0, 1, .. adds to it.

    Raises:
        ValueError: an unknown norm.
    """
    if norm not in NORMS:
        raise ValueError(f"norm = {norm!r}: expected one of {', '.join(NORMS)}.")
    layer = integer("layer", layer, "the layer, from 0 on", least=0)
    return 1.0 if norm == "post" else layer + 1.0


def agreement(norm: str, depth: int, correlation: float) -> list[Expansion]:
    """Mean cosine between two runs with correlated weights after 0, 1, .., `depth` layers.

    Raises:
        ValueError: an unknown norm, or a correlation outside [0, 1].

    >>> [round(agreement(norm, 64, 0.99)[-1].limit, 4) for norm in NORMS]
    [0.7256, 0.9631, 0.9631]
    """
    stream_weight(norm, 0)
    if not 0 <= correlation <= 1:
        raise ValueError(f"correlation = {correlation!r}: expected a number from 0 to 1.")
    limit, found = 1.0, [Expansion(1.0, 0.0)]
    # moments of (|x|^2, |x'|^2, <x, x'>)/n: limit, 1/n term of the mean, n times the covariance
    mean, shift, spread = np.ones(3), np.zeros(3), np.zeros((3, 3))
    for layer in range(depth):
        if norm != "pre":
            # the norm leaves the cosine alone; then the stream enters with its weight
            _, slope, bend = _cosine(mean)
            moved = slope @ shift + np.tensordot(bend, spread) / 2
            weight, variance = stream_weight(norm, layer), slope @ spread @ slope
            mean = weight * np.array([1.0, 1.0, limit])
            shift, spread = np.array([0.0, 0.0, weight * moved]), np.zeros((3, 3))
            spread[2, 2] = weight**2 * variance
        cosine, slope, bend = _cosine(mean)
        move = np.eye(3)
        move[2] += correlation * slope
        shift = move @ shift
        shift[2] += correlation * np.tensordot(bend, spread) / 2
        spread = move @ spread @ move.T + _noise(mean, correlation * cosine)
        mean = mean + np.array([1.0, 1.0, correlation * cosine])
        limit, slope, bend = _cosine(mean)
        found.append(Expansion(float(limit), float(slope @ shift + np.tensordot(bend, spread) / 2)))
    return found


def _cosine(m: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """N / sqrt(A B), its gradient and its Hessian at m = (A, B, N)."""
    a, b, n = m
    root = (a * b) ** -0.5
    value = n * root
    slope = np.array([-value / (2 * a), -value / (2 * b), root])
    bend = np.array(
        [
            [3 * value / (4 * a**2), value / (4 * a * b), -root / (2 * a)],
            [value / (4 * a * b), 3 * value / (4 * b**2), -root / (2 * b)],
            [-root / (2 * a), -root / (2 * b), 0.0],
        ]
    )
    return float(value), slope, bend


def _noise(m: np.ndarray, kappa: float) -> np.ndarray:
    """N times the covariance that a layer adds; kappa is the correlation of the branches' entries."""
    a, b, n = m
    cross = 2 * (kappa * a + n) + 2 * kappa, 2 * (kappa * b + n) + 2 * kappa
    return np.array(
        [
            [4 * a + 2, 4 * kappa * n + 2 * kappa**2, cross[0]],
            [4 * kappa * n + 2 * kappa**2, 4 * b + 2, cross[1]],
            [cross[0], cross[1], a + b + 2 * kappa * n + 1 + kappa**2],
        ]
    )
