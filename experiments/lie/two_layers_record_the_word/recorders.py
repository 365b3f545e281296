"""What recorders, layers of sums that keep a word, confuse and tell apart."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from depthjax.constructions.towers.recorder import letter_counter, recorder_start, word_recorder
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words

LETTERS = 2


def shortest_confusion(
    moduli: Int[np.ndarray, " factors"], steps: Int[np.ndarray, "choices 2 factors"], longest: int
) -> Int[np.ndarray, " choices"]:
    """Return the least length at which two words leave the same states, `longest` + 1 where no two words do.

    The first layer adds the step of each letter modulo `moduli`. The second one counts how often every letter came in every
    state of the first, and any other second layer of sums is an image of these counts.

    Cost: 2^longest words for every choice of steps.
    """
    found = np.full(len(steps), longest + 1)
    weights = np.cumprod([1, *moduli])
    pairs = int(weights[-1]) * LETTERS  # of a state of the first layer and a letter
    for length in range(1, longest + 1):
        words, left = np.asarray(all_words(LETTERS, length)), np.flatnonzero(found > longest)
        taken = steps[left][:, words]
        before = (np.cumsum(taken, axis=2) - taken) % moduli @ weights[:-1]
        counts = np.sort(before * LETTERS + words, axis=2) @ pairs ** np.arange(length)
        found[left[[len(np.unique(row)) < len(words) for row in counts]]] = length
    return found


@partial(jax.jit, static_argnames=("letters", "positions"))
def recorded(words: Int[Array, "batch length"], letters: int, positions: int) -> tuple[Array, ...]:
    """Return the final states of `word_recorder`: a clock, and a table with this many positions."""
    start = recorder_start(letters, positions, len(words), words.dtype)
    return word_recorder(letters, positions).run(words.T, start, chunk=4)


@partial(jax.jit, static_argnames="letters")
def counted(words: Int[Array, "batch length"], letters: int) -> tuple[Array, ...]:
    """Return the final states of `letter_counter`, one layer."""
    start = (jnp.zeros((letters, len(words)), words.dtype),)
    return letter_counter(letters).run(words.T, start, chunk=4)


def right_prefix_products(
    words: Int[np.ndarray, "batch length"],
    read: Int[np.ndarray, "batch length"],
    table: Int[np.ndarray, "order order"],
    permutations: Int[np.ndarray, "order points"],
) -> int:
    """Return how many prefixes of what was read have the product of the same prefix of the word.

    Products of what was read come from the Cayley table, those of the word from composing the permutations of its letters.
    """
    products = np.asarray(prefix_products(jnp.asarray(table), jnp.asarray(read)))
    composed = np.broadcast_to(np.arange(permutations.shape[1]), (len(words), permutations.shape[1]))
    right = 0
    for letter, product in zip(words.T, products.T, strict=True):
        composed = np.take_along_axis(composed, permutations[letter], 1)
        right += int((permutations[product] == composed).all(axis=1).sum())
    return right


def told_apart(states: Sequence[jax.Array]) -> int:
    """Return how many different states words leave: at most as many words are decoded rightly. The last axis is the batch."""
    rows = np.concatenate([np.asarray(state).reshape(-1, state.shape[-1]) for state in states]).T
    return len(np.unique(rows, axis=0))
