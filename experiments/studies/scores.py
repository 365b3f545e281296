"""What a trained network is tested for: words of their own key, at the training length and at twice that."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.models import SequenceModel
from depthjax.tasks.followed import AskedHopWords, HopWords
from depthjax.tasks.rotation import Rotations
from depthjax.tasks.words import Batch
from depthjax.training.losses import correct, longest_prefix, word_accuracy
from experiments.studies.composers import Composer

TESTS = (1, 2)  # multiples of the training length


def scores(
    sampler: Any, model: SequenceModel | Composer, tests: int, length: int, key: jax.Array, params: Any, depth: Any
) -> dict:
    """Return the metrics of one run, each under its name with the length as a suffix, such as "sequence_2x".

    All tasks but rotation have "token", "sequence" and "prefix"; rotation has mean square errors. Hops have "error" as well,
    the share of wrong answers among the positions that have one, as published; where words ask for their number of hops it is
    an array over hops, with `tests` words for each. Composition has the share of the target that is left, "left_1x".

    Args:
        sampler: The task.
        model: The network.
        tests: Number of words.
        length: Letters of a training word.
        key: Key of the test words.
        params: Parameters of the run.
        depth: Its number of layers.
    """
    if isinstance(model, Composer):
        return model.scores(sampler, tests, key, params)
    batch = sampler.sample(key, tests, max(TESTS) * length)
    outputs = model.apply(params, batch.tokens, depth)
    found: dict[str, jax.Array] = {}
    for times in TESTS:
        end = times * length + sampler.bos
        labels, weights = batch.labels[:, :end], batch.weights[:, :end]
        if isinstance(sampler, Rotations):
            squares = jnp.square(outputs[:, :end] - labels).mean(axis=-1)
            found[f"mse_{times}x"] = squares.mean()
            found[f"mse_by_position_{times}x"] = squares.mean(axis=0)
            found[f"mse_spread_by_position_{times}x"] = squares.std(axis=0) / tests**0.5
            found[f"mse_spread_{times}x"] = squares.mean(axis=1).std() / tests**0.5
        else:
            right = correct(outputs[:, :end], labels, weights)
            found |= {f"{name}_{times}x": value for name, value in word_accuracy(right, weights).items()}
            found[f"prefix_{times}x"] = longest_prefix(right, sampler.bos)
    if isinstance(sampler, HopWords):
        found |= _errors(outputs, batch, sampler.alphabet, length, sampler.bos)
    if isinstance(sampler, AskedHopWords):

        def asked(hops):
            own = jax.random.fold_in(key, hops)
            words = sampler.asked(own, tests, max(TESTS) * length, jnp.full(tests, hops, jnp.int32))
            return _errors(model.apply(params, words.tokens, depth), words, sampler.alphabet, length, sampler.bos)

        found |= jax.lax.map(asked, jnp.arange(1, sampler.largest + 1, dtype=jnp.int32))
    return found


def coordinates(name: str, size: int) -> tuple[str, np.ndarray | None]:
    """Return the dimension of a metric that is an array, and its coordinates if they have any."""
    if name.startswith("error"):
        return "hops", np.arange(1, size + 1)
    return f"position_{name[-2:]}", None


def _errors(outputs: jax.Array, batch: Batch, none: int, length: int, bos: bool) -> dict[str, jax.Array]:
    """The share of wrong answers among the positions that have an answer, by length."""
    wrong = ~correct(outputs, batch.labels, batch.weights) & (batch.labels != none)
    found = {}
    for times in TESTS:
        end = times * length + bos
        counted = (batch.labels[:, :end] != none).sum(dtype=jnp.float32)
        found[f"error_{times}x"] = wrong[:, :end].sum(dtype=jnp.float32) / jnp.maximum(counted, 1)
    return found
