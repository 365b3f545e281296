"""A network of phases trained from several starts: near the weights of a group's tower, far from them, and at random."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Integer, Key

from depthjax.constructions.towers.group import AbelianTable
from depthjax.instruments.trained import Facts, watched
from depthjax.tasks.words import Batch, GroupWords
from depthjax.training import Fit, Learner, Recipe, Streams, trials
from depthjax.training.losses import cross_entropy
from experiments.training.expressible_not_learned.phase_network import Weights, initial, logits

__all__ = ["STARTS", "PhaseRuns", "moved", "trained_from_starts", "wrong_positions"]

STARTS = ("near", "random", "phases", "far")
"""Given weights moved a little; random ones; the given phases with a random readout; given weights moved a lot."""


class PhaseRuns(NamedTuple):
    """What every run ends with.

    Attributes:
        whole: Share of fresh words with every position right, at every record.
        apart: Mean over the arrays of the distance from the given weights, relative to their size.
        begun: Distance of each array from the given weights before the training, relative to its size.
        begun_lengths: The same of the arrays as vectors, relative to their length.
        facts: What was trained.
        finite: Whether the run stayed finite.
    """

    whole: Float[np.ndarray, "starts seeds records"]
    apart: Float[np.ndarray, "starts seeds"]
    begun: Float[np.ndarray, "starts seeds arrays"]
    begun_lengths: Float[np.ndarray, "starts seeds arrays"]
    facts: Facts
    finite: Bool[np.ndarray, "starts seeds"]


def trained_from_starts(
    key: Key[Array, ""],
    solution: Weights,
    stages: Sequence[AbelianTable],
    table: Integer[np.ndarray, "order order"],
    recipe: Recipe,
    *,
    seeds: int,
    batch: int,
    length: int,
    near: float,
    far: float,
) -> PhaseRuns:
    """Train networks of phases on the products of a group from each of `STARTS`.

    Args:
        key: Key of all runs.
        solution: Given weights.
        stages: Stages of the tower of the group.
        table: Cayley table.
        recipe: Training recipe of every run.
        seeds: Number of runs from every start.
        batch: Number of words of a training step; every step draws fresh words.
        length: Number of letters of a word.
        near: Share of its own size by which each array of the given weights is moved at random.
        far: The same for the start that is far.

    Cost: the training of ``4 * seeds`` networks, all at once.
    """
    sample = partial(GroupWords(table, bos=False).sample, batch=batch, length=length)

    def loss(weights: Weights, words: Batch) -> tuple[Array, dict[str, Array]]:
        return cross_entropy(logits(weights, stages, words.tokens), words)

    def trial(_: None, own: Streams, start: Array) -> Learner:
        fresh = initial(own.initial, stages, len(table), len(table))
        given_phases = solution | {"readout": fresh["readout"]}
        begun = (moved(solution, fresh, near), fresh, given_phases, moved(solution, fresh, far))

        begin = jax.tree.map(lambda *parts: jnp.stack(parts)[start], *begun)

        def apart(weights: Weights) -> Array:
            pairs = zip(jax.tree.leaves(weights), jax.tree.leaves(solution), strict=True)
            return jnp.stack([_size(found - given) / _size(given) for found, given in pairs])

        def lengths_apart(weights: Weights) -> Array:
            pairs = zip(jax.tree.leaves(weights), jax.tree.leaves(solution), strict=True)
            return jnp.stack([optax.tree.norm(found - given) / optax.tree.norm(given) for found, given in pairs])

        def test(ended: Fit) -> tuple[Array, Array, Array, Array]:
            return ended.metrics["sequence"], apart(ended.params).mean(), apart(begin), lengths_apart(begin)

        return watched(Learner(begin, loss, sample, recipe, test))

    keys = jax.vmap(partial(jax.random.fold_in, key))(1 + jnp.arange(len(STARTS) * seeds)).reshape(len(STARTS), seeds)
    done = trials(trial, None, keys, (np.arange(len(STARTS)),), together=True)
    found, facts = done.found
    return PhaseRuns(*found, facts=done.finite(facts), finite=np.asarray(done.failed < 0))


def moved(weights: Weights, direction: Weights, share: float) -> Weights:
    """Return the weights, each array moved in this direction by a share of its own root mean square."""
    return jax.tree.map(lambda w, d: w + share * d * _size(w) / _size(d), weights, direction)


def _size(weights: Array) -> Array:
    """The root mean square of an array."""
    return jnp.sqrt(jnp.mean(jnp.square(weights)))


def wrong_positions(
    key: Key[Array, ""],
    weights: Weights,
    stages: Sequence[AbelianTable],
    table: Integer[np.ndarray, "order order"],
    words: int,
    length: int,
) -> tuple[int, int]:
    """Return the number of positions of random words at which fixed weights name another product, and of all positions."""
    fresh = GroupWords(table, bos=False).sample(key, words, length)
    answers = logits(weights, stages, fresh.tokens).argmax(axis=-1)
    wrong = answers.astype(fresh.labels.dtype) != fresh.labels
    return int(wrong.sum()), wrong.size
