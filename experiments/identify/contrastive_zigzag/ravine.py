r"""Unit gradient steps on noise contrastive losses: how many they are, by the zigzag of a step across a ravine.

Notation and losses: `theory.identify.contrast`. Let m = b - R s / 2, n = |grad m| = sqrt(1 + R^2/4), y = m / n the coordinate
across the line m = 0 from the noise to the optimum, and l = n s + R m / (2 n) the one along it. The losses times e^{R^2/8} are

    eNCE  e^{s^2/8} cosh(m/2),
    NCE   1/2 int phi(u) [e^{Ru/2} log(1 + e^-z) + e^{-Ru/2} log(1 + e^z)] du,   z = (R + s) u - m.

**Straight, then zigzag.** Steps have one length v. Let c(y) be the share of a unit step that goes across, with its sign, and
y_0(l) the floor, c(y_0) = 0. A step multiplies a small distance from the floor by mu = 1 - v c'(y_0). While -1 < mu, steps
follow the floor and gain v each. Where mu < -1 they could zigzag, and yet go on straight: what is left of a zigzag is rounding,
and grows by |mu| in each step (a delayed period doubling). So steps leave the floor at the l where

    int ln |mu| dl / v = ln(v / 2 epsilon),     from mu = -1 on, epsilon the rounding of a position across.

From there they jump across the floor and back. The ends p > q of a cycle of two, c(p) = c_p and c(q) = c_q, have

    p - q = v (c_p - c_q) / 2,     (c_p + c_q) / 2 = -y' g,

where g is the mean gain of the two steps in units of v, and y' = d(p + q) / 2 dl: the middle of the zigzag moves with the
floor, and lags behind it. So the number of steps is N = int dl / v + int dl / (v g), over the straight part and the zigzag,
up to the first end of a step that lies below the level. What is left out is of relative order 1/R^2: the change of a cycle
within its two steps, and the few steps in which the start, which is not on the floor, comes down to it.

**Exponents** for v = 1/R. For eNCE, with x = s/R and a = 1/4, L_l / |L_y| = 2 x / (R tanh(1/8) (1 - x^2)), so

    N = R^4 tanh(1/8)/4 (ln(R/s_1) - 1/2) (1 + o(1)),      s_1^2 / 8 = ln(cosh(1/4) / cosh(1/8)).

For NCE, with rho = 1 + s/R and theta = pi / (2 rho), int e^{t/2} log(1 + e^{-rho t}) dt over all t is 2 pi / sin(theta). So for
rho > 1/2 to leading order

    L_s = phi(0) pi^2 cos(theta) / (R^2 rho^2 sin(theta)^2),      L_mm = phi(0) pi / (2 R rho^2 sin(theta)),

L_l / |L_y| is of order R^-3, and N grows like R^6; where rho < 1/2 the slope is exponentially larger. The level is reached at a
rho below 1. So R^6 is the exponent of the upper bound D^2/v^2 = R^4 + R^6/4 and of NCE; for eNCE it is loose by R^2 / ln R.

Source: derived here. The sums are floating point numbers, by the trapezoidal rule on analytic functions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from theory.identify.contrast import LOSSES

__all__ = ["SHORTEST", "rounding_across", "unit_steps"]

SHORTEST = 7.0
"""Smallest distance of the means at which `unit_steps` was found to hold within its relative error of 1/R^2."""

_NODES, _REACH = 1201, 14.0  # of the integral over u; the integrand is analytic in a strip of width pi / R
_POINTS = 96  # on the way along the floor
_LAST = 0.2  # |s| at which the way ends; the level is reached before
_ROUNDS = 3  # of the lag behind the floor, each by the middle of the one before


class _Slopes(NamedTuple):
    """The loss, its derivatives by s (at fixed m) and by m."""

    value: np.ndarray
    along: np.ndarray
    across: np.ndarray


class _Step(NamedTuple):
    """What a step gains along l and goes across, in units of its length; and the loss where it starts."""

    gain: np.ndarray
    across: np.ndarray
    value: np.ndarray


@lru_cache(maxsize=256)
def unit_steps(radius: float, loss: str = "nce", rounding: float = 2.0**-52, pace: float = 1.0) -> float:
    """Return the steps of length pace/R along the unit gradient until the loss is below its largest value at distance 1/R.

    Args:
        radius: Distance R of the means, from 7 to 20.
        loss: "nce" or "ence".
        rounding: Relative rounding error of positions; that of float64 unless given. With 1, steps zigzag as soon as they can.
        pace: Length of a step times R, from 0.8 to 1. At 5/4 there are 2 to 6 in 100 more steps than the law says.

    Raises:
        ValueError: The loss is unknown, or a number is outside its range.

    The relative error is below 1/R^2: beside descents in float64 it is at most 0.65/R^2, from 7 to 20 for eNCE and to 12.6 for
    NCE.
    >>> round(unit_steps(8.0, "ence")), round(unit_steps(8.0, "nce"))
    (436, 1378)
    """
    if loss not in LOSSES:
        raise ValueError(f"loss = {loss!r}: expected 'nce' or 'ence'.")
    if not SHORTEST <= radius <= 20:
        raise ValueError(
            f"radius = {radius!r}: expected {SHORTEST} to 20. Below, steps reach the level before they zigzag, or soon after; "
            "above, the integrals are not evaluated."
        )
    if not 0 < rounding <= 1:
        raise ValueError(f"rounding = {rounding!r}: expected a share above 0 and up to 1, such as 2**-52 of float64.")
    if not 0.8 <= pace <= 1:
        raise ValueError(f"pace = {pace!r}: expected 0.8 to 1, where the law was found to hold beside descents.")
    v, n = pace / radius, (1 + radius**2 / 4) ** 0.5
    angles = np.linspace(0, 2 * np.pi, 720)
    s, b = np.cos(angles) / radius, np.sin(angles) / radius
    level = _slopes(radius, loss, s, b - radius * s / 2).value.max()
    way = -n * np.geomspace(radius, _LAST, _POINTS)
    floor = _floor(radius, loss, way)
    left = _leaves(radius, loss, way, floor, rounding, v)
    zigzag = -np.geomspace(-left, n * _LAST, _POINTS)
    gain, lowest = _zigzag(radius, loss, zigzag, np.interp(zigzag, way, floor), v)
    end = np.interp(-level, -lowest, zigzag)
    fine = np.linspace(left, end, 50 * _POINTS)
    return float((left - way[0]) / v + np.trapezoid(1 / (v * np.interp(fine, zigzag, gain)), fine))


def _floor(radius: float, loss: str, at: np.ndarray) -> np.ndarray:
    """Where a step goes along l alone, at each l."""
    low, high = np.full(at.shape, -8.0), np.full(at.shape, 8.0)
    for _ in range(60):
        middle = (low + high) / 2
        right = _step(radius, loss, at, middle).across > 0
        low, high = np.where(right, low, middle), np.where(right, middle, high)
    return (low + high) / 2


def _leaves(radius: float, loss: str, at: np.ndarray, floor: np.ndarray, rounding: float, v: float) -> float:
    """The l at which the rounding of positions has grown to a zigzag; the start, if that would be before it."""
    mu = 1 - v * _bend(radius, loss, at, floor)
    fine = np.linspace(at[0], at[-1], 50 * len(at))
    growth = np.log(np.maximum(np.abs(np.interp(fine, at, mu)), 1)) * (fine[1] - fine[0]) / v
    return float(np.interp(max(np.log(v / (2 * rounding_across(radius, rounding))), 0), np.cumsum(growth), fine))


def rounding_across(radius: float, rounding: float = 2.0**-52) -> float:
    """Return the rounding of a position across the ravine, epsilon, which is that of the offset b = R^2/2 of the noise.

    >>> rounding_across(8.0) == 2.0**-47 / 17**0.5
    True
    """
    return rounding * radius**2 / (2 * (1 + radius**2 / 4) ** 0.5)


def _zigzag(radius: float, loss: str, at: np.ndarray, floor: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean gain of a step and the lower loss of the two ends, at each l."""
    high, low, lag = floor + v / 2, floor - v / 2, np.zeros(at.shape)
    for _ in range(_ROUNDS):
        for _ in range(12):  # Newton's method for both ends
            above, below = _step(radius, loss, at, high).across, _step(radius, loss, at, low).across
            bends = _bend(radius, loss, at, high), _bend(radius, loss, at, low)
            drift, width = above + below - 2 * lag, high - low - v * (above - below) / 2
            jacobian = np.array([[bends[0], bends[1]], [1 - v * bends[0] / 2, v * bends[1] / 2 - 1]])
            moved = np.linalg.solve(np.moveaxis(jacobian, 2, 0), np.stack([drift, width], axis=1)[..., None])[..., 0]
            high, low = (end - np.clip(move, -v / 4, v / 4) for end, move in zip((high, low), moved.T, strict=True))
        ends = [_step(radius, loss, at, end) for end in (high, low)]
        gain = (ends[0].gain + ends[1].gain) / 2
        lag = -np.gradient((high + low) / 2, at) * gain
    return gain, np.minimum(ends[0].value, ends[1].value)


def _bend(radius: float, loss: str, at: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The derivative by y of what a step goes across."""
    apart = 1e-5
    ends = [_step(radius, loss, at, y + sign * apart).across for sign in (1, -1)]
    return (ends[0] - ends[1]) / (2 * apart)


def _step(radius: float, loss: str, at: np.ndarray, y: np.ndarray) -> _Step:
    n = (1 + radius**2 / 4) ** 0.5
    found = _slopes(radius, loss, (at - radius * y / 2) / n, n * y)
    along, across = found.along / n, n * found.across - radius / (2 * n) * found.along
    length = np.hypot(along, across)
    return _Step(-along / length, across / length, found.value)


def _slopes(radius: float, loss: str, s: np.ndarray, m: np.ndarray) -> _Slopes:
    if loss == "ence":
        scale = np.exp(s**2 / 8)
        return _Slopes(scale * np.cosh(m / 2), s / 4 * scale * np.cosh(m / 2), scale * np.sinh(m / 2) / 2)
    u = np.linspace(-_REACH, _REACH, _NODES)
    density, tilt = -(u**2) / 2 - np.log(2 * np.pi) / 2, radius * u / 2
    z = (radius + s)[:, None] * u - m[:, None]
    least = np.logaddexp(0, -z), np.logaddexp(0, z)  # -log of the logistic function of z and of -z
    data, noise = (np.exp(density + sign * tilt) * (u[1] - u[0]) / 2 for sign in (1, -1))
    value = (data * least[0] + noise * least[1]).sum(axis=1)
    pull = data * np.exp(-least[1]) - noise * np.exp(-least[0])
    return _Slopes(value, -(u * pull).sum(axis=1), pull.sum(axis=1))
