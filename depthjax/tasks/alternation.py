"""Alternating blocks: L_k is the set of words of k blocks of equal letters, the first block of a's (letter 0)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Integer, Key

from depthjax.checks import in_alphabet, marked, strange
from depthjax.tasks.words import Batch, prepend

__all__ = ["BEGIN", "alternation_batch", "alternation_words", "block_numbers", "may_end"]

BEGIN = 2  # the token that stands first in a batch


def block_numbers(words: Integer[Array, "words length"]) -> Int[Array, "words length"]:
    """Return the number of the block of each letter, from 1; a word that starts with letter 1 starts with block 2.

    Words may be of any integer type. Under jit a word with a letter other than 0 and 1 has -1 everywhere.

    Raises:
        ValueError: A letter is not 0 or 1.
    """
    words = in_alphabet("words", words, 2)
    changes = words[:, 1:] != words[:, :-1]
    numbers = jnp.cumsum(jnp.concatenate([words[:, :1] + 1, changes.astype(words.dtype)], axis=1), axis=1)
    return marked(numbers, strange(words))


def may_end(words: Integer[Array, "words length"], k: int | Int[Array, ""]) -> Bool[Array, "words length"]:
    """Return whether each prefix is in L_k. Raises as `block_numbers`; under jit a word that it refuses is not in L_k."""
    starts_right = words[:, :1] == 0
    return starts_right & (block_numbers(words) == k)


def alternation_words(
    key: Key[Array, ""], k: int | Int[Array, ""], lengths: Int[Array, " batch"], longest: int
) -> Int[Array, "batch longest"]:
    """Return uniform words of L_k of these lengths: the k - 1 places where the letter changes are a uniform set.

    After its end a word repeats its last letter. `k` and `lengths` may be traced; a length below k gives too few blocks.
    """
    order = jax.random.uniform(key, (lengths.shape[0], longest))
    place = jnp.arange(longest)[None, :]
    free = (place >= 1) & (place < lengths[:, None])
    order = jnp.where(free, order, jnp.inf)
    rank = (order[:, None, :] < order[:, :, None]).sum(axis=2)  # faster than a sort for short words
    return jnp.cumsum(free & (rank < k - 1), axis=1, dtype=jnp.int32) % 2


def alternation_batch(key: Key[Array, ""], k: int | Int[Array, ""], lengths: Int[Array, " batch"], longest: int) -> Batch:
    """Return words of these lengths after the token `BEGIN`; the label at each letter is whether the word may end there.

    Positions after the end of a word, and the first position, have weight 0.
    """
    words = alternation_words(key, k, lengths, longest)
    counts = (jnp.arange(longest)[None, :] < lengths[:, None]).astype(jnp.float32)
    labels = may_end(words, k).astype(jnp.int32)
    return Batch(prepend(words, BEGIN), prepend(labels, 0), jnp.pad(counts, ((0, 0), (1, 0))))
