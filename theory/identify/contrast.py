r"""Noise contrastive estimation between Gaussians in closed form: curvature at the noise and at the optimum, steps of descent.

The noise is Q = N(0, 1) and the data are P* = N(R, 1). The model is ``log p/q = theta x - a`` with T = (x, -1), and its optimum
is ``theta = R``, ``a = R^2/2``. With u = x - R/2, (s, b) the offset from the optimum, z = R u + s (u + R/2) - b and phi the
standard normal density,

    NCE  = e^{-R^2/8} 1/2 int phi(u) [e^{Ru/2} log(1 + e^-z) + e^{-Ru/2} log(1 + e^z)] du,
    eNCE = 1/2 E_{P*} sqrt(q/p) + 1/2 E_Q sqrt(p/q) = e^{-R^2/8} e^{s^2/8} cosh(b/2 - R s/4).

**At the optimum.** eNCE has the Hessian ``e^{-R^2/8}/4 [[1 + R^2/4, -R/2], [-R/2, 1]]``. NCE has ``1/2 int w T T^t`` with
``w = p* q/(p* + q) = e^{-R^2/8} phi(u)/(2 cosh(R u/2))``. With m the mass of w and V the variance of u under w, this Hessian
is ``m/2 [[V + R^2/4, -R/2], [-R/2, 1]]``. A matrix with these entries has the condition number ``((t + sqrt(t^2 - 4))/2)^2``,
t = trace / sqrt(det) = (1 + R^2/4 + V)/sqrt(V), V = 1 for eNCE. As R grows V = pi^2/R^2 (1 - 2 pi^2/R^2 + ..) (from
``int dv/(2 cosh(v/2)) = pi``, with v^2: pi^3, with v^4: 5 pi^5, and phi(v/R) expanded), so kappa = R^6/(16 pi^2)
(1 + (8 + 2 pi^2)/R^2 + ..) for NCE, R^4/16 (1 + ..) for eNCE.

**At the noise** NCE has the gradient (-R, 0)/4 and the Hessian [[2 + R^2, -R], [-R, 2]]/8; eNCE (-R, 0)/4 and
[[R^2 + 2, -R], [-R, 2]]/8 as well.

**Gradient descent** with the step eta: near the optimum each step multiplies the flattest component by ``1 - eta lambda_min``.
In the ball of radius r the curvature is at most Lambda(r), so a step multiplies the distance by at least
``1 - eta Lambda(r)``. This bounds the number of steps from below, exponentially in R^2/8 because 1/Lambda is exponential.

    eNCE: Lambda = e^{(r^2-R^2)/8} cosh(r c) (1/4 + (r/4 + c)^2), c = sqrt(1 + R^2/4)/2,
    NCE:  Lambda = e^{-R^2/8} 1/2 int phi(u) e^{r (1 + |u| + R/2)} (1 + (u + R/2)^2)/(2 cosh(R u/2)) du,

the second from ``cosh((x + tau)/2) >= cosh(x/2) e^{-|tau|/2}``. Its integrand has bumps of width one near ``|u| = r - R/2``.

**Normalised descent** with steps of length v: ``|x' - x*|^2 = |x - x*|^2 - 2 v <g, x - x*> + v^2``, g the unit gradient. While
``<g, x - x*> > v`` the square falls by more than v^2, so within ``D^2/v^2`` steps, D the initial distance, an iterate has
``<g, x - x*> <= v``. The loss is convex, so its value is then at most the largest value on the ball of radius v about the
optimum, because the point of that ball on the supporting line is no lower. As D^2 = R^2 + R^4/4, the number of steps is
polynomial for either loss.

Source: Liu, Rosenfeld, Ravikumar, Risteski, arXiv 2110.11271 (losses, flatness, normalised descent on eNCE); all formulas are
derived above.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import fraction, nonnegative_number
from theory.registry import registered

__all__ = ["LOSSES", "condition_number", "contrastive", "descent_rate", "flattest_curvature", "largest_curvature"]
__all__ += ["leading_condition", "noise_curvature", "spread", "step_size", "travel"]

LOSSES = ("nce", "ence")
_NEAR, _FAR = sympy.Rational(1e-6), sympy.Integer(10**6)  # the float, which is smaller than the millionth


@registered
def contrastive(radius: Number | None = None, loss: str = "nce") -> Bound:
    """Return the condition number of noise contrastive estimation between two unit Gaussians.

    The condition number is that of the Hessian at the optimum, and exact.

    Args:
        radius: Distance R of the two means, from 1e-6 to 1e6; None leaves the distance open.
        loss: "nce" (logistic) or "ence" (exponential).

    Raises:
        ValueError: `radius` is outside this range, or the loss is unknown.

    >>> round(contrastive(radius=4, loss="ence").at(), 4)
    33.9706
    >>> round(contrastive(4).at(), 2)
    87.5
    """
    _known(loss)
    distance = None if radius is None else nonnegative_number("radius", radius)
    growth = "R^6 / (16 pi^2)" if loss == "nce" else "R^4 / 16"
    if distance is not None and distance != 0 and not _NEAR <= distance <= _FAR:
        raise ValueError(
            f"radius = {radius!r}: expected {float(_NEAR):g} to {float(_FAR):g}, where the integral is evaluated; the "
            f"number grows like {growth} for large R."
        )
    # the symbol is not declared positive: sympy would then take the hypothesis for granted
    r, u = sympy.Symbol("radius", nonnegative=True), sympy.Symbol("u", real=True)
    weight = sympy.exp(-(u**2) / 2) / sympy.cosh(r * u / 2)
    total, second = (sympy.Integral(u**power * weight, (u, 0, 14)) for power in (0, 2))
    v = second / total if loss == "nce" else sympy.Integer(1)
    t = (1 + r**2 / 4 + v) / sympy.sqrt(v)
    return Bound(
        side="exact",
        expr=((t + sympy.sqrt(t**2 - 4)) / 2) ** 2,
        quantity=f"the condition number of {'NCE' if loss == 'nce' else 'eNCE'} at the optimum, about {growth} for large R",
        assumes=(
            Assumption("noise N(0, 1), data N(R, 1), a free normaliser (taken as given)"),
            Assumption("radius > 0", sympy.Gt(r, 0)),
        ),
        source="the Hessian as an integral (derived in theory.identify.contrast); losses: arXiv 2110.11271",
        values=given({r: distance}),
    )


@lru_cache(maxsize=256)
def _moments(radius: float) -> tuple[Any, Any]:
    """Return the mass (without the factor e^{-R^2/8}) and the variance of the weight of NCE at the optimum."""
    with mpmath.workdps(30):
        big = mpmath.mpf(radius)

        def weight(u: Any) -> Any:
            return mpmath.npdf(u) / (2 * mpmath.cosh(big * u / 2))

        # the weight decays like exp(-R |u| / 2), so the pieces have this scale
        ends = sorted({mpmath.mpf(0), *(min(scale / big, mpmath.mpf(14)) for scale in (4, 16, 64, 160)), mpmath.mpf(14)})
        mass: Any = 2 * mpmath.quad(weight, ends)
        second: Any = 2 * mpmath.quad(lambda u: u**2 * weight(u), ends)
        return mass, second / mass


def spread(radius: float, loss: str = "nce") -> float:
    """Return the variance V of the weight at the optimum; it is 1 for eNCE.

    Raises:
        ValueError: The loss is neither "nce" nor "ence", or the radius is not positive or above 10^6.

    >>> round(spread(30.0) * 30**2 / float(mpmath.pi) ** 2, 3)
    0.979
    """
    return float(_variance(radius, loss))


def condition_number(radius: float, loss: str = "nce") -> float:
    """Return the condition number of the Hessian at the optimum; errors as for `spread`."""
    radius = _distance(radius)
    with mpmath.workdps(30):
        v = _variance(radius, loss)
        t = (1 + mpmath.mpf(radius) ** 2 / 4 + v) / mpmath.sqrt(v)
        return float(((t + mpmath.sqrt(t**2 - 4)) / 2) ** 2)


def leading_condition(loss: str = "nce") -> tuple[int, float]:
    """Return exponent and factor of the power of R that kappa approaches as R grows: (6, 1/(16 pi^2)) or (4, 1/16).

    Raises:
        ValueError: The loss is neither "nce" nor "ence".
    """
    _known(loss)
    return (6, float(1 / (16 * mpmath.pi**2))) if loss == "nce" else (4, 1 / 16)


def flattest_curvature(radius: float, loss: str = "nce") -> float:
    """Return the smallest eigenvalue of the Hessian at the optimum; errors as for `spread`."""
    with mpmath.workdps(30):
        v, big = _variance(radius, loss), mpmath.mpf(_distance(radius))
        scale = _moments(float(big))[0] / 2 if loss == "nce" else mpmath.mpf(1) / 4
        trace = 1 + big**2 / 4 + v
        # 2 det / (trace + root) does not cancel
        return float(scale * mpmath.exp(-(big**2) / 8) * 2 * v / (trace + mpmath.sqrt(trace**2 - 4 * v)))


def noise_curvature(radius: float) -> np.ndarray:
    """Return the Hessian of either loss at the parameters of the noise; `radius` is the distance of the means, at most 10^6."""
    radius = _distance(radius)
    return np.array([[2 + radius**2, -radius], [-radius, 2]]) / 8


def step_size(radius: float) -> float:
    """Return the inverse of the largest curvature at the noise, where descent starts."""
    return float(1 / np.linalg.eigvalsh(noise_curvature(radius))[-1])


def travel(radius: float) -> float:
    """Return the distance D from the noise to the optimum in (theta, a); `radius` as for `noise_curvature`."""
    radius = _distance(radius)
    return (radius**2 + radius**4 / 4) ** 0.5


def descent_rate(radius: float, loss: str = "nce") -> float:
    """Return the number of steps of gradient descent in which the distance falls by the factor e, near the optimum.

    Raises:
        ValueError: As for `spread`, or the number is too large for a float: it grows like e^(R^2/8).
    """
    with np.errstate(divide="ignore", over="ignore"):
        steps = -1 / np.log1p(-step_size(radius) * flattest_curvature(radius, loss))
    if not np.isfinite(steps):
        raise ValueError(
            f"radius = {radius!r}: the number of steps is too large for a float, like e^(R^2 / 8); take a smaller one."
        )
    return float(steps)


def largest_curvature(radius: float, reach: float, loss: str = "nce") -> float:
    """Return Lambda(r), an upper bound on the curvature within the distance `reach` of the optimum.

    Raises:
        ValueError: The loss is unknown, `radius` or `reach` is negative, or the bound is too large for a float.
    """
    _known(loss)
    found = _curvature(nonnegative_number("radius", radius), nonnegative_number("reach", reach), loss)
    if not np.isfinite(found):
        raise ValueError(f"reach = {reach!r}: the bound is too large for a float; take a smaller reach.")
    return found


def _curvature(radius: Any, reach: Any, loss: str) -> float:
    big, r = (mpmath.mpf(float(fraction(name, x))) for name, x in (("radius", radius), ("reach", reach)))
    if loss == "ence":
        c = mpmath.sqrt(1 + big**2 / 4) / 2
        return float(mpmath.exp((r**2 - big**2) / 8) * mpmath.cosh(r * c) * (mpmath.mpf(1) / 4 + (r / 4 + c) ** 2))

    def weight(u: Any) -> Any:  # of u and -u together
        raised = mpmath.npdf(u) * mpmath.exp(r * (1 + u + big / 2)) / mpmath.cosh(big * u / 2)
        return raised * (1 + u**2 + big**2 / 4)

    bump = max(r - big / 2, mpmath.mpf(0))
    near = (scale / big for scale in (4, 16, 64)) if big else ()
    ends = {mpmath.mpf(0), *(bump + step for step in (-14, -6, -2, 0, 2, 6, 14)), r + 14, *near}
    return float(mpmath.exp(-(big**2) / 8) * mpmath.quad(weight, sorted(end for end in ends if 0 <= end <= r + 14)) / 2)


def _distance(radius: float) -> float:
    exact = nonnegative_number("radius", radius)
    if exact > _FAR:
        raise ValueError(f"radius = {radius!r}: expected at most {float(_FAR):g}, the largest distance that is evaluated.")
    return float(exact)


def _variance(radius: float, loss: str) -> Any:
    _known(loss)
    distance = _distance(radius)
    if not distance:
        raise ValueError(f"radius = {radius!r}: expected a number > 0, because at distance 0 the noise is the data.")
    return _moments(distance)[1] if loss == "nce" else mpmath.mpf(1)


def _known(loss: str) -> None:
    if loss not in LOSSES:
        raise ValueError(f"loss = {loss!r}: expected 'nce' or 'ence'.")
