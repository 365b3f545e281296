"""A memory by attention to the latest write, with the margin of its softmax as a parameter.

One head scores a write at position j with margin * j, and idle positions below all writes. Its values are one-hot vectors of
the written values. Its only error is the weight q^d of the write d positions before the last one, q = e^-margin.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import softmax
from depthjax.attention.prefix import write_scores
from depthjax.checks import at_least, in_alphabet, marked, strange


def recall(letters: Integer[Array, "batch length"], margin: Float[Array, ""], values: int = 2) -> Float[Array, "batch values"]:
    """Return the weight of the head on each value, at the last position.

    Args:
        letters: 0 is idle, 1 + value writes.
        margin: Difference of the scores of two consecutive writes. Bounded position codes j / length divide the margin by the
            length.
        values: Number of values.

    Raises:
        ValueError: A letter is out of range (under jit: NaN for that word).
    """
    letters = in_alphabet("letters", letters, 1 + values)
    weights = softmax(write_scores(letters > 0, margin))
    found = jnp.einsum("bt,btv->bv", weights, jax.nn.one_hot(letters - 1, values, dtype=weights.dtype))
    return marked(found, strange(letters))


def overruled_word(length: int) -> Int[Array, "1 length"]:
    """Return the word with the largest error of the head: value 0 written at every position, then value 1, then a read."""
    at_least("length", length, 3, "a write of each value, and a read")
    return jnp.ones((1, length), int).at[0, -2].set(2).at[0, -1].set(0)
