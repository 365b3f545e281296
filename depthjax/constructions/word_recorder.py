r"""Two abelian layers that store the whole word.

Layer 1 counts the letters read so far: a clock, which no letter turns back. Layer 2 adds the unit vector e_(clock,
letter) of a table of shape (length, letters). Both are sums of vectors, and the state determines the word: with an
unrestricted decoder depth two solves every word problem up to this length, with letters * length numbers of state. One
layer alone keeps the letter counts and nothing of the order, since a sum does not change when its terms are permuted.

Words are integer arrays with the batch last, (length, batch), as every `Cascade` has time first. Cost: length * letters
numbers of state per batch element; run with `chunk` so that only that many steps are held at a time.
"""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Int

from depthjax.checks import at_least
from depthjax.constructions.cascade import Below, Cascade, Stage


def word_recorder(letters: int, length: int) -> Cascade:
    """Return the cascade of a clock, state shape (batch,), and a table, state shape (length, letters, batch).

    Letters after the first `length` ones leave no trace in the table.
    """
    at_least("letters", letters, 1)
    at_least("length", length, 1)

    def record(word: Array, below: tuple[Below, ...]) -> Array:
        clock = below[0].before
        position = jax.nn.one_hot(clock, length, dtype=word.dtype, axis=1)
        letter = jax.nn.one_hot(word, letters, dtype=word.dtype, axis=1)
        return position[:, :, None, :] * letter[:, None, :, :]

    return Cascade((Stage(lambda word, below: jnp.ones_like(word)), Stage(record)))


def letter_counter(letters: int) -> Cascade:
    """Return one abelian layer on words, state shape (letters, batch): the control that forgets the order."""
    at_least("letters", letters, 1)
    return Cascade((Stage(lambda word, below: jax.nn.one_hot(word, letters, dtype=word.dtype, axis=1)),))


def recorder_start(letters: int, length: int, batch: int, dtype: DTypeLike = jnp.int32) -> tuple[Array, Array]:
    """Return the initial states of `word_recorder`."""
    return jnp.zeros((batch,), dtype), jnp.zeros((length, letters, batch), dtype)


def recorded_words(states: tuple[Int[Array, " batch"], Int[Array, "length letters batch"]]) -> Int[Array, "length batch"]:
    """Return the words that the states of `word_recorder` hold, -1 after the end of a shorter word."""
    clock, table = states
    written = jnp.arange(table.shape[0], dtype=clock.dtype)[:, None] < clock[None, :]
    return jnp.where(written, jnp.argmax(table, axis=1).astype(table.dtype), -1)
