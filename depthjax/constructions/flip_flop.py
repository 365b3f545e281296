"""A memory by attention to the most recent write, with the margin of its softmax left open.

One head scores position j of a write with margin * j, an idle position below all of them; the value it returns is the one-hot
vector of what was written. The weight q^d of the write d positions before the last one, q = e^-margin, is all that it errs by.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import softmax
from depthjax.attention.prefix import write_scores
from depthjax.checks import at_least, in_alphabet, marked, strange


def recall(letters: Integer[Array, "batch length"], margin: Float[Array, ""], values: int = 2) -> Float[Array, "batch values"]:
    """Return how much of the head's weight at the last position lies on each value.

    Letters: 0 idle, 1 + value writes. Positions that are divided by the length, as bounded codes are, are a margin that is.
    Under jit a word with a letter out of range has NaN.

    Raises:
        ValueError: a letter out of range.
    """
    letters = in_alphabet("letters", letters, 1 + values)
    weights = softmax(write_scores(letters > 0, margin))
    found = jnp.einsum("bt,btv->bv", weights, jax.nn.one_hot(letters - 1, values, dtype=weights.dtype))
    return marked(found, strange(letters))


def overruled_word(length: int) -> Int[Array, "1 length"]:
    """Return the word on which the head errs most: value 0 written at every position, then value 1, then a read."""
    at_least("length", length, 3, "a write of each value, and a read")
    return jnp.ones((1, length), int).at[0, -2].set(2).at[0, -1].set(0)
