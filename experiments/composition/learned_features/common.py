"""The shape of what is compared."""

import numpy as np

PLACES = 24  # elements that are compared; groups of lower order repeat theirs


def placed(feature: np.ndarray) -> np.ndarray:
    """Return a function on the group, repeated up to the common number of elements."""
    return np.resize(feature, PLACES)
