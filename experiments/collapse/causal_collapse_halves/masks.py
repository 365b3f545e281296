r"""Attention under a mask at a small residual: every row averages what it sees, and the distance to token 1 halves.

The causal mean, ``P_ij = 1/i`` for j <= i, is triangular with eigenvalues 1/i. Token 1 attends only to itself, so the distance
to token 1 involves the eigenvalues 1/2, ..., 1/n. The eigenvector of 1/2 is ``i - 1``, because ``sum_{j<=i} (j - 1)/i =
(i - 1)/2``. So the distance halves in each layer, up to a relative part that falls like ``(2/3)^l``.

With the window {i, i - 1} the mean is ``(1 + S)/2``, S the shift. So ``E_l = 2^-l sum_k C(l, k) S^k E_0``, in which the largest
power of l that survives is ``k = n - 2``: the distance falls like ``l^{n-2} 2^-l`` and a layer's factor is
``1/2 + (n - 2)/(2 l) + O(1/l^2)``.

Source: derived here; exponential collapse under masks is that of arXiv 2405.18781.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from theory.checks import positive_integer
from theory.exact.integers import widened

__all__ = ["distance_ratios", "factor_excess", "masked_mean"]


def masked_mean(tokens: int, mask: str) -> np.ndarray:
    """Return the limit of a masked layer at small residual: every row averages the tokens that it sees.

    Args:
        tokens: Number of tokens.
        mask: "causal", "window" (the token itself and the token before it) or "full".

    Returns:
        Fractions, shape ``(tokens, tokens)``.

    Raises:
        ValueError: The mask is not one of these.

    >>> masked_mean(3, "causal")[2].tolist(), masked_mean(3, "window")[2].tolist()
    ([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)], [Fraction(0, 1), Fraction(1, 2), Fraction(1, 2)])
    """
    if mask not in ("causal", "window", "full"):
        raise ValueError(f"mask = {mask!r}: expected 'causal', 'window' or 'full', the masks whose limit is known here.")
    first = {"causal": lambda i: 0, "window": lambda i: max(i - 1, 0), "full": lambda i: 0}[mask]
    last = {"causal": lambda i: i, "window": lambda i: i, "full": lambda i: tokens - 1}[mask]
    return np.array(
        [[Fraction(int(first(i) <= j <= last(i)), last(i) - first(i) + 1) for j in range(tokens)] for i in range(tokens)],
        dtype=object,
    )


def distance_ratios(profile: np.ndarray, mask: str, layers: int) -> np.ndarray:
    """Return the factor by which each layer shrinks the distance to token 1 at small residual, for orthogonal ``W_V``.

    Args:
        profile: Differences to token 1, whose own row is 0; exact, shape ``(tokens, width)``.
        mask: Mask, as in `masked_mean`.
        layers: Number of layers.

    Returns:
        Frobenius distance after each layer over the distance before it, shape ``(layers,)``; exact up to the final root. It
        tends to 1/2 for the causal mask and the window.

    >>> line = np.array([[Fraction(i)] for i in range(5)])
    >>> distance_ratios(line, "causal", 3)
    array([0.5, 0.5, 0.5])
    """
    profile = widened(np.asarray(profile))
    mean, squares = masked_mean(len(profile), mask), [(profile**2).sum()]
    for _ in range(layers):
        profile = mean @ profile
        profile = profile - profile[:1]
        squares.append((profile**2).sum())
    return np.array([math.sqrt(after / before) for before, after in pairwise(squares)])


def factor_excess(tokens: int) -> Fraction:
    """Return c in the factor ``1/2 + c/l + O(1/l^2)`` of layer l under the window: ``(n - 2)/2`` for n tokens.

    >>> factor_excess(6)
    Fraction(2, 1)
    """
    tokens = positive_integer("tokens", tokens, "the number of tokens")
    return Fraction(tokens - 2, 2)
