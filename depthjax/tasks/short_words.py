"""Every word up to a length in one array, so that words of all lengths share a compiled program."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int

__all__ = ["ShortWords", "short_words"]


class ShortWords(NamedTuple):
    """Words of several lengths.

    Attributes:
        words: The letters, filled up with letter 0.
        lengths: How many letters of each word count.
    """

    words: Int[np.ndarray, "words length"]
    lengths: Int[np.ndarray, " words"]


def short_words(letters: int, longest: int) -> ShortWords:
    """Return all words of length 1 .. ``longest``, the shorter ones first: O(letters^longest) words.

    >>> [word[:n].tolist() for word, n in zip(*short_words(2, 2))]
    [[0], [1], [0, 0], [0, 1], [1, 0], [1, 1]]
    """
    words = [np.indices((letters,) * length, np.int8).reshape(length, -1).T for length in range(1, longest + 1)]
    padded = [np.pad(part, ((0, 0), (0, longest - part.shape[1]))) for part in words]
    return ShortWords(np.concatenate(padded), np.repeat(np.arange(1, longest + 1), [len(part) for part in words]))
