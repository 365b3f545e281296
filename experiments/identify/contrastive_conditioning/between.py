r"""Hessians of both losses between the noise and the optimum, as integrals.

With the notation of `theory.identify.contrast`, the loss times e^{R^2/8} has the Hessian ``1/2 int phi(u) w(u) T T^t du`` with
``T = (u + R/2, -1)`` and

    NCE  w = (e^{Ru/2} + e^{-Ru/2}) / (2 cosh(z/2))^2,     eNCE  w = (e^{(Ru-z)/2} + e^{(z-Ru)/2}) / 4.
"""

import numpy as np

# analytic in a strip of width pi / R, so the trapezoidal rule of step h is exact up to exp(-2 pi^2 / (R h)): 3e-14 at R = 136
_REACH, _NODES = 14.0, 6001


def hessian(radius: float, place: float, loss: str) -> np.ndarray:
    """Return e^{R^2/8} times the loss's Hessian at a share of the way from the optimum to the noise."""
    u = np.linspace(-_REACH, _REACH, _NODES)
    slopes = np.stack([u + radius / 2, -np.ones(_NODES)])
    z = radius * u - place * (radius * slopes[0] - radius**2 / 2)
    if loss == "nce":
        # 2 cosh(x) is e^|x| (1 + e^-2|x|), so that no power leaves the floats
        tilt, logit = np.abs(radius * u), np.abs(z)
        weight = np.exp(tilt / 2 - logit) * (1 + np.exp(-tilt)) / (1 + np.exp(-logit)) ** 2
    else:
        weight = np.cosh((radius * u - z) / 2) / 2
    density = np.exp(-(u**2) / 2) / (2 * np.pi) ** 0.5
    return (slopes * density * weight) @ slopes.T * (u[1] - u[0]) / 2


def condition(matrix: np.ndarray) -> tuple[float, float]:
    """Return the condition number of a symmetric 2 x 2 matrix, and what rounding of the integrals may add to it."""
    determinant = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] ** 2
    t = np.trace(matrix) / determinant**0.5
    found = ((t + (t**2 - 4) ** 0.5) / 2) ** 2
    return float(found), float(found * 4 * matrix[0, 0] * matrix[1, 1] / determinant * _NODES * 2.0**-53)
