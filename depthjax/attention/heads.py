r"""The three kinds of attention head, as weights over the last axis of an array of scores.

    softmax    w_j = exp(s_j) / sum_k exp(s_k)
    hard       all weight on the largest score; ties go to the leftmost position, or are shared equally
    average    equal weights on all visible positions: either of the two with constant scores

Positions that the mask hides have weight 0, and a row that sees nothing has weight 0 everywhere.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


def softmax(scores: Float[Array, "*shape"], seen: Bool[Array, "..."] | None = None) -> Float[Array, "*shape"]:
    """Return the softmax of the visible scores along the last axis.

    The largest visible score is subtracted before the exponential, so the weights are as exact as the scores. A score that is
    not a number spoils its whole row.

    Args:
        scores: Any shape and floating point type.
        seen: Mask of the trailing axes; None shows every position.

    >>> softmax(jnp.zeros(4), jnp.array([True, True, False, False])).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    scores, _ = _hidden(scores, seen)
    top = jax.lax.stop_gradient(scores.max(axis=-1, keepdims=True))
    raised = jnp.exp(scores - jnp.where(jnp.isneginf(top), 0, top))
    return raised / jnp.maximum(raised.sum(axis=-1, keepdims=True), jnp.finfo(scores.dtype).tiny)


def hard(
    scores: Float[Array, "*shape"], seen: Bool[Array, "..."] | None = None, *, first: bool = False
) -> Float[Array, "*shape"]:
    """Return hard attention weights along the last axis; they have no gradient.

    A visible score that is not a number spoils its whole row, as in `softmax`.

    Args:
        scores: Any shape and floating point type.
        seen: Mask of the trailing axes; None shows every position.
        first: Ties go to the leftmost position; otherwise they share the weight equally.

    >>> hard(jnp.array([1.0, 3.0, 3.0])).tolist(), hard(jnp.array([1.0, 3.0, 3.0]), first=True).tolist()
    ([0.0, 0.5, 0.5], [0.0, 1.0, 0.0])
    """
    scores, seen = _hidden(scores, seen)
    top = scores.max(axis=-1, keepdims=True)
    best = (scores == top) & seen
    if first:
        best = best & (jnp.cumsum(best, axis=-1) == 1)
    return jnp.where(jnp.isnan(top), jnp.nan, average(best, scores.dtype))


def average(seen: Bool[Array, "*shape"], dtype: Any) -> Float[Array, "*shape"]:
    """Return equal weights on the visible positions of the last axis.

    >>> average(jnp.array([True, True, False]), jnp.float32).tolist()
    [0.5, 0.5, 0.0]
    """
    weights = seen.astype(dtype)
    return weights / jnp.maximum(weights.sum(axis=-1, keepdims=True), 1)


def _hidden(scores: Array, seen: Array | None) -> tuple[Array, Array]:
    """The scores with -inf where they are hidden, and the mask with as many axes as the scores."""
    if seen is None:
        return scores, jnp.ones((1,) * scores.ndim, bool)
    seen = seen.reshape((1,) * (scores.ndim - seen.ndim) + seen.shape)
    return jnp.where(seen, scores, -jnp.inf), seen
