"""How an exponent is read off numbers of steps."""

import numpy as np


def exponent(radii: np.ndarray, steps: np.ndarray) -> float:
    """The exponent of R between the first and the last distance."""
    return float(np.log(steps[-1] / steps[0]) / np.log(radii[-1] / radii[0]))
