"""Which singular values are compared."""

import numpy as np

PLACES = 80  # singular values that are compared


def places(values: np.ndarray) -> np.ndarray:
    """The largest values, with zeros after the last one."""
    return np.pad(values, (0, PLACES))[:PLACES]
