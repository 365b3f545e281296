"""Losses of the two tasks, over the positions that count, with the metrics that a run records."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import marked
from depthjax.probe.accuracy import correct, word_accuracy
from depthjax.tasks.words import Batch


def cross_entropy(logits: Float[Array, "batch positions classes"], batch: Batch) -> tuple[Float[Array, ""], dict[str, Array]]:
    """Return the mean of -log p(label) in nats, and token and sequence accuracy; NaN if a label that counts is no class."""
    logits, labels = logits.astype(jnp.float32), batch.labels
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), jnp.maximum(labels, 0)[..., None], axis=-1)[..., 0]
    picked = jnp.where(batch.weights > 0, marked(picked, labels < 0), 0)  # what does not count may be infinite
    right = correct(logits, batch.labels, batch.weights)
    return -(picked * batch.weights).sum() / batch.weights.sum(), word_accuracy(right, batch.weights)


def mean_square(outputs: Float[Array, "batch positions size"], batch: Batch) -> tuple[Float[Array, ""], dict[str, Array]]:
    """Return the mean square error over positions and coordinates, and minus it as "score"."""
    squares = jnp.square(outputs.astype(jnp.float32) - batch.labels.astype(jnp.float32)).mean(axis=-1)
    squares = jnp.where(batch.weights > 0, squares, 0)
    error = (squares * batch.weights).sum() / batch.weights.sum()
    return error, {"mse": error, "score": -error}
