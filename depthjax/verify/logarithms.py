r"""Whether values go to a predicted limit as slowly as a logarithm does, which no number of steps tells from a limit nearby.

With errors :math:`C h^p \log(a/h)^q` the local slopes are :math:`s_i = p - q/L_i`, with :math:`L_i = \log(a/h_i)`, and the
ratios of an error :math:`C h^p (1 + b/L)` to :math:`h^p` are :math:`C (1 + b/L_i)`. Either way the distance
:math:`d_i` to the limit has

.. math:: 1/|d_{i+1}| - 1/|d_i| = \text{const},

because :math:`L_i` grows by :math:`\log r` from step to step. A power :math:`h^\alpha` makes these increments grow like
:math:`r^{\alpha i}`, and a limit elsewhere makes them die out. `limits` allows for powers alone, so it takes a logarithm for
settled, short of its limit.
"""

import numpy as np

STEADY = 0.15  # relative: how far increments of a logarithm may differ, by the width of a step against L
CLOSER = 0.8  # of the first distance: what the last may be, so that the values are seen to approach


def logarithmic(distances: np.ndarray, noise: np.ndarray) -> bool:
    """Say whether the distances to a predicted limit shrink like one over a logarithm.

    Args:
        distances: of the values from the limit, coarse to fine on geometric steps, at least four, shape ``(n,)``.
        noise: how far each distance may be moved, shape ``(n,)``. Where it hides the increments, the answer is no.
    """
    if len(distances) < 4 or (distances * distances[0] <= 0).any() or abs(distances[-1]) > CLOSER * abs(distances[0]):
        return False
    growth = np.diff(1 / np.abs(distances))
    blurred = noise / distances**2
    slack, mean = blurred[1:] + blurred[:-1], growth.mean()
    return bool(mean > 0 and (slack < mean / 2).all() and (np.abs(growth - mean) <= STEADY * mean + slack).all())
