r"""The error of the transition to first order: what a counted triple moves, in floating point.

With the notation of `theory.identify.jennrich`, ``F = (A^-1 M_v)^t = A T diag(C v)``, and F with columns of sum 1 is A T. So

    dF = ((A^-1 dM_v - A^-1 dA A^-1 M_v))^t,   d(A T)_i = (dF_i - (A T)_i sum(dF_i)) / (C v)_i,   dT = A^-1 (d(A T) - dA T).
"""

import numpy as np

from theory.identify import HiddenMarkov


def transition_variance(model: HiddenMarkov, directions: tuple[tuple[int, ...], tuple[int, ...]]) -> float:
    """Return the mean of |Z|^2 (Frobenius), Z the limit in law of sqrt(n) (T_hat - T) on n triples, up to rounding."""
    a, t, law = (np.asarray(part, float) for part in (model.emission, model.transition, model.triplets["23|1"]))
    u, v = (np.array(direction, float) for direction in directions)
    weights = np.asarray(model.factors["23|1"][2], float)
    ratios, scale = (weights @ u) / (weights @ v), weights @ v
    inverse, marginal = np.linalg.inv(a), a.sum(axis=1) / len(t)
    with np.errstate(divide="ignore"):
        gaps = 1 / (ratios - ratios[:, None])  # at [j, i]: 1 / (lambda_i - lambda_j)
    np.fill_diagonal(gaps, 0)
    total = 0.0
    for first, second, third in np.ndindex(law.shape):
        moved = -law[:, :, third] / marginal[third]
        moved[first, second] += 1 / marginal[third]
        mixing = (inverse @ moved @ np.linalg.inv((a @ t).T)) / scale
        amounts = (u[third] - v[third] * ratios[:, None]) * mixing * gaps  # A^-1 N = diag(lambda) A^-1
        by_emission = a @ amounts - a * amounts.sum(axis=0)
        rows = v[third] * inverse @ moved - inverse @ by_emission @ (scale[:, None] * (a @ t).T)
        following = (rows.T - (a @ t) * rows.T.sum(axis=0)) / scale
        total += marginal[third] * law[first, second, third] * ((inverse @ (following - by_emission @ t)) ** 2).sum()
    return float(total)
