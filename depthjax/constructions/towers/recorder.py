r"""Two abelian layers that store the whole word.

Layer 1 counts the letters read so far: a clock. Layer 2 adds the unit vector e_(clock, letter) to a table of shape (length,
letters). Both are sums of vectors, and the state determines the word. So depth two with an unrestricted decoder solves every
word problem up to this length, with letters * length numbers of state. One layer alone keeps the letter counts and nothing of
the order, since a sum does not change when its terms are permuted.

Words are integer arrays of shape (length, batch). Cost: length * letters numbers of state for each batch element; with `chunk`
only that many steps are held at a time.
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

    Letters after the first `length` leave no trace in the table. `run` refuses a letter out of range; under jit such a letter
    leaves no trace either, and `recorded_words` returns -2 in its place.
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
    """Return one abelian layer that counts letters, state shape (letters, batch): the control that forgets the order.

    `run` refuses a letter out of range; under jit such a letter is not counted.
    """
    at_least("letters", letters, 1)
    one_hot = Stage(lambda word, below: jax.nn.one_hot(word, letters, dtype=word.dtype, axis=1))
    return ScanCascade((one_hot,), partial(_checked, letters))


def _checked(letters: int, word: Array) -> Array:
    return in_alphabet("letters", word, letters)


def recorder_start(letters: int, length: int, batch: int, dtype: DTypeLike = jnp.int32) -> tuple[Array, Array]:
    """Return the initial states of `word_recorder`; use int64 for words of 64 bits, else int32."""
    return jnp.zeros((batch,), dtype), jnp.zeros((length, letters, batch), dtype)


def recorded_words(states: tuple[Int[Array, " batch"], Int[Array, "length letters batch"]]) -> Int[Array, "length batch"]:
    """Return the words in the states of `word_recorder`: -1 after the end of a shorter word, -2 for a letter out of range."""
    clock, table = states
    written = jnp.arange(table.shape[0], dtype=clock.dtype)[:, None] < clock[None, :]
    letter = jnp.where(table.any(axis=1), jnp.argmax(table, axis=1).astype(table.dtype), -2)
    return jnp.where(written, letter, -1)
