"""Fooling pairs of one attention layer: two words that it cannot tell apart, but whose induction heads differ."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from depthjax.models.one_layer import OneLayer, last_output, partial_sums, random_one_layer
from depthjax.tasks.hops import hop_labels, index_words
from depthjax.tasks.words import all_words


class Fooling(NamedTuple):
    """The result of enumerating all words of n bits, for several layers.

    Attributes:
        summaries: Number of different summaries that a layer keeps of the n bits before it knows which bit is asked for.
        fooled: Whether two words were found, and run, with the same output of the layer and different answers.
    """

    summaries: Int[Array, " layers"]
    fooled: Bool[Array, " layers"]


@partial(jax.jit, static_argnames=("bits", "heads", "width", "layers"))
def fooling_pairs(
    key: Key[Array, ""], *, bits: int, heads: int, width: int, layers: int, precision: Int[Array, ""] | int
) -> Fooling:
    """Return the certificates of random layers with sums of `precision` bits.

    Args:
        key: Key of the weights.
        bits: Number n of bits of INDEX; the words have 2 n + 1 letters.
        heads: Number of heads of a layer.
        width: Number of outputs of a head.
        layers: Number of layers that are tried.
        precision: Bits of a number; may be traced.

    Cost: a sort of 2^n summaries of heads (width + 1) numbers for each layer.
    """
    words = all_words(2, bits)
    # the index stands at the other positions, so the contribution of these does not depend on it
    asked = index_words(words, jnp.zeros(len(words), words.dtype))
    mine, rest = jnp.arange(1, 2 * bits, 2), jnp.arange(0, 2 * bits + 1, 2)

    def one(layer_key: Array) -> Fooling:
        layer = random_one_layer(layer_key, heads, width, 2 * bits + 1, 3)
        numbers = partial_sums(layer, asked, mine, precision).reshape(len(words), -1)
        order = jnp.lexsort(tuple(numbers.T))
        same = (numbers[order][1:] == numbers[order][:-1]).all(axis=1)
        first = jnp.argmax(same)
        pair = words[jnp.stack([order[first], order[first + 1]])]
        return Fooling(len(words) - same.sum(), same.any() & _errs(layer, pair, mine, rest, precision))

    return jax.lax.map(one, jax.random.split(key, layers), batch_size=4)


def _errs(layer: OneLayer, pair: Array, mine: Array, rest: Array, precision: Array | int) -> Array:
    """Whether the two words, asked for the first bit in which they differ, have the same output and different answers."""
    index = jnp.argmax(pair[0] != pair[1])
    words = index_words(pair, jnp.broadcast_to(index, 2).astype(pair.dtype))
    output = last_output(layer, words, mine, rest, precision)
    answers = hop_labels(words, 3, 1)[:, -1]
    return (output[0] == output[1]).all() & (answers[0] != answers[1])
