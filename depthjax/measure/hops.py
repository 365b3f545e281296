"""Wrong positions of attention that hops, for every number of hops and after every layer, in one pass."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from depthjax.models.attention import Attention, Weights
from depthjax.tasks.hops import hop_table

AT_ONCE = 8  # words whose logits, of every layer and every k, are held


def wrong_by_depth(
    model: Attention, weights: Weights, words: Int[Array, "batch length"], hops: tuple[int, ...]
) -> Int[Array, "batch depth hops"]:
    """Return how many positions a family of hop transformers gets wrong if it is cut after each of its layers.

    Args:
        model: of `hop_family(hops, ...)`.
        weights: its weights.
        words: that are tried.
        hops: those that the model was built for, in its order.

    Cost: one pass for all depths and all k; memory for the logits of a few words.
    """
    return _wrong(model, weights, words, tuple(hops))


@partial(jax.jit, static_argnums=(0, 3))
def _wrong(model: Attention, weights: Weights, words: Array, hops: tuple[int, ...]) -> Array:
    wanted = jnp.array(hops) - 1

    def one(word: Array) -> Array:
        logits = model.apply_by_depth(weights, word[None])[0]
        answers = jnp.argmax(logits.reshape(*logits.shape[:2], len(hops), model.alphabet + 1), axis=-1)
        labels = hop_table(word[None], model.alphabet, max(hops))[wanted, 0]
        return (answers != labels.T[None]).sum(axis=1)

    return jax.lax.map(one, words, batch_size=min(AT_ONCE, len(words)))
