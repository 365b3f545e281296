"""A transformer that writes before it answers: each written token is read off the last position and appended to the word."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer

from depthjax.checks import at_least
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights


def write(
    model: CompiledTransformer,
    weights: TransformerWeights,
    words: Integer[Array, "batch length"],
    steps: int,
    letter: int,
    *,
    written: int | None = None,
) -> Float[Array, "passes batch classes"]:
    """Return the logits at the last position before any token is written, after one, ..., after `steps`.

    The classes that name written letters are the last ones: class number i of them writes the letter `letter` + i.

    Args:
        model: Reads words of at least `length + steps` letters.
        weights: Of the model.
        words: Letters before anything is written, all words of one length.
        steps: Number of tokens that are written.
        letter: First letter that may be written; all later letters of the alphabet may be written as well.
        written: Letter that is shown in the place of every written one, which hides it; None shows what was written.

    Cost: steps + 1 passes over all length + steps positions.

    Raises:
        ValueError: The model reads no words as long, or a letter is not in its alphabet.
    """
    at_least("length of the model", model.length, words.shape[1] + at_least("steps", steps, 0), "the word and what is written")
    at_least("alphabet of the model", model.alphabet, max(letter, -1 if written is None else written) + 1)
    return _write(model, weights, words, steps, letter, written)


@partial(jax.jit, static_argnums=(0, 3, 4, 5))
def _write(
    model: CompiledTransformer, weights: TransformerWeights, words: Array, steps: int, letter: int, written: int | None
) -> Array:
    start = words.shape[1] - 1
    tokens = jnp.pad(words, ((0, 0), (0, steps)))  # no position sees what comes after it

    def one(tokens: Array, place: Array) -> tuple[Array, Array]:
        logits = jax.lax.dynamic_index_in_dim(model.apply(weights, tokens), place, axis=1, keepdims=False)
        found = letter + logits[:, letter - model.alphabet :].argmax(axis=-1)
        shown = found if written is None else jnp.full_like(found, written)
        return jax.lax.dynamic_update_index_in_dim(tokens, shown.astype(tokens.dtype), place + 1, axis=1), logits

    return jax.lax.scan(one, tokens, start + jnp.arange(steps + 1))[1]
