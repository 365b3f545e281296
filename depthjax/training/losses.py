"""Losses and accuracies of sequence models, over the positions that count.

Positions of weight 0 do not count. A beginning-of-sequence token counts for accuracies, as published; lengths are in letters,
without that token.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer

from depthjax.checks import marked
from depthjax.tasks.words import Batch

WHOLE = 0.9  # share of words that must be right through a position


def cross_entropy(logits: Float[Array, "batch positions classes"], batch: Batch) -> tuple[Float[Array, ""], dict[str, Array]]:
    """Return the mean of -log p(label) in nats, with token and sequence accuracy; NaN if a counted label is no class."""
    logits, labels = logits.astype(jnp.float32), batch.labels
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), jnp.maximum(labels, 0)[..., None], axis=-1)[..., 0]
    picked = jnp.where(batch.weights > 0, marked(picked, labels < 0), 0)  # positions that do not count may be infinite
    right = correct(logits, batch.labels, batch.weights)
    return -(picked * batch.weights).sum() / batch.weights.sum(), word_accuracy(right, batch.weights)


def class_loss(logits: Callable[[Any, Array], Float[Array, "batch classes"]]) -> Callable[..., tuple[Array, dict[str, Array]]]:
    """Return the loss of a classifier of single inputs: the mean of -log p(class) in nats, with the share "accuracy".

    Args:
        logits: Parameters and inputs -> logits of the classes. A batch is inputs and their classes, in the integer type of
            `argmax`.
    """

    def loss(params: Any, batch: tuple[Array, Array]) -> tuple[Array, dict[str, Array]]:
        found = jax.nn.log_softmax(logits(params, batch[0]))
        right = (jnp.argmax(found, axis=1) == batch[1]).mean()
        return -jnp.take_along_axis(found, batch[1][:, None], axis=1).mean(), {"accuracy": right}

    return loss


def mean_square(outputs: Float[Array, "batch positions size"], batch: Batch) -> tuple[Float[Array, ""], dict[str, Array]]:
    """Return the mean square error over positions and coordinates, with metrics "mse" and "score", its negative."""
    squares = jnp.square(outputs.astype(jnp.float32) - batch.labels.astype(jnp.float32)).mean(axis=-1)
    squares = jnp.where(batch.weights > 0, squares, 0)
    error = (squares * batch.weights).sum() / batch.weights.sum()
    return error, {"mse": error, "score": -error}


def correct(
    logits: Float[Array, "batch positions classes"],
    labels: Integer[Array, "batch positions"],
    weights: Float[Array, "batch positions"],
) -> Bool[Array, "batch positions"]:
    """Return whether the largest logit is the label's, or the position does not count."""
    found = logits.argmax(axis=-1)
    # in the wider type: a class may not fit the type of the labels, nor a large label that of the classes
    return (found == labels.astype(found.dtype)) | (weights == 0)


def word_accuracy(right: Bool[Array, "batch positions"], weights: Float[Array, "batch positions"]) -> dict[str, Array]:
    """Return "token", the share of positions that are right, and "sequence", the share of words that are right everywhere."""
    token = jnp.where(right, weights, 0).sum() / weights.sum()
    return {"token": token, "sequence": right.all(axis=1).mean(dtype=weights.dtype)}


def longest_prefix(right: Bool[Array, "batch positions"], bos: bool, share: float = WHOLE) -> Int[Array, ""]:
    """Return the largest number of letters t such that at least `share` of the words are right at every position through t."""
    whole = jnp.cumprod(right.astype(jnp.int32), axis=1).mean(axis=0, dtype=jnp.float32)
    return jnp.maximum((whole >= share).sum() - int(bos), 0)
