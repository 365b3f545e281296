"""Transformers without positions that are trained to say whether a word of k alternating blocks may end at each prefix."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.models import sequence_model
from depthjax.runs.compiler import lean_options
from depthjax.tasks.alternation import BEGIN, alternation_batch
from depthjax.tasks.words import Batch, prepend
from depthjax.training import Recipe, fit, streams
from depthjax.training.losses import correct, cross_entropy

__all__ = ["TIMES", "Result", "Setup", "trained"]

TIMES = (1, 2, 4)
"""Multiples of the training lengths at which networks are tested."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """The network and its training: static, so that all numbers of blocks and all depths share a program.

    Attributes:
        layers: The most layers that are asked for.
        width: Width of the residual stream.
        longest: Number of letters of the longest training word; the shortest has half as many.
        batch: Number of words of a training step; every step draws fresh words.
        steps: Number of training steps.
        rate: Peak learning rate.
        tests: Number of test words of the training lengths, and of every multiple of these lengths in `TIMES`.
    """

    layers: int
    width: int
    longest: int
    batch: int
    steps: int
    rate: float
    tests: int


class Result(NamedTuple):
    """What the networks do after training, one entry a seed.

    Attributes:
        whole: Share of the test words that are right at every prefix, for each multiple of the training lengths in `TIMES`.
        gap: Largest difference between the logits at the ends of the two words of a pair, over the largest of these logits.
        same: Share of the pairs at whose ends the answers are the same.
        curve: The share of words that are wholly right, in the course of training.
    """

    whole: Float[Array, "seeds multiples"]
    gap: Float[Array, " seeds"]
    same: Float[Array, " seeds"]
    curve: Float[Array, "seeds records"]


def trained(
    key: Key[Array, ""],
    setup: Setup,
    seeds: int,
    k: int,
    depth: int,
    pairs: Int[np.ndarray, "pairs two length"],
    ends: Int[np.ndarray, " pairs"],
    permuted: bool = False,
) -> Result:
    """Train networks from several seeds and test them on fresh words and on pairs of words.

    Args:
        key: Key of all seeds.
        setup: The network and its training.
        seeds: Number of networks.
        k: Number of blocks.
        depth: Number of layers, at most ``setup.layers``.
        pairs: Pairs of words, padded.
        ends: Number of letters of the words of each pair.
        permuted: Train on the labels of other positions, from which only the shares of the labels can be learned.

    Cost: the training of ``seeds`` networks, on a CPU one after the other.
    """
    numbers = (jnp.asarray(number) for number in (depth, k, permuted))
    return _program(setup)(jax.random.split(key, seeds), *numbers, jnp.asarray(pairs), jnp.asarray(ends))


@cache
def _program(setup: Setup) -> Callable[..., Result]:
    recipe = Recipe(
        steps=setup.steps,
        learning_rate=setup.rate,
        warmup=setup.steps // 5,
        weight_decay=0.0,
        record_every=setup.steps // 10,
    )
    model = sequence_model(
        "transformer", letters=BEGIN + 1, classes=2, width=setup.width, max_depth=setup.layers, heads=1, positions="none"
    )

    def spread(number: int, times: int = 1) -> Array:
        """Lengths from half to the whole of `times` the longest training word, evenly."""
        return jnp.linspace(times * (setup.longest // 2), times * setup.longest, number).astype(int)

    def train(keys: Array, depth: Array, k: Array, permuted: Array, pairs: Array, ends: Array) -> Result:
        def sample(key: Array) -> Batch:
            batch = alternation_batch(key, k, spread(setup.batch), setup.longest)
            moved = jax.random.permutation(key, setup.longest + 1)
            return batch._replace(labels=jnp.where(permuted, batch.labels[:, moved], batch.labels))

        def loss(params: dict, batch: Batch) -> tuple[Array, dict[str, Array]]:
            return cross_entropy(model.apply(params, batch.tokens, depth), batch)

        def run(key: Array) -> Result:
            own = streams(key)
            done = fit(key, model.init(own.initial), loss, sample, recipe)
            lengths = jnp.concatenate([spread(setup.tests, times) for times in TIMES])
            tested = alternation_batch(own.test, k, lengths, max(TIMES) * setup.longest)
            right = correct(model.apply(done.params, tested.tokens, depth), tested.labels, tested.weights).all(axis=1)
            whole = right.reshape(len(TIMES), setup.tests).mean(axis=1)
            said = model.apply(done.params, prepend(pairs.reshape(-1, pairs.shape[2]), BEGIN).astype(jnp.int32), depth)
            # the token BEGIN stands first, so a word of n letters ends at position n
            last = said.reshape(*pairs.shape[:2], *said.shape[1:])[jnp.arange(len(ends)), :, ends]
            gap = jnp.abs(last[:, 0] - last[:, 1]).max() / jnp.abs(last).max()
            same = (jnp.argmax(last[:, 0], axis=-1) == jnp.argmax(last[:, 1], axis=-1)).mean()
            return Result(whole, gap, same, done.metrics["sequence"])

        # on a CPU one run after the other compiles in half the time, and layers that a network lacks are not computed
        return jax.lax.map(run, keys, batch_size=None if jax.default_backend() == "cpu" else len(keys))

    return jax.jit(train, compiler_options=lean_options(jax.default_backend()))
