"""The shape of what is compared."""

from collections.abc import Sequence

import numpy as np

PLACES = 24 * 24  # entries that are compared; groups of lower order repeat theirs


def entries(arrays: Sequence) -> np.ndarray:
    """The real parts of all entries, one array after the other, repeated up to the common number; then the imaginary parts."""
    values = np.resize(np.concatenate([np.ravel(array) for array in arrays]).astype(complex), PLACES)
    return np.concatenate([np.real(values), np.imag(values)])
