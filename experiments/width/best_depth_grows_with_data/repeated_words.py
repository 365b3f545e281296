"""Transformers trained on hop_1, ..., hop_k where training repeats a limited number of words."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.hops import hop_errors
from depthjax.instruments.trained import Facts, positions_read, watched
from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.fixed import numbered_words
from depthjax.tasks.hops import hop_batch
from depthjax.tasks.words import Batch
from depthjax.training import Fit, Learner, Recipe, Streams, depth_is_data, trials
from depthjax.training.layout import Layout
from depthjax.training.losses import cross_entropy

SHORT = 6  # positions of which is tried which ones attention joins
ENDLESS = 2**31 - 1  # more words than are drawn, so that hardly one comes twice


class _Words(NamedTuple):
    """Words with the answers to every number of hops."""

    alphabet: int
    length: int
    largest: int

    def drawn(self, key: Key[Array, ""], batch: int) -> Batch:
        return hop_batch(key, alphabet=self.alphabet, length=self.length, largest=self.largest, batch=batch)


class HopErrors(NamedTuple):
    """Shares of wrong answers of every run, by number of training words, seed and k.

    Attributes:
        fresh: Errors on words that are drawn for the test.
        seen: Errors on words of the training.
        other: Answers to the words of the test, held against the labels of other words.
        pairs: Pairs of the `SHORT` first positions of which one moves what the first layer's attention reads at the other.
        facts: What was trained. The parts of a network are its layers.
    """

    fresh: Float[Array | np.ndarray, "words seeds hops"]
    seen: Float[Array | np.ndarray, "words seeds hops"]
    other: Float[Array | np.ndarray, "words seeds hops"]
    pairs: Float[Array | np.ndarray, "words seeds"] | Int[Array | np.ndarray, "words seeds"]
    facts: Facts


def train_on_words(
    key: Key[Array, ""],
    recipe: Recipe,
    words: Sequence[int],
    *,
    depth: int,
    deepest: int,
    seeds: int,
    batch: int,
    tests: int,
    alphabet: int,
    length: int,
    largest: int,
    width: int,
    heads: int,
    mlp: bool,
    layout: Layout = "auto",
) -> HopErrors:
    """Train transformers in which no position sees itself on batches that are drawn from a fixed number of words.

    Word i of a seed is a function of the seed and of i: a larger training set holds the smaller ones, and transformers of every
    depth see the same words. A training set is never stored.

    Args:
        key: Root of all runs.
        recipe: Training recipe of every run.
        words: Numbers of training words, at most `ENDLESS` each.
        depth: Number of layers.
        deepest: Number of layers of the deepest network, from which the others are cut where depth is data.
        seeds: Runs for each number of words.
        batch: Words of a training step.
        tests: Words of the test, and words of the training that are read again.
        alphabet: Number of letters.
        length: Letters of a word.
        largest: Largest k; every position answers every k.
        width: Width of the residual stream.
        heads: Heads of a layer.
        mlp: Whether each layer has an MLP.
        layout: "masked": all depths share a program, in which depth is data. "buckets": each has its own. "auto": the faster
            one (`depthjax.training.depth_is_data`). They give the same numbers up to rounding.

    The errors of a run whose loss was not finite are NaN.

    Cost: the training of ``len(words) * seeds`` transformers.
    """
    sizes: dict[str, Any] = {"letters": alphabet, "classes": largest * (alphabet + 1), "width": width, "heads": heads}
    data = depth_is_data(depth, deepest, len(words) * seeds * recipe.steps, layout)
    sizes |= {"max_depth": deepest if data else depth, "max_length": length, "positions": "learned"}
    model = sequence_model("transformer", mlp=mlp, mask="strict", **sizes)
    setup = _Words(alphabet, length, largest), model, recipe, batch, tests
    keys = jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(seeds))
    done = trials(_network, setup, keys, (np.asarray(words, "int32"),), (np.asarray(depth) if data else None,))
    found, facts = done.finite(done.found)
    return HopErrors(*found, facts)  # type: ignore[call-arg]


def _network(setup: tuple[_Words, SequenceModel, Recipe, int, int], own: Streams, count: Array, depth: Array | None) -> Learner:
    words, model, recipe, batch, tests = setup
    kept = jax.random.fold_in(own.training, ENDLESS)  # no step has this number

    def sample(step: Array, size: int = batch) -> Batch:
        return numbered_words(kept, jax.random.randint(step, (size,), 0, count), words.drawn)

    def logits(params: Any, tokens: Array) -> Array:
        return model.apply(params, tokens, depth).reshape(len(tokens), -1, words.alphabet + 1)

    def loss(params: Any, batch: Batch) -> tuple[Array, dict[str, Array]]:
        return cross_entropy(logits(params, batch.tokens), batch)

    start = model.init(own.initial)

    def test(found: Fit) -> tuple[Array, ...]:
        def errors(batch: Batch, answers: Array) -> Array:
            return hop_errors(answers, batch, words.alphabet, words.largest)

        seen, fresh = sample(own.validation, tests), words.drawn(own.test, tests)
        answers, known = (logits(found.params, each.tokens) for each in (fresh, seen))
        others = fresh._replace(labels=jnp.roll(fresh.labels, 1, axis=0))
        pairs = positions_read(model, start, SHORT)
        return errors(fresh, answers), errors(seen, known), errors(others, answers), pairs

    return watched(Learner(start, loss, sample, recipe, test), lambda params: params["layers"])
