"""Search for hard inputs, words with a large score, by mutation and selection."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import in_alphabet, marked, strange


def hardest_words(
    key: Key[Array, ""],
    score: Callable[[Int[Array, "batch length"]], Float[Array, " batch"]],
    words: Integer[Array, "batch length"],
    alphabet: int,
    rounds: int,
) -> Int[Array, "batch length"]:
    """Return words at least as hard as `words`; each word keeps a mutation that does not lower its score.

    A mutation sets a letter, or a stretch of random length, to one random letter. Cost: one `score` of the batch for each
    round.

    Raises:
        ValueError: A letter is out of range.
    """
    words = in_alphabet("words", words, alphabet)
    best = score(words)
    for round_key in jax.random.split(key, rounds):
        mutant = mutated(round_key, words, alphabet)
        found = score(mutant)
        words, best = _selected(words, best, mutant, found)
    return words


def of_one_layer_each(distances: Float[Array, "batch depth"]) -> Float[Array, " batch"]:
    """Return how far the layers of a hop model are from rounding wrongly; the search maximises it.

    Word i is scored by layer i modulo the depth, so every layer is attacked. One score serves all k: their pointers, which can
    err, are the same. They differ only in the letters that they retrieve, small numbers that err little on any word.
    """
    word = jnp.arange(len(distances))
    return distances[word, word % distances.shape[1]]


def mutated(key: Key[Array, ""], words: Integer[Array, "batch length"], alphabet: int) -> Int[Array, "batch length"]:
    """Return every word with one stretch overwritten; half of the stretches are single letters.

    Raises:
        ValueError: A letter is out of range (under jit: -1 throughout that word).
    """
    return _mutated(key, in_alphabet("words", words, alphabet), alphabet)


@partial(jax.jit, static_argnums=2)
def _mutated(key: Array, words: Array, alphabet: int) -> Array:
    batch, length = words.shape
    where, how, what = jax.random.split(key, 3)
    start = jax.random.randint(where, (batch, 1), 0, length)
    spread = jnp.floor(length ** jnp.maximum(2 * jax.random.uniform(how, (batch, 1)) - 1, 0.0)).astype(start.dtype)
    letter = jax.random.randint(what, (batch, 1), 0, alphabet, words.dtype)
    position = jnp.arange(length)[None, :]
    return marked(jnp.where((position >= start) & (position < start + spread), letter, words), strange(words))


@jax.jit
def _selected(words: Array, best: Array, mutant: Array, found: Array) -> tuple[Array, Array]:
    better = found >= best
    return jnp.where(better[:, None], mutant, words), jnp.maximum(found, best)
