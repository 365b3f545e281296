"""Transformers without positions that are trained to say whether a word of k alternating blocks may end at each prefix."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, PyTree

from depthjax.checks import at_least
from depthjax.compiler import lean_options
from depthjax.instruments.trained import Facts, positions_read, watched
from depthjax.models import SequenceModel, sequence_model
from depthjax.rounding import floor_beside
from depthjax.tasks.alternation import BEGIN, alternation_batch
from depthjax.tasks.words import Batch, prepend
from depthjax.training import Fit, Learner, Recipe, Streams, trials, where_trained
from depthjax.training.losses import correct, cross_entropy

__all__ = [
    "SHORT",
    "TIMES",
    "BlockSetup",
    "PairAnswers",
    "TrainedOnBlocks",
    "on_pairs",
    "other_counts",
    "separating_multiple",
    "trained",
]

TIMES = (1, 2, 4)
"""Multiples of the training lengths at which networks are tested."""

SHORT = 6
"""Positions of which is tried which ones attention joins."""


@dataclasses.dataclass(frozen=True)
class BlockSetup:
    """The network and its training: static, so that all numbers of blocks and all depths share a program.

    Attributes:
        layers: The most layers that are asked for.
        width: Width of the residual stream.
        heads: Attention heads of a layer.
        longest: Number of letters of the longest training word; the shortest has half as many.
        batch: Number of words of a training step; every step draws fresh words.
        steps: Number of training steps.
        rate: Peak learning rate.
        tests: Number of test words of the training lengths, and of every multiple of these lengths in `TIMES`.
    """

    layers: int
    width: int
    heads: int
    longest: int
    batch: int
    steps: int
    rate: float
    tests: int


class TrainedOnBlocks(NamedTuple):
    """Trained networks, one entry a seed.

    Attributes:
        params: Parameters.
        whole: Share of the test words that are right at every prefix, for each multiple of the training lengths in `TIMES`; NaN
            for a seed whose loss was not finite.
        curve: The share of words that are wholly right, in the course of training; NaN for such a seed.
        lengths: Letters of the shortest and of the longest word, in training and for each multiple of its lengths in `TIMES`.
        pairs: Pairs of the `SHORT` first positions of which one moves what the first layer's attention reads at the other.
        facts: What was trained; NaN for such a seed. The parts of a network are its layers.
    """

    params: PyTree
    whole: Float[np.ndarray, "seeds multiples"]
    curve: Float[np.ndarray, "seeds records"]
    lengths: Float[np.ndarray, "seeds uses two"]
    pairs: Int[np.ndarray, " seeds"]
    facts: Facts

    def solved(self, share: float, times: int) -> Float[np.ndarray, " seeds"]:
        """Return whether this share of the words of `times` the training lengths is right, 1 or 0, or NaN, for each seed."""
        right = self.whole[:, TIMES.index(times)]
        return where_trained(right >= share, right)


class PairAnswers(NamedTuple):
    """What trained networks say at the ends of the two words of each pair, one entry a seed; logits in float64.

    Attributes:
        gap: Largest difference between the logits of the two words of a pair, over the largest logit.
        rounding: Largest difference between the logits of the same weights in float32 and in float64, over the largest logit.
        same: Share of the pairs at whose ends the answers are the same.
    """

    gap: Float[Array, " seeds"]
    rounding: Float[Array, " seeds"]
    same: Float[Array, " seeds"]

    @property
    def floor(self) -> Float[np.ndarray, " seeds"]:
        """The gap that rounding alone explains in float64: each of the two words has this type's error."""
        return 2 * floor_beside(np.asarray(self.rounding), jnp.dtype("float32"), jnp.dtype("float64"))


def trained(key: Key[Array, ""], setup: BlockSetup, seeds: int, k: int, depth: int, permuted: bool = False) -> TrainedOnBlocks:
    """Train networks from several seeds and test them on fresh words.

    Args:
        key: Key of all seeds.
        setup: The network and its training.
        seeds: Number of networks.
        k: Number of blocks.
        depth: Number of layers, at most ``setup.layers``.
        permuted: Train on the labels of other positions, from which only the shares of the labels can be learned.

    Cost: the training of ``seeds`` networks.

    Raises:
        ValueError: The depth is negative or above ``setup.layers``.
    """
    at_least("the layers of the setup", setup.layers, at_least("depth", depth, 0), f"there are no weights of depth {depth}")
    done = trials(
        _network, setup, jax.random.split(key, seeds), shared=(jnp.asarray(depth), jnp.asarray(k), jnp.asarray(permuted))
    )
    (params, pairs, *measured), facts = done.found
    return TrainedOnBlocks(params, *done.finite(measured), pairs, done.finite(facts))  # type: ignore[call-arg]


def on_pairs(
    setup: BlockSetup, params: PyTree, depth: int, pairs: Int[np.ndarray, "pairs two length"], ends: Int[np.ndarray, " pairs"]
) -> PairAnswers:
    """Return what trained networks say at the ends of pairs of words. JAX must allow float64.

    Args:
        setup: The network and its training.
        params: Parameters from `trained`.
        depth: Number of layers that were trained.
        pairs: Pairs of words, padded.
        ends: Number of letters of the words of each pair.
    """
    return _answers(setup)(params, jnp.asarray(depth), jnp.asarray(pairs), jnp.asarray(ends))


def other_counts(
    pairs: Int[np.ndarray, "pairs two length"], ends: Int[np.ndarray, " pairs"]
) -> Int[np.ndarray, "pairs two length"]:
    """Return pairs of equal length and last letter whose counts differ: a first word, and its letters but the last exchanged.

    Args:
        pairs: Pairs of words over two letters, padded; their second words are not used.
        ends: Number of letters of the words of each pair.

    >>> other_counts(np.array([[[0, 0, 1], [0, 1, 1]]]), np.array([3])).tolist()
    [[[0, 0, 1], [1, 1, 1]]]
    """
    first = pairs[:, 0]
    return np.stack([first, np.where(np.arange(first.shape[1]) < ends[:, None] - 1, 1 - first, first)], axis=1)


def separating_multiple(
    few: Float[np.ndarray, "seeds multiples"], enough: Float[np.ndarray, "seeds multiples"], whole: float
) -> float:
    """Return the smallest multiple in `TIMES` at which shallow networks fail, by a median below `whole`, and deep ones do not.

    It is NaN where there is none.

    >>> separating_multiple(np.array([[1.0, 0.7, 0.3]]), np.array([[1.0, 0.95, 0.8]]), 0.9)
    2.0
    """
    clear = (np.median(few, axis=0) < whole) & (np.median(enough, axis=0) >= whole)
    return float(np.array(TIMES)[clear].min()) if clear.any() else np.nan


def _model(setup: BlockSetup, dtype: str = "float32") -> SequenceModel:
    sizes: dict[str, Any] = {"letters": BEGIN + 1, "classes": 2, "width": setup.width, "heads": setup.heads}
    return sequence_model("transformer", dtype=dtype, positions="none", max_depth=setup.layers, **sizes)


def _said(model: SequenceModel, params: Any, tokens: Array, depth: Array) -> Array:
    """The logits; without a layer (depth 0) those of one layer whose weights are zero, which adds nothing to any letter."""
    layers = jax.tree.map(lambda part: jnp.where(depth > 0, part, jnp.zeros_like(part)), params["layers"])
    return model.apply({**params, "layers": layers}, tokens, jnp.maximum(depth, 1))


def _network(setup: BlockSetup, own: Streams, depth: Array, k: Array, permuted: Array) -> Learner:
    schedule = {"warmup": setup.steps // 5, "weight_decay": 0.0, "record_every": setup.steps // 10}
    model = _model(setup)

    def spread(number: int, times: int = 1) -> Array:
        """Lengths from half to the whole of `times` the longest training word, evenly."""
        return jnp.linspace(times * (setup.longest // 2), times * setup.longest, number).astype(int)

    def sample(key: Array) -> Batch:
        batch = alternation_batch(key, k, spread(setup.batch), setup.longest)
        moved = jax.random.permutation(key, setup.longest + 1)
        return batch._replace(labels=jnp.where(permuted, batch.labels[:, moved], batch.labels))

    def loss(params: dict, batch: Batch) -> tuple[Array, dict[str, Array]]:
        return cross_entropy(_said(model, params, batch.tokens, depth), batch)

    start = model.init(own.initial)

    def extremes(batch: Batch) -> Array:
        letters = batch.weights.sum(axis=1)
        return jnp.stack([letters.min(), letters.max()])

    def test(found: Fit) -> tuple[PyTree, Array, Array, Array, Array]:
        lengths = jnp.concatenate([spread(setup.tests, times) for times in TIMES])
        words = alternation_batch(own.test, k, lengths, max(TIMES) * setup.longest)
        right = correct(_said(model, found.params, words.tokens, depth), words.labels, words.weights).all(axis=1)
        whole = right.reshape(len(TIMES), setup.tests).mean(axis=1)
        tested = jax.tree.map(lambda part: part.reshape(len(TIMES), setup.tests, *part.shape[1:]), words)
        letters = jnp.concatenate([extremes(sample(own.test))[None], jax.vmap(extremes)(tested)])
        return found.params, positions_read(model, start, SHORT), whole, found.metrics["sequence"], letters

    learner = Learner(start, loss, sample, Recipe(setup.steps, setup.rate, **schedule), test)
    return watched(learner, lambda params: params["layers"])


@cache
def _answers(setup: BlockSetup) -> Callable[..., PairAnswers]:
    wide, narrow = (_model(setup, dtype) for dtype in ("float64", "float32"))

    def answers(params: PyTree, depth: Array, pairs: Array, ends: Array) -> PairAnswers:
        words = prepend(pairs.reshape(-1, pairs.shape[2]), BEGIN).astype(jnp.int32)

        def at_ends(said: Array) -> Array:
            """Logits (pairs, two, classes): the token BEGIN stands first, so a word of n letters ends at position n."""
            return said.reshape(*pairs.shape[:2], *said.shape[1:])[jnp.arange(len(ends)), :, ends]

        def one(params: PyTree) -> PairAnswers:
            said = at_ends(_said(wide, jax.tree.map(lambda part: part.astype("float64"), params), words, depth))
            rounded = at_ends(_said(narrow, params, words, depth)).astype("float64")
            gap, rounding = (jnp.abs(a - b).max() for a, b in ((said[:, 0], said[:, 1]), (said, rounded)))
            first, second = (jnp.argmax(said[:, word], axis=-1) for word in (0, 1))
            largest = jnp.abs(said).max()
            return PairAnswers(gap / largest, rounding / largest, (first == second).mean())

        return jax.lax.map(one, params)

    return jax.jit(answers, compiler_options=lean_options(jax.default_backend(), once=True))
