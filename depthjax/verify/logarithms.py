r"""Logarithms beside a limit: values that come nearer more slowly than any power does.

With errors :math:`C h^p \log(a/h)^q` the local slopes are :math:`p - q/L_i`, with :math:`L_i = \log(a/h_i)`, and the ratios of
an error :math:`C h^p (1 + b/L)` to :math:`h^p` are :math:`C (1 + b/L_i)`. Either way the distance to the limit is one over
:math:`L_i`, which grows by :math:`\log r` from step to step, so that differences of the values shrink by shares
:math:`1 - 2 \log r / L` that rise to one. `limits` allows for powers alone, whose shares fall to :math:`r^{-1/2}` at most, and
takes a logarithm for settled, short of its limit. Two questions are therefore asked.

- *Do the values shrink as slowly as with a logarithm?* (`slowly`) Then they may still drift as far as a logarithm would.
- *Could a logarithm be what keeps the values from their limit, or hides under their noise?* (`logarithm`) It is fitted to the
  finest steps, in the values and in those freed of a tail in :math:`h`.
"""

import math

import numpy as np

SLOW = 0.415, 0.32  # differences that shrink like this power of h, or less, are slow: of the values, and of those freed of h
LARGEST = 2.0  # powers of a logarithm that are looked for
FINEST = 6  # values that a logarithm is fitted to
_SAFETY = 1.5
_SHAPE = 0.005  # relative: how far tails may bend the distances of a logarithm
_TAILS = (0.5, 1), (1, 2)  # powers of h
_STARTS = np.geomspace(0.3, 40.0, 80)  # log(a/h) at the first of these values


def slowly(values: np.ndarray, ratio: float, noise: np.ndarray, trace: float, *, freed: bool = False) -> float:
    """Return how far values may drift if a logarithm moves them; 0 where their last differences shrink like a power.

    Args:
        values: coarse to fine on geometric steps, shape ``(n,)``.
        ratio: of neighbouring steps, above 1.
        noise: how far the floor moves each value, shape ``(n,)``. Where it hides the differences, the answer is 0.
        trace: differences under a quarter of it are no evidence.
        freed: the values are freed of a tail in h, where a logarithm shows by larger shares, which may fall.
    """
    differences = np.diff(values)[-3:]
    sizes, slack = np.abs(differences), (noise[1:] + noise[:-1])[-3:]
    if len(sizes) < 3 or (differences * differences[-1] <= 0).any() or (slack > sizes / 4).any() or sizes[-1] < trace / 4:
        return 0.0
    least, most = (sizes[1:] - slack[1:]) / (sizes[:-1] + slack[:-1]), (sizes[1:] + slack[1:]) / (sizes[:-1] - slack[:-1])
    if (least < ratio ** -SLOW[freed]).any() or (not freed and most[1] < least[0]):
        return 0.0
    return _SAFETY * 2 * float(sizes[-1] / (1 - min(sizes[-1] / sizes[-2], 0.98)))


def logarithm(distances: np.ndarray, noise: np.ndarray, ratio: float) -> float:
    """Return the largest power of a logarithm, up to `LARGEST`, that explains the finest distances from a limit, 0 if none.

    Args:
        distances: of the values from the limit, coarse to fine, at least four, shape ``(n,)``.
        noise: how far each is known to be moved, shape ``(n,)``; what no smooth tail explains is added.
        ratio: of neighbouring steps, above 1.
    """
    noise = noise[-FINEST:] + _roughness(distances, ratio)
    distances = distances[-FINEST:]
    shape = 1 / (_STARTS[:, None] + math.log(ratio) * np.arange(len(distances)))
    found = 0.0
    for _ in range(2):
        slack = noise + _SHAPE * np.abs(distances)
        edges = np.sort([(distances - slack) / shape, (distances + slack) / shape], axis=0)
        low, high = np.maximum(edges[0].max(axis=1), -LARGEST), np.minimum(edges[1].min(axis=1), LARGEST)
        if (fits := low <= high).any():
            found = max(found, float(np.maximum(-low, high)[fits].max()))
        shape, distances = _freed(shape, ratio), _freed(distances, ratio)
        noise = (ratio * noise[1:] + noise[:-1]) / (ratio - 1)
    return found


def _freed(values: np.ndarray, factor: float) -> np.ndarray:
    """Values without the tail that shrinks by this factor from step to step."""
    return values[..., 1:] + np.diff(values) / (factor - 1)


def _roughness(values: np.ndarray, ratio: float) -> float:
    """An upper guess of undeclared noise: what is left of the last differences once two powers are removed, or a parabola."""
    left = [np.diff(_freed(_freed(values, ratio**first), ratio**second)) for first, second in _TAILS]
    return min(float(np.abs(one[-2:]).max(initial=0.0)) for one in (*left, np.diff(values, 3)))
