"""How far masked attention is from even at a small residual, and how far this moves the distance to token 1."""

from fractions import Fraction

import numpy as np

from theory.attention.collapse import masked_mean

__all__ = ["factor_error"]


def factor_error(
    offset: np.ndarray, profile: np.ndarray, query_key: np.ndarray, scale: Fraction | float, mask: str, layers: int, size: float
) -> float:
    """Bound how far uneven attention moves the factor by which a layer shrinks the distance to token 1, over all layers.

    Logits of a row range over at most ``D = 2 s |A| (|b| + r) r``, so its weights are off by less than ``e^D - 1`` relative.
    What that changes in the direction is carried on by the mean over what a row sees, relative to the direction itself.

    Args:
        offset: Token 1, shape ``(width,)``.
        profile: Differences to token 1 up to a factor, shape ``(tokens, width)``; the first row is zero.
        query_key: Shape ``(width, width)``; the values are orthogonal.
        scale: Scale s of the logits.
        mask: "causal" or "window", as in `theory.attention.collapse.masked_mean`.
        layers: Number of layers.
        size: Frobenius distance r to token 1 at the start, at most 1.

    >>> line, one = np.arange(3.0)[:, None], np.ones((1, 1))
    >>> factor_error(np.zeros(1), line, one, 0.5, "causal", 4, 1e-9) < 1e-7
    True
    """
    offset, profile, query_key = (np.asarray(part).astype(float) for part in (offset, profile, query_key))
    spread = 2 * float(scale) * np.linalg.norm(query_key, 2) * (np.linalg.norm(offset) + 1) * size
    mean, power, direction = masked_mean(len(profile), mask).astype(float)[1:, 1:], np.eye(len(profile) - 1), profile[1:]
    first, carried = np.linalg.norm(direction), 0.0
    for _ in range(layers):
        power, direction = mean @ power, mean @ direction
        carried = max(carried, float(np.linalg.norm(power, 2) * first / np.linalg.norm(direction)))
    return float(2 * len(profile) * layers * carried * np.expm1(spread))
