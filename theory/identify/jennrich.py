r"""The sampling error of Jennrich's algorithm on triples, to first order and as an exact rational number.

There are as many symbols as states. Let ``M(x)[a, b]`` be the law of two symbols given the third. With the vectors u and v,

    M_u = sum_x u_x M(x) = A diag(C u) B^t,   N = M_u M_v^-1 = A diag(lambda) A^-1,   lambda_i = (C u)_i / (C v)_i,

so the columns of A are the eigenvectors of N, scaled to sum 1. The law is estimated by counting n independent triples. One
triple (a, b, x) moves M_u by ``u_x / P(x) (E_ab - M(x)) / n``, so it moves N by ``dN = (dM_u - N dM_v) M_v^-1`` and, with
``c = A^-1 dN A``, it moves the eigenvectors by

    dA_i = sum_{j != i} c_ji / (lambda_i - lambda_j) (A_j - A_i)

(the columns sum to 1, so the direction A_i is subtracted again). The mean square error is ``variance / n`` with the rational
number ``variance = sum over triples of P(triple) |dA(triple)|^2``. The next term is of relative order 1/n.

Source: Harshman's rendering of Jennrich's algorithm; the first order perturbation of eigenvectors is derived above.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from theory.checks import fraction
from theory.errors import OutsideHypotheses
from theory.identify.markov import HiddenMarkov

__all__ = ["best_directions", "eigenvalue_ratios", "sampling_variance"]

Directions = tuple[tuple[int, ...], tuple[int, ...]]


def eigenvalue_ratios(model: HiddenMarkov, directions: Directions) -> list[Fraction]:
    """Return the ratios lambda_i for the predictor 23|1; the algorithm separates states only if their ratios differ.

    Raises:
        OutsideHypotheses: A rank is deficient, or M_v has no inverse.
    """
    u, v = (np.array([fraction("a direction", entry) for entry in direction]) for direction in directions)
    weights = model.identifiable().factors["23|1"][2]
    above, below = weights @ u, weights @ v
    if not all(below):  # M_v = A diag(C v) B^t
        checks = [("M_v is invertible: no entry of C v is zero", False)]
        raise OutsideHypotheses("Jennrich's algorithm", checks, remedy="take another direction v, such as all ones")
    return [a / b for a, b in zip(above, below, strict=True)]


def sampling_variance(model: HiddenMarkov, directions: Directions) -> Fraction:
    """Return the mean of |Z|^2 (Frobenius), Z the limit in law of sqrt(n) (O_hat - O) on n triples, from the predictor 23|1.

    This is not the mean over all samples of one size. With a probability that falls exponentially in n, the counted M_v has no
    inverse or the eigenvalues are complex, and O_hat does not exist.

    Cost: symbols^3 matrix products of Fractions.

    Raises:
        OutsideHypotheses: A rank is deficient, there are more symbols than states, two ratios are equal, or M_v has no inverse.
    """
    ratios = eigenvalue_ratios(model, directions)
    symbols, states = model.emission.shape
    checks = [
        (f"as many symbols as states ({symbols} and {states})", symbols == states),
        ("the eigenvalue ratios are distinct", len(set(ratios)) == states),
    ]
    if not all(holds for _, holds in checks):
        raise OutsideHypotheses("the first order error", checks, remedy="take other directions u and v")
    a, b, c = model.factors["23|1"]
    law, marginal = model.triplets["23|1"], model.emission.sum(axis=1) / states
    u, v = (np.array([fraction("a direction", entry) for entry in direction]) for direction in directions)
    inverse = _inverse(a)
    behind = _inverse(b.T) / (c @ v)[None, :]  # M_v^-1 A
    gaps = np.array([[Fraction(0) if i == j else 1 / (ratios[i] - ratios[j]) for i in range(states)] for j in range(states)])
    total = Fraction(0)
    for first, second, third in product(range(symbols), repeat=3):
        moved = -law[:, :, third]
        moved[first, second] += 1
        moved = moved / marginal[third]
        mixing = inverse @ moved @ behind  # A^-1 dM M_v^-1 A, without u or v
        mixing = u[third] * mixing - v[third] * np.array(ratios)[:, None] * mixing
        amounts = mixing * gaps
        change = a @ amounts - a * amounts.sum(axis=0)
        total += marginal[third] * law[first, second, third] * (change**2).sum()
    return total


def best_directions(model: HiddenMarkov, largest: int = 2) -> Directions:
    """Return the small integer direction with the smallest sampling variance against the all-ones direction, and that one."""
    symbols = model.emission.shape[0]
    ones = (1,) * symbols
    choices = [(0, *rest) for rest in product(range(-largest, largest + 1), repeat=symbols - 1) if any(rest)]
    scored = []
    for choice in choices:
        if len(set(eigenvalue_ratios(model, (choice, ones)))) == model.states:
            scored.append((sampling_variance(model, (choice, ones)), choice))
    return min(scored)[1], ones


def _inverse(matrix: np.ndarray) -> np.ndarray:
    inverse = np.array(sympy.Matrix(matrix).inv(), dtype=object)
    return np.array([[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in inverse])
