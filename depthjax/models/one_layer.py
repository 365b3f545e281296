r"""One attention layer whose partial sums are fixed-point numbers, which limits what its last position can know of a word.

A head returns sum_j e_j v_j / sum_j e_j with e_j = exp(score_j). Both sums are multiples of 2^-bits of their largest possible
value and saturate at the top, so each is one of 2^bits values. Embeddings are arbitrary functions of letter and position
(random here), so the scores of the last query are a table over (position, letter).
"""

import dataclasses

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import in_alphabet, marked, strange


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class OneLayer:
    """Exponentials of the scores of the last query, and values in [0, 1], for every position and letter."""

    raised: Float[Array, "heads length letters"]
    values: Float[Array, "heads length letters width"]


def random_one_layer(key: Key[Array, ""], heads: int, width: int, length: int, letters: int) -> OneLayer:
    """Return a layer with normal scores and uniform values."""
    scores, values = jax.random.split(key)
    return OneLayer(
        jnp.exp(jax.random.normal(scores, (heads, length, letters))),
        jax.random.uniform(values, (heads, length, letters, width)),
    )


def partial_sums(
    layer: OneLayer, words: Integer[Array, "batch length"], positions: Integer[Array, " some"], bits: Integer[Array, ""] | int
) -> Int[Array, "batch heads width_and_one"]:
    """Return the numerators and the denominator that these positions contribute, each in 0 ... 2^bits - 1.

    The unit is the largest total of all positions, divided by 2^bits.

    Raises:
        ValueError: A letter or a position is out of range, or there are more bits than the type of the numbers holds. Under jit
            the answer is -1.
    """
    words = in_alphabet("words", words, layer.raised.shape[2])
    positions = in_alphabet("positions", positions, layer.raised.shape[1])
    held = min(31, jnp.finfo(layer.raised.dtype).nmant + 1)  # the result is int32
    if not isinstance(bits, Tracer) and not 1 <= int(bits) <= held:
        raise ValueError(f"bits must be 1 .. {held}, got {bits}: {layer.raised.dtype} does not resolve sums further")
    letters = words[:, positions]
    raised = layer.raised[:, positions[None, :], letters]
    values = layer.values[:, positions[None, :], letters]
    terms = jnp.concatenate([raised[..., None] * values, raised[..., None]], axis=-1)
    largest = layer.raised.max(axis=2).sum(axis=1)[None, :, None]
    sums = jnp.moveaxis(terms.sum(axis=2), 1, 0)
    values_of_a_number = jnp.exp2(jnp.asarray(bits, sums.dtype))
    found = jnp.clip(jnp.floor(sums / largest * values_of_a_number), 0, values_of_a_number - 1).astype(jnp.int32)
    return marked(found, strange(words) | (positions < 0).any() | (jnp.asarray(bits) > held))


def last_output(
    layer: OneLayer,
    words: Integer[Array, "batch length"],
    mine: Integer[Array, " some"],
    rest: Integer[Array, " others"],
    bits: Integer[Array, ""] | int,
) -> Float[Array, "batch heads width"]:
    """Return the output of the heads at the last position, from the added sums of both sides. Any MLP sees only this."""
    ours, theirs = (partial_sums(layer, words, positions, bits).astype(layer.raised.dtype) for positions in (mine, rest))
    total = ours + theirs
    output = total[..., :-1] / jnp.maximum(total[..., -1:], 1)
    return marked(output, ((ours < 0) | (theirs < 0)).any(axis=(1, 2)))
