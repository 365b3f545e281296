"""Networks that are trained on words of some elements of a group, and what was trained.

The runs are those of `depthjax.instruments.word_problem.trained`, which returns no facts of its runs.
"""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.instruments.word_problem import Result, WordProblemSetup, _network
from depthjax.tasks.words import padded_table
from depthjax.training import Fit, Learner, depth_is_data, trials


class WordRuns(NamedTuple):
    """What every run ends with; NaN for a run whose loss was not finite.

    Attributes:
        result: The tests.
        facts: What was trained; the parts of a network are its layers, and its numbers are those that it uses.
        drawn: Words of a step, and tokens of each.
    """

    result: Result
    facts: Facts
    drawn: Float[np.ndarray, "seeds 2"]


def trained_on_letters(
    key: Key[Array, ""],
    setup: WordProblemSetup,
    table: Integer[np.ndarray, "_ _"],
    letters: Sequence[int],
    seeds: int,
    depth: int,
) -> WordRuns:
    """Train networks on the products of words of these letters, one run a seed.

    Args:
        key: Key of all runs.
        setup: The network and its training.
        table: Table of the group.
        letters: Elements that words are made of.
        seeds: Number of runs.
        depth: Number of layers.

    Cost: the training of `seeds` networks.
    """
    padded, count = padded_table(table, setup.order, setup.order), np.array([len(letters)])
    row = np.resize(np.asarray(letters), setup.order).astype(padded.dtype)
    keys = jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(seeds))[None]
    data = depth_is_data(depth, setup.depth, keys.size * setup.steps)
    setup, layers = (setup, np.asarray(depth)) if data else (dataclasses.replace(setup, depth=depth), None)
    done = trials(_watched, setup, keys, (padded[None], row[None], count), (layers,))
    result, facts, drawn = jax.tree.map(lambda part: part[0], done.finite(done.found))
    return WordRuns(Result(*result), facts, drawn)


def _watched(setup: WordProblemSetup, own: Any, table: Array, alphabet: Array, count: Array, depth: Array | None) -> Learner:
    network = _network(setup, own, table, alphabet, count, depth)
    learner = watched(network, lambda params: params["layers"])
    layer = sum(leaf[0].size for leaf in jax.tree.leaves(network.params["layers"]))
    left = 0 if depth is None else (setup.depth - depth) * layer  # layers that are there and not applied
    drawn = jnp.asarray(jax.eval_shape(network.sample, own.training).tokens.shape)

    def test(found: Fit) -> tuple[Any, Facts, Array]:
        result, facts = learner.test(found)
        return result, facts._replace(weights=facts.weights - left), drawn

    return learner._replace(test=test)
