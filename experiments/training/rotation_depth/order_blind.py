"""What a guesser who has seen the letters of a word but not their order must get wrong, found by shuffling words."""

from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float, Key


class OrderBlind(NamedTuple):
    """Errors of the best order-blind guess after 0, 1, 2, ... letters.

    Attributes:
        error: Mean square error of a coordinate.
        spread: Standard error of that mean.
    """

    error: Float[np.ndarray, " letters_and_one"]
    spread: Float[np.ndarray, " letters_and_one"]


def order_blind_errors(
    key: Key[Array, ""],
    matrices: Float[np.ndarray, "letters d d"],
    start: Float[np.ndarray, " d"],
    longest: int,
    samples: int,
) -> OrderBlind:
    """Return the errors of the best guess of y = M[x_n] ... M[x_1] v from the multiset of uniform letters x_1, ..., x_n.

    The best guess is the mean of y over all orders of the letters. With y' the same letters in an independent random order, and
    orthogonal matrices, its mean square error per coordinate is (|v|^2 - E <y, y'>) / d.

    Args:
        key: Key of words and orders.
        matrices: An orthogonal matrix for each letter.
        start: The vector v.
        longest: Largest number n of letters.
        samples: Words for each number of letters.

    Cost: longest^2 samples products of a matrix and a vector.
    """
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    matrices, start = np.asarray(matrices, float), np.asarray(start, float)
    found = []
    for count in range(longest + 1):
        words = draw.integers(0, len(matrices), (samples, count))
        ends = []
        for order in (words, draw.permuted(words, axis=1)):
            vectors = np.broadcast_to(start, (samples, len(start)))
            for letters in order.T:
                vectors = np.einsum("bij,bj->bi", matrices[letters], vectors)
            ends.append(vectors)
        found.append((start @ start - (ends[0] * ends[1]).sum(axis=1)) / len(start))
    values = np.stack(found)
    return OrderBlind(values.mean(axis=1), values.std(axis=1) / samples**0.5)


def commuting_turns(letters: int) -> Float[np.ndarray, "letters 3 3"]:
    """Return turns about the third axis by multiples of 1 / letters of a turn: all orders of such letters end alike."""
    angle = 2 * np.pi / letters * np.arange(letters)
    cosine, sine, zero, one = np.cos(angle), np.sin(angle), 0 * angle, 0 * angle + 1
    rows = ((cosine, -sine, zero), (sine, cosine, zero), (zero, zero, one))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
