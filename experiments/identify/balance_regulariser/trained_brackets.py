"""Train second layers on a bounded Dyck language, with a penalty for scores of pairs that differ between queries, or without.

Scores are products of keys and queries over the root of the width. `bracket_layers` says what a layer is.
"""

from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.tasks.dyck import dyck_stacks, dyck_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials
from experiments.identify.balance_regulariser.bracket_layers import BracketLayer, Brackets, imbalance, logits

PENALTIES = {"none": (0.0, 0.0), "balance": (1.0, 0.0), "openers": (0.0, 1.0)}  # weights of closer and of opener queries
SPANS = (1, 2, 4, 8)  # errors are counted up to these multiples of the training length


class TrainedLayers(NamedTuple):
    """Trained layers of one penalty.

    Attributes:
        layers: The layers, with the seeds along the first axis.
        errors: Share of misread prefixes among those of 0 to 1, 1 to 2, 2 to 4 and 4 to 8 times the training length; not a
            number if a step was not finite.
        imbalance: Variance of the score differences of pairs over closer queries.
        astray: Letters of the test that are judged although no bracket is open after them, or are no closers, and others that
            are left out.
        letters: Letters of a step, and of each span of the test.
        facts: What was trained; the parts of a layer are its keys, queries, values and readings.
    """

    layers: BracketLayer
    errors: Float[np.ndarray, "seeds spans"]
    imbalance: Float[np.ndarray, " seeds"]
    astray: Int[np.ndarray, " seeds"]
    letters: Int[np.ndarray, "seeds uses"]
    facts: Facts


def trained_layers(
    key: Key[Array, ""], brackets: Brackets, recipe: Recipe, weight: float, width: int, batch: int, tests: int, seeds: int
) -> dict[str, TrainedLayers]:
    """Train layers with every penalty, from the same initial weights and on the same words, seed by seed.

    Args:
        key: Key of all runs.
        brackets: The language.
        recipe: Training recipe.
        weight: Weight of the penalty beside the cross entropy in nats.
        width: Size of keys, queries and values.
        batch: Prefixes of a step.
        tests: Words of eight times the training length that are tested.
        seeds: Runs of each penalty.

    Cost: ``recipe.steps`` gradients of all layers at once.
    """
    scales, setup = weight * np.array(list(PENALTIES.values())), (brackets, recipe, width, batch, tests)
    done = trials(_network, setup, jax.random.split(key, seeds), (scales,), together=True)
    (layers, errors, *others), facts = done.found
    found = layers, done.finite(errors), *others, done.finite(facts)
    return {name: TrainedLayers(*jax.tree.map(lambda part, n=number: part[n], found)) for number, name in enumerate(PENALTIES)}


def initial_weights(key: Key[Array, ""], brackets: Brackets, width: int) -> dict[str, Array]:
    """Return random weights by name: keys, queries and values of variance one, readings of variance 1 / width."""
    symbols, keys = 2 * brackets.types * brackets.depth, jax.random.split(key, 4)
    drawn = {name: jax.random.normal(k, (symbols, width)) for name, k in zip(("key", "query", "value"), keys, strict=False)}
    return drawn | {"read": jax.random.normal(keys[3], (symbols, brackets.types, width)) * width**-0.5}


def layer(params: dict[str, Array]) -> BracketLayer:
    """Return the layer with these weights."""
    return BracketLayer(params["key"] @ params["query"].T * params["key"].shape[1] ** -0.5, params["value"], params["read"])


def penalised(key: Key[Array, ""], brackets: Brackets, width: int) -> Int[np.ndarray, "penalties 2"]:
    """Return for every penalty whether scores of closer queries change it, and whether those of opener queries do."""
    table, pairs = layer(initial_weights(key, brackets, width)).table, brackets.types * brackets.depth

    def slopes(weights: Array) -> Array:
        slope = jax.grad(lambda scores: weights @ jnp.stack(imbalance(scores, brackets)))(table)
        return jnp.stack([(slope[:, pairs:] != 0).any(), (slope[:, :pairs] != 0).any()])

    return np.asarray(jax.jit(jax.vmap(slopes))(jnp.array(list(PENALTIES.values())))).astype(int)


def symbols_of(words: Int[Array, "batch length"], brackets: Brackets) -> tuple[Array, Array]:
    """Return the symbols of the brackets, and the type of the innermost open bracket after each of them; -1 for none."""
    stacks = dyck_stacks(words, brackets.types, brackets.depth)
    after = (stacks >= 0).sum(axis=2, dtype=words.dtype)
    closes = (words >= brackets.types).astype(words.dtype)
    top = jnp.take_along_axis(stacks, jnp.maximum(after - 1, 0)[:, :, None], axis=2)[:, :, 0]
    place = after + closes - 1
    return closes * brackets.types * (brackets.depth - 1) + place * brackets.types + words, top


def _network(setup: tuple[Brackets, Recipe, int, int, int], own: Streams, scale: Array) -> Learner:
    brackets, recipe, width, batch, tests = setup
    symbols = 2 * brackets.types * brackets.depth

    def judged(one: BracketLayer, words: Array) -> tuple[Array, Array, Array]:
        """The logits at every letter, the right answers, and which letters are closers that leave a bracket open."""
        query, top = symbols_of(words, brackets)
        counts = jnp.cumsum(jax.nn.one_hot(query, symbols), axis=1)
        return logits(one, counts, query), top, (words >= brackets.types) & (top >= 0)

    def sample(key: Array) -> Array:
        return dyck_words(key, brackets.types, brackets.depth, batch, brackets.length)

    def loss(params: dict[str, Array], words: Array) -> tuple[Array, dict[str, Array]]:
        one = layer(params)
        said, top, asked = judged(one, words)
        entropies = optax.softmax_cross_entropy_with_integer_labels(said, jnp.maximum(top, 0))
        return entropies.mean(where=asked) + scale @ jnp.stack(imbalance(one.table, brackets)), {}

    def test(found: Fit) -> tuple[BracketLayer, Array, Array, Array, Array]:
        one, ends = layer(found.params), [0, *(span * brackets.length for span in SPANS)]
        words = dyck_words(own.test, brackets.types, brackets.depth, tests, ends[-1])
        said, top, asked = judged(one, words)
        wrong = said.argmax(axis=2) != top
        errors = jnp.stack([wrong[:, a:b].mean(where=asked[:, a:b]) for a, b in pairwise(ends)])
        deep = jnp.cumsum(jnp.where(words < brackets.types, 1, -1), axis=1)
        astray = (asked != ((words >= brackets.types) & (deep > 0))).sum()
        letters = jnp.array([jax.eval_shape(sample, own.training).size, *(wrong[:, a:b].size for a, b in pairwise(ends))])
        return one, errors, imbalance(one.table, brackets)[0], astray, letters

    return watched(Learner(initial_weights(own.initial, brackets, width), loss, sample, recipe, test))
