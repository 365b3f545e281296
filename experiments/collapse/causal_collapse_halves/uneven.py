"""How far causal attention is from even, and how far this moves the distance to token 1: near the end, and from any start.

The logits of a row range over at most ``D = 2 s |A| (|b| + m) m``, where every token is within m of token 1, |b| is the length
of token 1 and s the scale. So each weight of a row that sees k tokens lies between ``e^-D/k`` and ``e^D/k``. All values are
orthogonal, so they move nothing in any bound here.
"""

import math

import numpy as np

from experiments.collapse.causal_collapse_halves.masks import masked_mean

__all__ = ["factor_error", "settling", "spread"]


def spread(offset: float, size: float, query_key: float, scale: float) -> float:
    """Return D, a bound on the range of a row's logits.

    Args:
        offset: Length of token 1.
        size: Largest distance of a token to token 1.
        query_key: Largest ``|A|_2`` of a layer.
        scale: Scale s of the logits.

    >>> spread(1.0, 1.0, 2.0, 0.5)
    4.0
    """
    return 2 * scale * query_key * (offset + size) * size


def factor_error(profile: np.ndarray, spread: float, mask: str, layers: int) -> float:
    """Bound how far uneven attention moves the factor by which a layer shrinks the distance to token 1, over all layers.

    A weight is off by less than ``e^D - 1`` relative. What that changes in the direction is carried on by the mean over what a
    row sees, relative to the direction itself.

    Args:
        profile: Differences to token 1 up to a factor, shape ``(tokens, width)``; the first row is zero.
        spread: Range D of a row's logits in the first layer; distances do not grow.
        mask: "causal" or "window", as in `masks.masked_mean`.
        layers: Number of layers.

    >>> factor_error(np.arange(3.0)[:, None], 1e-9, "causal", 4) < 1e-6
    True
    """
    profile = np.asarray(profile).astype(float)
    mean, power, direction = masked_mean(len(profile), mask).astype(float)[1:, 1:], np.eye(len(profile) - 1), profile[1:]
    first, carried = np.linalg.norm(direction), 0.0
    for _ in range(layers):
        power, direction = mean @ power, mean @ direction
        carried = max(carried, float(np.linalg.norm(power, 2) * first / np.linalg.norm(direction)))
    return float(2 * len(profile) * layers * carried * np.expm1(spread))


def settling(profile: np.ndarray, offset: float, query_key: float, scale: float, layers: int) -> float:
    """Bound how far causal attention is from its limit after some layers, from any start: factor 1/2, tokens along a line.

    Let e_i be the difference of token i to token 1. Token 2 sees itself with a share p >= 1/(1 + e^D), so e_2 never vanishes.
    The bound follows ``t_i = |e_i - (i - 1) e_2| / |e_2|``; ``q_i = 1/(1 + (i - 1) e^-D)`` bounds every weight of row i:

        t_i' <= (1 + e^D) (q_i sum_{3 <= j <= i} t_j + (i - 1) (e^D - 1)),
        max_i |e_i|' <= max_i |e_i| / (1 + e^-D / (n - 1)).

    The second inequality makes D fall to zero, and then the first makes t fall by 2/3 in each layer.

    Args:
        profile: Differences to token 1, shape ``(tokens, width)``; the first row is zero and the second is not.
        offset: Length of token 1.
        query_key: Largest ``|A|_2`` of a layer.
        scale: Scale s of the logits.
        layers: Number of layers.

    Returns:
        A bound on the distance of the last layer's factor to 1/2, and on that of the normalised ``|e_i|`` to the normalised
        ``i - 1``; infinity where the layers are too few to say.

    Cost: ``layers * tokens`` operations.

    >>> line = np.array([[0.0], [1.0], [2.0]])
    >>> settling(line, 0.0, 1.0, 0.5, 10), settling(line[[0, 2, 1]], 0.0, 1.0, 0.5, 400) < 1e-9
    (inf, True)
    """
    profile, index = np.asarray(profile).astype(float), np.arange(2, len(profile))
    second, size = np.linalg.norm(profile[1]), float(np.linalg.norm(profile, axis=1).max())
    off, power = np.linalg.norm(profile[2:] - index[:, None] * profile[1], axis=1) / second, 0.0
    line, before, above = math.hypot(*range(len(profile))), math.inf, 0.0
    for _ in range(layers):
        above, before = spread(offset, size, query_key, scale), _share(off, power, line)
        weight = 1 / (1 + index * math.exp(-above))
        off = (1 + math.exp(above)) * (weight * off.cumsum() + index * math.expm1(above) * math.exp(-power))
        # kept as off * e^power with power >= 0: early layers may pass the range of floats
        grown = max(float(off.max(initial=0.0)), math.exp(-power))
        off, power = off / grown, power + math.log(grown)
        size /= 1 + math.exp(-above) / (len(profile) - 1)
    after = _share(off, power, line)
    if max(before, after) > 0.5:
        return math.inf
    return max(0.5 * (math.exp(above) * (1 + after) / (1 - before) - 1), 2 * after / (1 - after))


def _share(off: np.ndarray, power: float, line: float) -> float:
    return float(np.linalg.norm(off)) / line * math.exp(power) if power < 700 else math.inf
