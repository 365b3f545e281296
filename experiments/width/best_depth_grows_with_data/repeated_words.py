"""Transformers trained on hop_1, ..., hop_k where training repeats a limited number of words."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.hops import hop_errors
from depthjax.models import sequence_model
from depthjax.runs.compiler import lean_options
from depthjax.tasks.hops import hop_batch
from depthjax.tasks.words import Batch
from depthjax.training import Recipe, fit, streams
from depthjax.training.classify import every_run
from depthjax.training.losses import cross_entropy

ENDLESS = 2**31 - 1  # so many words that hardly one comes twice


class HopErrors(NamedTuple):
    """Shares of wrong answers of every run, by number of training words, seed and k.

    Attributes:
        fresh: Errors on words that are drawn for the test.
        seen: Errors on words of the training.
        other: Answers to the words of the test, held against the labels of other words.
    """

    fresh: Float[Array | np.ndarray, "words seeds hops"]
    seen: Float[Array | np.ndarray, "words seeds hops"]
    other: Float[Array | np.ndarray, "words seeds hops"]


def train_on_words(
    key: Key[Array, ""],
    recipe: Recipe,
    words: Sequence[int],
    *,
    depth: int,
    seeds: int,
    batch: int,
    tests: int,
    alphabet: int,
    length: int,
    largest: int,
    width: int,
    heads: int,
    mlp: bool,
) -> HopErrors:
    """Train transformers in which no position sees itself on batches that are drawn from so many words.

    Word i of a seed is a function of the seed and of i: a larger training set holds the smaller ones, and transformers of every
    depth see the same words. A training set is never stored.

    Args:
        key: Root of all runs.
        recipe: Training recipe of every run.
        words: Numbers of training words, at most `ENDLESS` each.
        depth: Number of layers.
        seeds: Runs for each number of words.
        batch: Words of a training step.
        tests: Words of the test, and words of the training that are read again.
        alphabet: Number of letters.
        length: Letters of a word.
        largest: Largest k; every position answers every k.
        width: Width of the residual stream.
        heads: Heads of a layer.
        mlp: Whether each layer has an MLP.

    Cost: the training of ``len(words) * seeds`` transformers, in one program.
    """
    sizes: dict[str, Any] = {"letters": alphabet, "classes": largest * (alphabet + 1), "width": width, "heads": heads}
    sizes |= {"max_depth": depth, "max_length": length, "positions": "learned"}
    model = sequence_model("transformer", mlp=mlp, mask="strict", **sizes)
    drawn = partial(hop_batch, alphabet=alphabet, length=length, largest=largest)

    def run(own_key: Array, count: Array) -> HopErrors:
        own = streams(own_key)
        kept = jax.random.fold_in(own.training, ENDLESS)  # no step has this number

        def sample(step: Array, size: int = batch) -> Batch:
            return numbered_words(kept, jax.random.randint(step, (size,), 0, count), drawn)

        def logits(params: Any, tokens: Array) -> Array:
            return model.apply(params, tokens).reshape(len(tokens), -1, alphabet + 1)

        def loss(params: Any, batch: Batch) -> tuple[Array, dict[str, Array]]:
            return cross_entropy(logits(params, batch.tokens), batch)

        def errors(batch: Batch, answers: Array) -> Array:
            return hop_errors(answers, batch, alphabet, largest)

        params = fit(own_key, model.init(own.initial), loss, sample, recipe).params
        seen, fresh = sample(own.validation, tests), drawn(own.test, batch=tests)
        answers = logits(params, fresh.tokens)
        others = fresh._replace(labels=jnp.roll(fresh.labels, 1, axis=0))
        return HopErrors(errors(fresh, answers), errors(seen, logits(params, seen.tokens)), errors(others, answers))

    keys = jax.vmap(partial(jax.random.fold_in, key))(jnp.tile(jnp.arange(seeds), len(words)))
    program = jax.jit(partial(every_run, run), compiler_options=lean_options(jax.default_backend()))
    found = program(keys, jnp.repeat(jnp.asarray(words, jnp.int32), seeds))
    return HopErrors(*(np.asarray(part).reshape(len(words), seeds, -1) for part in found))


def numbered_words(key: Key[Array, ""], numbers: Int[Array, " batch"], drawn: Callable[..., Batch]) -> Batch:
    """Return the words of these numbers, each drawn with a key of its own.

    Args:
        key: Key of the endless row of words.
        numbers: Which words of the row.
        drawn: key, batch -> so many words with their labels.

    >>> drawn = partial(hop_batch, alphabet=3, length=5, largest=1)
    >>> few = numbered_words(jax.random.key(0), jnp.array([4, 2, 4]), drawn).tokens
    >>> few.shape, bool((few[0] == few[2]).all())
    ((3, 5), True)
    """
    single = jax.vmap(lambda number: drawn(jax.random.fold_in(key, number), batch=1))(numbers)
    return jax.tree.map(lambda part: part.reshape(-1, *part.shape[2:]), single)
