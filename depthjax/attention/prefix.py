"""Causal attention whose scores depend on the key alone, in linear memory, and the scores that read the latest write."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from depthjax.attention.heads import hard, softmax
from depthjax.attention.masks import visible


def prefix_softmax(
    scores: Float[Array, " length"], values: Float[Array, "length width"], block: int = 64
) -> Float[Array, "length width"]:
    """Return causal softmax attention: row t is the mean of values[: t + 1], weighted by the softmax of scores[: t + 1].

    The running maximum, mass and sum are carried from block to block (the online softmax of Milakov and Gimelshein, arXiv
    1805.02867). Cost: O(length * block * width) work and O(length * width) memory.

    Args:
        scores: Score of each position, the same for every query.
        values: Value of each position.
        block: Positions that are handled at a time.
    """
    length = len(scores)
    block = min(block, length)
    padding = -length % block
    scores = jnp.pad(scores, (0, padding)).reshape(-1, block)
    values = jnp.pad(values, ((0, padding), (0, 0))).reshape(-1, block, values.shape[1])
    causal = visible(jnp.arange(block), jnp.arange(block), "causal")

    def step(carry: tuple[Array, Array, Array], piece: tuple[Array, Array]) -> tuple[tuple[Array, Array, Array], Array]:
        top, mass, total = carry
        score, value = piece
        tops = jnp.maximum(jax.lax.cummax(score), top)
        weights = jnp.where(causal, jnp.exp(score[None, :] - tops[:, None]), 0)
        kept = jnp.exp(top - tops)
        masses = weights.sum(1) + kept * mass
        totals = weights @ value + kept[:, None] * total[None, :]
        return (tops[-1], masses[-1], totals[-1]), totals / masses[:, None]

    nothing = (jnp.asarray(-jnp.inf, scores.dtype), jnp.zeros((), scores.dtype), jnp.zeros(values.shape[-1], values.dtype))
    rows = jax.lax.scan(step, nothing, (scores, values))[1]
    return rows.reshape(-1, values.shape[-1])[:length]


def write_scores(written: Bool[Array, "... length"], margin: Float[Array, ""]) -> Float[Array, "... length"]:
    """Return the scores of attention to the latest write: margin * position for a write, -margin * length for other positions.

    All idle positions together weigh less than length e^-(margin length), however many there are. With one fixed score for
    them, n idle positions after a write at position 0 would weigh n e^-margin (dilution).
    """
    position = jnp.arange(written.shape[-1], dtype=margin.dtype)
    return margin * jnp.where(written, position, -float(written.shape[-1]))


def prefix_hard(scores: Float[Array, " length"], values: Float[Array, "length width"]) -> Float[Array, "length width"]:
    """Return causal hard attention: row t is the value at the largest of scores[: t + 1], or the mean over ties.

    Cost: O(length * width).

    >>> prefix_hard(jnp.array([1.0, 3.0, 3.0]), jnp.array([[4.0], [5.0], [7.0]])).ravel().tolist()
    [4.0, 5.0, 6.0]
    """

    def step(carry: tuple[Array, Array, Array], row: tuple[Array, Array]) -> tuple[tuple[Array, Array, Array], Array]:
        top, count, total = carry
        score, value = row
        stays, joins = (holds.astype(value.dtype) for holds in (score <= top, score >= top))
        count, total = stays * count + joins, stays * total + joins * value
        return (jnp.maximum(score, top), count, total), total / count

    nothing = (jnp.asarray(-jnp.inf, scores.dtype), jnp.zeros((), values.dtype), jnp.zeros(values.shape[-1], values.dtype))
    return jax.lax.scan(step, nothing, (scores, values))[1]


def prefix_average(values: Float[Array, "... length width"]) -> Float[Array, "... length width"]:
    """Return causal attention with equal scores: row t is the mean of values[..., : t + 1, :].

    >>> prefix_average(jnp.array([[1.0], [3.0]])).ravel().tolist()
    [1.0, 2.0]
    """
    seen = jnp.arange(1, values.shape[-2] + 1, dtype=values.dtype)
    return jnp.cumsum(values, axis=-2) / seen.reshape((1,) * (values.ndim - 2) + (-1, 1))


RUNNING: dict[Callable, Callable] = {softmax: prefix_softmax, hard: prefix_hard}  # the same heads, whatever the query
