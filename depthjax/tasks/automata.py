"""Words read by an automaton: letters with given probabilities, and the state after each of them.

Table and probabilities are data, so that automata of one padded shape share a compiled program.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depthjax.scans.tables import prefix_products


class Reading(NamedTuple):
    """Words and what an automaton does on them.

    Attributes:
        words: letters.
        states: after each letter; state 0 is the initial one.
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
        key: of the words.
        table: next states, `table[state, letter]`.
        weights: of the letters; their probabilities once divided by the sum.
        batch: words.
        length: letters of each.
        first: weights of the first letter (default: as the others).
    """
    laws = jnp.concatenate(
        [(weights if first is None else first)[None], jnp.broadcast_to(weights, (length - 1, weights.shape[0]))]
    )
    edges = jnp.cumsum(laws, axis=1) / jnp.sum(laws, axis=1, keepdims=True)
    draw = jax.random.uniform(key, (batch, length, 1), edges.dtype)  # one number a letter: the inverse distribution function
    words = jnp.minimum((draw >= edges[None]).sum(axis=2), weights.shape[0] - 1)
    return Reading(words, prefix_products(table, words))
