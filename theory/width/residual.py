r"""The growth of residual streams with depth, and their sensitivity to noise on the weights: second moments in closed form.

The weights are independent N(0, 1/n), x_0 is any vector of n numbers, and |x| is the Euclidean norm.

**Fresh weights**, ``x_{l+1} = x_l + alpha W_l x_l``. Given x, W x is centred with ``E |W x|^2 = |x|^2``, so
``E |x_L|^2 = (1 + alpha^2)^L |x_0|^2`` exactly, for every n. With uniform attention, ``x_i' = x_i + alpha W xbar``, the same
holds for the mean xbar, and the deviations ``x_i - xbar`` never change.

**Tied weights**, ``x_L = (1 + alpha W)^L x_0``. Householder reflections that fix x_0 make W a Hessenberg matrix with N(0, 1/n)
on and above the diagonal and ``chi_{n-1-j}/sqrt(n)`` below the diagonal. As n grows, this matrix tends to the shift, so
``|x_L|^2/|x_0|^2`` tends to ``sum_k C(L,k)^2 alpha^{2k}``. The entry (i, j), i <= j, moves x_L by ``h x1 + h^2 x2`` with
``x1_r = alpha^{1+r-i+j} C(L, r-i+j+1)`` and ``x2_r = alpha^{2+r-2i+2j} C(L, r-2i+2j+2)``, r >= i (Vandermonde sums), and the
squares of the entries below the diagonal are short by ``(1 + j)/n``. Together, with ``a_r = C(L,r) alpha^r``,

    E |x_L|^2/|x_0|^2 = |a|^2 + (1/n) [sum_{i <= j} (|x1|^2 + 2 <a, x2>) - sum_r r(r+1)/2 a_r^2] + O(1/n^2).

The remainder has a bound. The law of W is invariant under rotations, so the mean is the normalised trace of
``(1 + alpha W^T)^L (1 + alpha W)^L``, a sum of words in W and W^T with positive weights. By Wick's formula the mean of such a
word is a sum over pairings of its letters, each a power of 1/n. So the mean is a polynomial f(1/n) with coefficients >= 0. Let
c be its coefficient of 1/n, given above. All terms beyond 1/n together are at most ``(f(1) - |a|^2 - c)/n^2``, and at n = 1
the matrix W is a single Gaussian: ``f(1) = E (1 + alpha g)^{2L} = sum_j C(2L, 2j) (2j-1)!! alpha^{2j}`` (`tied_remainder`).
Of few layers all pairings are summed: that is the mean exactly, at every width (`tied_mean`).

**Noise.** Take two runs whose weights have the correlation rho (W' = rho W + sqrt(1 - rho^2) G), with the branch
W x/|x| sqrt(n). As n grows, layer l multiplies the cosine between the runs by ``(omega_l^2 + rho)/(omega_l^2 + 1)``, where
omega_l is the weight of the stream: 1 for post-norm; ``sqrt(l + 1)`` for pre-norm, whose squared norm is n (l + 1); and
``sqrt(l + 1)`` by definition for ADMIN, which is post-norm with this weight. So

    post-norm: ((1 + rho)/2)^L;   pre-norm and ADMIN: prod_{l < L} (l + 1 + rho)/(l + 2), 1 - cos ~ (1 - rho)(H_{L+1} - 1):

the sensitivity of post-norm grows linearly in the depth, and the others' like a harmonic sum. Two laws hold at every width n.
The norm of post-norm and ADMIN commutes with positive factors and the branch is linear, so both streams have the directions of
``x <- (omega x + W x)/sqrt(omega^2 + 1)``, with ``E |x|^2 = n``. Given x and x', ``W x`` and ``W' x'`` are centred with mean
product ``rho <x, x'>``, so ``E |x_L - x'_L|^2 / 2n = 1 - prod_l (omega_l^2 + rho)/(omega_l^2 + 1)`` (`mean_square_distance`).
Pre-norm adds ``2n (1 - rho cos_l)`` to the mean of ``|x - x'|^2``, so ``E [|x_L - x'_L|^2 / 2n + rho sum_{l < L} cos_l] = L``.
The cosine of each run is a ratio, so that its mean has a 1/n term. This term follows from the
covariance of (|x|^2, |x'|^2, <x, x'>)/n, carried along through the layers.

Source: L. Liu et al. 2020 for ADMIN and the growth N against log N; the closed forms are derived above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from math import comb, prod
from typing import NamedTuple

import numpy as np

from theory.checks import fraction, integer
from theory.cost import Estimate, power, refuse

__all__ = [
    "NORMS",
    "Expansion",
    "agreement",
    "fresh_growth",
    "mean_square_distance",
    "sensitivity",
    "stream_weight",
    "tied_growth",
    "tied_mean",
    "tied_remainder",
]

NORMS = ("post", "pre", "admin")


class Expansion(NamedTuple):
    """The first two terms of a mean over random weights as the width n grows.

    Attributes:
        limit: The limit.
        correction: The coefficient of 1/n.
    """

    limit: float
    correction: float

    def at(self, width: int) -> float:
        """Return the sum of both terms at this width."""
        return self.limit + self.correction / width


def fresh_growth(depth: int, scale: Fraction | float) -> float:
    """Return E |x_L|^2 / |x_0|^2 with independent weights in every layer: ``(1 + alpha^2)^L``.

    Raises:
        ValueError: `depth` is not an integer >= 0, `scale` is not a number, or the growth is too large for a float.

    >>> fresh_growth(10, 1)
    1024.0
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    try:
        return float((1 + float(scale) ** 2) ** depth)
    except OverflowError:
        raise ValueError(
            f"depth = {power(depth, 1):.6g}, scale = {scale!s:.20}: the growth is too large for a float; take fewer layers."
        ) from None


def tied_growth(depth: int, scale: Fraction | float) -> Expansion:
    """Return E |x_L|^2 / |x_0|^2 with the same weights in every layer; the limit is ``sum_k C(L,k)^2 alpha^{2k}``.

    Raises:
        ValueError: `depth` is not an integer >= 0, `scale` is not a number, or a term is too large for a float.
        TooExpensive: The stream is too deep, see `theory.cost`.

    Cost: depth^3 operations.

    >>> tied_growth(1, 1), tied_growth(2, 1).limit
    (Expansion(limit=2.0, correction=0.0), 6.0)
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    refuse(Estimate(f"the growth of {power(depth, 1):.6g} tied layers", 1e-8 * power(depth, 3) + 1e-5 * power(depth, 2)))
    largest = max(comb(depth, r) * abs(scale) ** r for r in range(depth + 1))
    if largest**2 * (depth + 1) ** 4 > 10**300:  # the sums have fewer than depth^4 terms of this size
        digits = 2 * (math.log10(largest.numerator) - math.log10(largest.denominator))
        raise ValueError(
            f"depth = {depth}, scale = {scale!s:.20}: expected a growth that a float holds, but its largest term has "
            f"{digits:.0f} digits. Take fewer layers or a smaller scale."
        )
    a = np.array([float(comb(depth, r) * scale**r) for r in range(depth + 1)])
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
    """Bound the terms of the tied growth beyond 1/n, which `tied_growth` leaves out.

    The bound is sharp at width 1, and far from sharp at great depth.

    Raises:
        ValueError: `depth` is below 0, `width` below 1, or the bound is too large for a float.
        TooExpensive: The stream is too deep, see `theory.cost`.

    >>> tied_remainder(2, 1, 100)  # two layers leave out 2/n^2
    0.0002
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    width = integer("width", width, "the entries of the stream", least=1)
    kept = tied_growth(depth, scale)
    alone = sum(comb(2 * depth, 2 * j) * prod(range(1, 2 * j, 2)) * scale ** (2 * j) for j in range(depth + 1))
    try:
        return max(float(alone) - kept.limit - kept.correction, 0.0) / width**2
    except OverflowError:
        raise ValueError(f"depth = {depth}: the bound is too large for a float; take fewer layers.") from None


def tied_mean(depth: int, scale: Fraction | float, width: int) -> Fraction:
    """Return E |x_L|^2 / |x_0|^2 with the same weights in every layer, exactly and at every width, by all pairings.

    Raises:
        ValueError: `depth` is below 0, `width` below 1, or `scale` is not a number.
        TooExpensive: The stream is too deep, see `theory.cost`.

    Cost: a union of 2 depth indices for each of (2 depth - 1)!! pairings and each of depth^2 words.

    >>> tied_mean(2, 1, 100)  # 6 + 2/n + 2/n^2
    Fraction(30101, 5000)
    """
    depth, scale = integer("depth", depth, "the number of layers", least=0), fraction("scale", scale)
    width = integer("width", width, "the entries of the stream", least=1)
    pairings = prod(range(1, min(2 * depth, 40), 2))
    refuse(Estimate(f"all pairings of {power(2 * depth, 1):.6g} factors", 1e-5 * pairings * (depth + 1) ** 3))
    total = Fraction(0)
    for transposed in range(depth + 1):
        for plain in range(transposed % 2, depth + 1, 2):
            weight = comb(depth, transposed) * comb(depth, plain) * scale ** (transposed + plain)
            total += weight * _word_trace(transposed, plain, width)
    return total


def _word_trace(transposed: int, plain: int, width: int) -> Fraction:
    """The mean of tr((W^T)^r W^s) / n: each pairing of letters is n to the power of its free indices."""
    size = transposed + plain
    # letter k of the cyclic word lies between the indices k and k + 1; of W^T the row is the second
    letters = [(k + 1, k) if k < transposed else (k, k + 1) for k in range(size)]

    def free(pairs: list[tuple[int, int]]) -> int:
        group = list(range(size))
        for first, second in pairs:
            for one, other in zip(letters[first], letters[second], strict=True):
                one, other = group[one % size], group[other % size]
                group = [one if each == other else each for each in group]
        return len(set(group))

    def summed(left: tuple[int, ...], pairs: list[tuple[int, int]]) -> Fraction:
        if not left:
            return Fraction(width) ** (free(pairs) - 1 - size // 2)
        first, *rest = left
        return sum(
            (summed(tuple(k for k in rest if k != other), [*pairs, (first, other)]) for other in rest), start=Fraction(0)
        )

    return summed(tuple(range(size)), []) if size else Fraction(1)


def stream_weight(norm: str, layer: int) -> float:
    """Return omega^2, the squared norm of the stream that enters layer l = 0, 1, .., in units of the branch's squared norm.

    Raises:
        ValueError: The norm is not one of `NORMS`.
    """
    if norm not in NORMS:
        raise ValueError(f"norm = {norm!r}: expected one of {', '.join(NORMS)}.")
    layer = integer("layer", layer, "the layer, from 0 on", least=0)
    return 1.0 if norm == "post" else layer + 1.0


def mean_square_distance(norm: str, depth: int, correlation: float) -> list[float]:
    """Return E |x_l - x'_l|^2 / 2n after l = 1, .., `depth` layers of post-norm or ADMIN, exactly and at every width n.

    The streams are divided by the root of their mean square growth in place of their norm.

    Raises:
        ValueError: The norm is not one of `NORMS`, or it is "pre", whose branch is not linear; `depth` is not an integer >= 0,
            or the correlation lies outside [-1, 1].
        TooExpensive: The stream is too deep, see `theory.cost`.

    >>> mean_square_distance("post", 2, 0.5), round(mean_square_distance("admin", 2, 0.5)[1], 4)
    ([0.25, 0.4375], 0.375)
    """
    if norm == "pre":
        raise ValueError("norm = 'pre': expected 'post' or 'admin'; the pre-norm branch is not linear, so no such law is exact")
    depth, correlation = _depth(depth), _correlation(correlation, least=-1)
    squares = np.array([stream_weight(norm, layer) for layer in range(depth)])
    return (1 - np.cumprod((squares + correlation) / (squares + 1))).tolist()


def sensitivity(squares: Sequence[Fraction | float]) -> float:
    """Return c, the limit of (1 - cos) / (1 - rho) as rho -> 1, in a wide stack: ``sum_l 1 / (omega_l^2 + 1)``.

    Layer l multiplies the cosine by ``(omega_l^2 + rho)/(omega_l^2 + 1) = 1 - (1 - rho)/(omega_l^2 + 1)``.

    Args:
        squares: omega_l^2 of every layer, the squared norm of the stream that enters it, in units of the branch's.

    Raises:
        ValueError: a square is negative.

    >>> sensitivity([1] * 60), sensitivity([layer + 1 for layer in range(3)]) == 1 / 2 + 1 / 3 + 1 / 4
    (30.0, True)
    """
    if any(square < 0 for square in squares):
        raise ValueError(f"squares = {list(squares)!r}: expected squared norms, at least 0.")
    return float(sum(1 / (square + 1) for square in squares))


def agreement(norm: str, depth: int, correlation: float) -> list[Expansion]:
    """Return the mean cosine between two runs with correlated weights after 0, 1, .., `depth` layers.

    Raises:
        ValueError: The norm is not one of `NORMS`, `depth` is not an integer >= 0, or the correlation lies outside [0, 1].

    >>> [round(agreement(norm, 64, 0.99)[-1].limit, 4) for norm in NORMS]
    [0.7256, 0.9631, 0.9631]
    """
    stream_weight(norm, 0)
    depth, correlation = _depth(depth), _correlation(correlation, least=0)
    limit, found = 1.0, [Expansion(1.0, 0.0)]
    # moments of (|x|^2, |x'|^2, <x, x'>)/n: the limit, the 1/n term of the mean, and n times the covariance
    mean, shift, spread = np.ones(3), np.zeros(3), np.zeros((3, 3))
    for layer in range(depth):
        if norm != "pre":
            # the norm keeps the cosine; the stream then enters with its weight
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


def _depth(depth: int) -> int:
    depth = integer("depth", depth, "the number of layers", least=0)
    refuse(Estimate(f"{power(depth, 1):.6g} layers of two streams", 1e-4 * power(depth, 1), 1e-6 * power(depth, 1)))
    return depth


def _correlation(correlation: float, least: int) -> float:
    exact = fraction("correlation", correlation)
    if not least <= exact <= 1:
        raise ValueError(f"correlation = {correlation!r}: expected a number from {least} to 1, because it correlates weights.")
    return float(exact)


def _cosine(m: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return N / sqrt(A B), its gradient and its Hessian at m = (A, B, N)."""
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
    """Return n times the covariance that a layer adds; kappa is the correlation of the branches' entries."""
    a, b, n = m
    cross = 2 * (kappa * a + n) + 2 * kappa, 2 * (kappa * b + n) + 2 * kappa
    return np.array(
        [
            [4 * a + 2, 4 * kappa * n + 2 * kappa**2, cross[0]],
            [4 * kappa * n + 2 * kappa**2, 4 * b + 2, cross[1]],
            [cross[0], cross[1], a + b + 2 * kappa * n + 1 + kappa**2],
        ]
    )
