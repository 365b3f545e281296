r"""Ordered products of exponentials of matrices: what a sequence model's flow is, computed directly.

The letter that comes later multiplies on the right, as in `depthjax.constructions.lie_tower`. Rounding error: about
length times the unit roundoff times the product of the norms of the factors.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer

from depthjax.checks import dimension, floating, in_alphabet, marked, strange
from depthjax.lie.exponential import excess_product, exponential_excess


@jax.jit
def exponential_product(
    increments: Float[Array, "batch length letters"],
    matrices: Float[Array, "letters size size"],
    scales: Float[Array, " scales"],
) -> Float[Array, "scales batch size size"]:
    """Return prod over t, later on the right, of exp(scale * sum_i increments[b, t, i] * matrices[i]).

    One matrix exponential per scale, batch element and letter (8 us each for 4x4 on a CPU core): for words of few
    letters `word_product` computes each letter's once.

    Raises:
        ValueError: not one matrix per letter.
    """
    floating("matrices", matrices)
    dimension("matrices", matrices, 0, increments.shape[-1], "letters")

    def step(excess: Array, x: Array) -> tuple[Array, None]:
        generator = jnp.einsum("bi,ijk->bjk", x, matrices)
        return excess_product(excess, exponential_excess(jnp.einsum("s,bjk->sbjk", scales, generator))), None

    size = matrices.shape[-1]
    start = jnp.zeros((len(scales), len(increments), size, size), matrices.dtype)
    return jnp.eye(size, dtype=matrices.dtype)[None, None] + jax.lax.scan(step, start, jnp.moveaxis(increments, 1, 0))[0]


def word_product(
    words: Integer[Array, "batch length"],
    matrices: Float[Array, "letters size size"],
    scales: Float[Array, " scales"],
) -> Float[Array, "scales batch size size"]:
    """Return prod over t, later on the right, of exp(scale * matrices[words[b, t]]); see `word_excess`."""
    return jnp.eye(matrices.shape[-1], dtype=matrices.dtype)[None, None] + word_excess(words, matrices, scales)


def word_excess(
    words: Integer[Array, "batch length"],
    matrices: Float[Array, "letters size size"],
    scales: Float[Array, " scales"],
) -> Float[Array, "scales batch size size"]:
    """Return the product over t, later on the right, of exp(scale * matrices[words[b, t]]), minus the identity.

    Factors are multiplied in pairs and kept as 1 + a: (1 + a)(1 + b) = 1 + (a + b + ab) loses nothing of a small a, so
    that the rounding error is that of log2(length) additions of the total generator, not of `length` products.

    Letters are 0-based; for signed letters pass `jnp.concatenate([matrices, -matrices])` and write i + letters for the
    inverse of i. Cost: one matrix product, and memory for one matrix, per scale, batch element and letter.

    Raises:
        TypeError: the matrices are not real floating point.
        ValueError: a letter without a matrix (under jit: NaN for that word).
    """
    floating("matrices", matrices)
    return _word_excess(in_alphabet("words", words, matrices.shape[0]), matrices, scales)


@jax.jit
def _word_excess(words: Array, matrices: Array, scales: Array) -> Array:
    size = matrices.shape[-1]
    table = exponential_excess(jnp.einsum("s,ijk->sijk", scales, matrices))
    # a zero is the factor 1: it fills the word up to a power of two
    length = words.shape[1]
    levels = max(length - 1, 0).bit_length()
    excess = jnp.zeros((len(scales), len(words), 2**levels, size, size), matrices.dtype).at[:, :, :length].set(table[:, words])
    for _ in range(levels):
        excess = excess_product(excess[:, :, 0::2], excess[:, :, 1::2])
    return marked(excess[:, :, 0], jnp.broadcast_to(strange(words)[None], excess.shape[:2]))
