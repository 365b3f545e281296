"""Problems of parallel computation: what the machines should put out for their inputs."""

import numpy as np
from jaxtyping import Int

__all__ = ["cycle_minima", "prefix_sums", "sorted_shares"]

Words = Int[np.ndarray, "samples inputs"]
Outputs = Int[np.ndarray, "samples machines width"]


def prefix_sums(words: Words) -> Outputs:
    """Return the sums of the letters up to each machine."""
    return words.cumsum(axis=1)[..., None]


def sorted_shares(words: Words, machines: int) -> Outputs:
    """Return the shares of the sorted letters."""
    return np.sort(words, axis=1).reshape(len(words), machines, -1)


def cycle_minima(words: Words) -> Outputs:
    """Return the least vertex of the cycle of every vertex; letters are left neighbour * vertices + right neighbour.

    >>> cycle_minima(np.array([[3 * 4 + 1, 0 * 4 + 2, 1 * 4 + 3, 2 * 4 + 0]])).ravel().tolist()
    [0, 0, 0, 0]
    """
    right = words % words.shape[1]
    least = here = np.broadcast_to(np.arange(words.shape[1]), words.shape)
    for _ in range(words.shape[1]):
        here = np.take_along_axis(right, here, axis=1)
        least = np.minimum(least, here)
    return least[..., None]
