"""Alternating blocks: L_k holds the words of k blocks of equal letters, the first of them a's (letter 0)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from depthjax.checks import at_least

__all__ = ["alternation_words", "block_numbers", "may_end"]


def block_numbers(words: Int[Array, "words length"]) -> Int[Array, "words length"]:
    """Return the number of the block that each letter is in, from 1; a word that starts with letter 1 starts with block 2."""
    changes = words[:, 1:] != words[:, :-1]
    return jnp.cumsum(jnp.concatenate([words[:, :1] + 1, changes.astype(words.dtype)], axis=1), axis=1)


def may_end(words: Int[Array, "words length"], k: int | Int[Array, ""]) -> Bool[Array, "words length"]:
    """Return for every prefix whether it is in L_k."""
    starts_right = words[:, :1] == 0
    return starts_right & (block_numbers(words) == k)


def alternation_words(key: Key[Array, ""], k: int, batch: int, length: int) -> Int[Array, "batch length"]:
    """Return uniform words of L_k of this length: the k - 1 places where the letter changes are a uniform set.

    Raises:
        ValueError: fewer letters than blocks.
    """
    at_least("k", k, 1)
    at_least("length", length, k, "every block has a letter")

    def one(key: Array) -> Array:
        places = jax.random.permutation(key, length - 1)[: k - 1] + 1
        return jnp.cumsum(jnp.zeros(length, jnp.int32).at[places].set(1)) % 2

    return jax.vmap(one)(jax.random.split(key, batch))
