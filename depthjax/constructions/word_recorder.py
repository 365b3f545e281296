r"""Two abelian layers that store the whole word.

Layer 1 counts the letters read so far: a clock, which no letter turns back. Layer 2 adds the unit vector e_(clock,
letter) of a table of shape (length, letters). Both are sums of vectors, and the state determines the word: with an
unrestricted decoder depth two solves every word problem up to this length, with letters * length numbers of state. One
layer alone keeps the letter counts and nothing of the order, since a sum does not change when its terms are permuted.

Words are integer arrays with the batch last, (length, batch), as every `Cascade` has time first. Cost: length * letters
numbers of state per batch element; run with `chunk` so that only that many steps are held at a time.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Int

from depthjax.checks import at_least, in_alphabet
from depthjax.scans.cascade import Below, ScanCascade, Stage


def word_recorder(letters: int, length: int) -> ScanCascade:
    """Return the cascade of a clock, state shape (batch,), and a table, state shape (length, letters, batch).

    Letters after the first `length` ones leave no trace in the table. `run` refuses a letter out of range; under jit it leaves
    no trace either, and `recorded_words` shows -2 in its place.
    """
    at_least("letters", letters, 1)
    at_least("length", length, 1)

    def record(word: Array, below: tuple[Below, ...]) -> Array:
        clock = below[0].before
        position = jax.nn.one_hot(clock, length, dtype=word.dtype, axis=1)
        letter = jax.nn.one_hot(word, letters, dtype=word.dtype, axis=1)
        return position[:, :, None, :] * letter[:, None, :, :]

    return ScanCascade((Stage(lambda word, below: jnp.ones_like(word)), Stage(record)), partial(_checked, letters))


def letter_counter(letters: int) -> ScanCascade:
    """Return one abelian layer on words, state shape (letters, batch): the control that forgets the order.

    `run` refuses a letter out of range; under jit it is not counted.
    """
    at_least("letters", letters, 1)
    one_hot = Stage(lambda word, below: jax.nn.one_hot(word, letters, dtype=word.dtype, axis=1))
    return ScanCascade((one_hot,), partial(_checked, letters))


def _checked(letters: int, word: Array) -> Array:
    return in_alphabet("letters", word, letters)


def recorder_start(letters: int, length: int, batch: int, dtype: DTypeLike = jnp.int32) -> tuple[Array, Array]:
    """Return the initial states of `word_recorder`; `dtype` is int64 for words of 64 bits, else int32."""
    return jnp.zeros((batch,), dtype), jnp.zeros((length, letters, batch), dtype)


def recorded_words(states: tuple[Int[Array, " batch"], Int[Array, "length letters batch"]]) -> Int[Array, "length batch"]:
    """Return the words that the states of `word_recorder` hold, -1 after the end of a shorter word, -2 for a strange letter."""
    clock, table = states
    written = jnp.arange(table.shape[0], dtype=clock.dtype)[:, None] < clock[None, :]
    letter = jnp.where(table.any(axis=1), jnp.argmax(table, axis=1).astype(table.dtype), -2)
    return jnp.where(written, letter, -1)
