"""Errors of hop transformers: constructed ones for every k after every layer in one pass, and trained ones."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer

from depthjax.checks import in_alphabet
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from depthjax.tasks.hops import hop_table
from depthjax.tasks.words import Batch

AT_ONCE = 8  # words whose logits, of every layer and every k, are held


def wrong_by_depth(
    model: CompiledTransformer, weights: TransformerWeights, words: Integer[Array, "batch length"], hops: tuple[int, ...]
) -> Int[Array, "batch depth hops"]:
    """Return the number of wrong positions of a family of hop transformers that is cut after each of its layers.

    Args:
        model: Model from `hop_family(hops, ...)`.
        weights: Its weights.
        words: Words to try.
        hops: Numbers of hops of the model, in its order.

    Cost: one pass for all depths and all k; memory for the logits of a few words.

    Raises:
        ValueError: A letter is out of range (under jit: every position of that word counts as wrong).
    """
    return words.shape[1] - _right(model, weights, in_alphabet("words", words, model.alphabet), tuple(hops))


def hop_errors(
    logits: Float[Array, "batch answers classes"], batch: Batch, alphabet: int, largest: int
) -> Float[Array, " hops"]:
    """Return, for each k, the share of wrong answers among the positions of a `hop_batch` that have an answer.

    As published, positions whose answer is "none" do not count.
    """
    counts = (batch.labels < alphabet).reshape(-1, largest)
    wrong = (logits.argmax(axis=-1) != batch.labels).reshape(-1, largest) & counts
    return wrong.sum(axis=0, dtype=jnp.float32) / jnp.maximum(counts.sum(axis=0, dtype=jnp.float32), 1)


@partial(jax.jit, static_argnums=(0, 3))
def _right(model: CompiledTransformer, weights: TransformerWeights, words: Array, hops: tuple[int, ...]) -> Array:
    wanted = jnp.array(hops) - 1

    def one(word: Array) -> Array:
        logits = model.apply_by_depth(weights, word[None])[0]
        answers = jnp.argmax(logits.reshape(*logits.shape[:2], len(hops), model.alphabet + 1), axis=-1)
        labels = hop_table(word[None], model.alphabet, max(hops))[wanted, 0]
        return (answers == labels.T[None]).sum(axis=1)  # a position that is left out counts as wrong

    return jax.lax.map(one, words, batch_size=min(AT_ONCE, len(words)))
