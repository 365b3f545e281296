"""Problems of parallel computation: random inputs of machines, and what the machines should put out."""

import numpy as np
from jaxtyping import Int

from depthjax.checks import at_least

__all__ = ["cycle_minima", "prefix_sums", "sorted_shares"]

Words = Int[np.ndarray, "samples inputs"]
Outputs = Int[np.ndarray, "samples machines width"]


def prefix_sums(draw: np.random.Generator, samples: int, machines: int, letters: int) -> tuple[Words, Outputs]:
    """Return letters 1, ..., `letters` - 1, one for each machine, and their sums up to each machine."""
    words = _letters(draw, samples, machines, letters)
    return words, words.cumsum(axis=1)[..., None]


def sorted_shares(draw: np.random.Generator, samples: int, machines: int, share: int, letters: int) -> tuple[Words, Outputs]:
    """Return letters 1, ..., `letters` - 1, `share` for each machine, and the shares of the sorted letters."""
    words = _letters(draw, samples, machines * share, letters)
    return words, np.sort(words, axis=1).reshape(samples, machines, share)


def cycle_minima(draw: np.random.Generator, samples: int, vertices: int) -> tuple[Words, Outputs]:
    """Return the neighbours of every vertex, left * vertices + right, and the least vertex of its cycle.

    One cycle and two cycles of (nearly) equal length alternate, with randomly named vertices.

    >>> words, least = cycle_minima(np.random.default_rng(0), 2, 6)
    >>> words.shape, [len(np.unique(one)) for one in least]
    ((2, 6), [1, 2])
    """
    left, right, least = np.zeros((3, samples, vertices), int)
    for sample in range(samples):
        named = draw.permutation(vertices)
        for cycle in (named,) if sample % 2 == 0 else np.array_split(named, 2):
            left[sample, cycle], right[sample, cycle] = np.roll(cycle, 1), np.roll(cycle, -1)
            least[sample, cycle] = cycle.min()
    return left * vertices + right, least[..., None]


def _letters(draw: np.random.Generator, samples: int, inputs: int, letters: int) -> Words:
    return draw.integers(1, at_least("letters", letters, 2), (samples, inputs))
