"""Words read by an automaton: letters with given probabilities, and the state after each of them.

Table and probabilities are data, so automata of one padded shape share a compiled program.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depthjax.scans.tables import prefix_products


class Reading(NamedTuple):
    """Words and the states of an automaton that reads them.

    Attributes:
        words: Letters.
        states: State after each letter, from the initial state 0.
    """

    words: Int[Array, "batch length"]
    states: Int[Array, "batch length"]


def readings(
    key: Key[Array, ""],
    table: Int[Array, "states letters"],
    weights: Float[Array, " letters"],
    batch: int,
    length: int,
    first: Float[Array, " letters"] | None = None,
) -> Reading:
    """Return words of independent letters and the states they lead to.

    Args:
        key: Key of the words.
        table: Next states, `table[state, letter]`.
        weights: Weights of the letters, proportional to their probabilities.
        batch: Number of words.
        length: Number of letters of each word.
        first: Weights of the first letter (default: those of the others).
    """
    laws = jnp.concatenate(
        [(weights if first is None else first)[None], jnp.broadcast_to(weights, (length - 1, weights.shape[0]))]
    )
    edges = jnp.cumsum(laws, axis=1) / jnp.sum(laws, axis=1, keepdims=True)
    draw = jax.random.uniform(key, (batch, length, 1), edges.dtype)  # one number a letter: the inverse distribution function
    words = jnp.minimum((draw >= edges[None]).sum(axis=2), weights.shape[0] - 1)
    return Reading(words, prefix_products(table, words))
