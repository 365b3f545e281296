"""Prefix products in a finite group, and the states of an automaton, from a table of products or of next states."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer

from depthjax.checks import OUTSIDE, in_alphabet, marked, next_states, strange


def prefix_products(
    table: Integer[Array, "states letters"] | Integer[np.ndarray, "states letters"], words: Integer[Array, "batch length"]
) -> Int[Array, "batch length"]:
    """Return x_1 x_2 ... x_t for every prefix of words of group elements; later letters multiply on the right.

    Under jit a word with a letter out of range has -1 everywhere, and after an entry that is no state every answer is -1.

    Cost: one gather for each letter, in sequence.

    Args:
        table: Cayley table, table[g, h] = gh, with identity 0; or the table of next states of an automaton, whose state after
            each letter, from state 0 on, is returned.
        words: Letters, of any integer type.

    Raises:
        TypeError: The table or the words do not hold integers.
        ValueError: The table leads to a state that it does not have, or does not have one of the letters.

    >>> prefix_products(jnp.array([[0, 1], [1, 0]]), jnp.array([[1, 1, 0, 1]])).tolist()  # parity
    [[1, 0, 0, 1]]
    """
    table = jnp.asarray(next_states("table", table))
    return _prefix_products(table, in_alphabet("words", words, table.shape[1]))


@jax.jit
def _prefix_products(table: Array, words: Array) -> Array:
    table = table.astype(jnp.int64 if table.dtype.itemsize == 8 else jnp.int32)

    def step(product: Array, letter: Array) -> tuple[Array, Array]:
        product = jnp.where(product < 0, OUTSIDE, table[product, letter])  # what is no state has no next one
        return product, product

    return marked(jax.lax.scan(step, jnp.zeros(words.shape[0], table.dtype), words.T)[1].T, strange(words))
