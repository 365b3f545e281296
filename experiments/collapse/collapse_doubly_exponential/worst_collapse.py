"""Tokens and weights on which a layer of pure attention loses as little of its residual as gradient ascent can find.

Sizes are those of the doubly exponential bound: `depthjax.instruments.collapse.composite` for residuals, the largest column
sum |A|_1 for query-key matrices, and the root of the largest column sum times the largest row sum over the heads for values.
Weights are scaled to given sizes, so an ascent over their directions compares layers that the bound does not tell apart.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depthjax.instruments.collapse import Scale, Tokens, Weights, collapse, composite

STEPS, RATE = 400, 0.03  # of Adam, with a cosine decay: further steps gain less than a percent


class Directions(NamedTuple):
    """What the ascent moves; all but the common row are scaled to given sizes."""

    common: Float[Array, " width"]
    direction: Float[Array, "tokens width"]
    query_key: Float[Array, "heads width width"]
    value: Float[Array, "heads width width"]
    mapped: Float[Array, "width width"]  # a linear map of rows behind the layer


class Kept(NamedTuple):
    """Sizes of the residual after a layer, over heads |A|_1 |W| scale and the cube of the size before."""

    attention: Float[Array, "..."]
    over_gamma: Float[Array, "..."]  # the same, over the entry factor
    mapped: Float[Array, "..."]  # behind a linear map, over the size of its entries


@partial(jax.jit, static_argnames=("heads", "tokens", "starts"))
def most_kept(
    key: Key[Array, ""],
    logits: Float[Array, " logits"],
    scale: Float[Array, ""],
    skip: Float[Array, ""],
    *,
    heads: int,
    tokens: int,
    starts: int,
) -> tuple[Kept, Directions]:
    """Return the most that gradient ascent keeps, for each size of the logits, and where attention alone keeps it.

    Args:
        key: Randomness of the starts.
        logits: ``|A|_1 |E|^2 scale``, which bounds every logit that differs by row.
        scale: Scale of the logits, 1/sqrt(size of a query).
        skip: Multiple of the tokens that is added behind attention.
        heads: Number of heads.
        tokens: Number of tokens, and their width.
        starts: Number of ascents from random directions, of which the best counts.

    Cost: ``3 * logits * starts * STEPS`` layers and their gradients.
    """
    objectives, drawn = jnp.arange(3), _random(key, (starts, 3, len(logits)), heads, tokens)

    def score(at: Directions, objective: Array, logit: Array) -> Array:
        return jnp.log(jnp.stack(_kept(at, logit, scale, skip)))[objective]

    over = jax.vmap(jax.vmap(jax.value_and_grad(score), in_axes=(0, None, 0)), in_axes=(0, 0, None))
    climb = jax.vmap(lambda at: over(at, objectives, logits))

    def step(carry: tuple[Directions, Directions, Directions], count: Array) -> tuple[tuple, None]:
        at, mean, square = carry
        gradient = climb(at)[1]
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, gradient)
        rate = RATE * (1 + jnp.cos(jnp.pi * count / STEPS)) / 2 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        at = jax.tree.map(lambda x, m, s: x + rate * m / (jnp.sqrt(s) + 1e-12), at, mean, square)
        return (at, mean, square), None

    zero = jax.tree.map(jnp.zeros_like, drawn)
    at, _, _ = jax.lax.scan(step, (drawn, zero, zero), jnp.arange(1.0, STEPS + 1))[0]
    scores = climb(at)[0]
    best = scores[:, 0].argmax(axis=0)
    return Kept(*jnp.exp(scores.max(axis=0))), jax.tree.map(lambda part: part[best, 0, jnp.arange(len(logits))], at)


def sized(at: Directions, keys: Scale, values: Scale, size: Scale, scale: Scale) -> tuple[Weights, Tokens]:
    """Return a layer with |A|_1 = keys in every head and values of this size, and its input, of this composite size."""
    a = at.query_key * (keys / jnp.abs(at.query_key).sum(axis=1).max(axis=1)[:, None, None])
    w = at.value * (values / jnp.sqrt(jnp.abs(at.value).sum(axis=1).max() * jnp.abs(at.value).sum(axis=2).max()))
    length = jnp.linalg.norm(at.direction)
    r = size * length / composite(at.direction)
    # the common row has logits of order one, whatever the sizes
    return Weights(a, w), Tokens(at.common / (scale * keys * r), at.direction / length, jnp.log(r))


def _kept(at: Directions, logit: Array, scale: Array, skip: Array) -> Kept:
    """What one layer keeps of an input of size one."""
    layer, start = sized(at, logit / scale, 1.0, 1.0, scale)
    end, report = collapse(jax.tree.map(lambda part: part[None], layer), start, scale, recentre=False)
    before, after = (jnp.exp(tokens.log_size) * tokens.direction for tokens in (start, end))
    after = skip * before + after
    unit = len(layer.value) * logit
    gamma = jnp.sqrt(report.largest_share * report.spread)[0]
    plain = composite(after) / unit
    return Kept(plain, plain / gamma, composite(after @ at.mapped) / (composite(at.mapped) * unit))


def _random(key: Array, batch: tuple[int, ...], heads: int, tokens: int) -> Directions:
    numbers = jax.random.normal(key, (*batch, 1 + (2 + 2 * heads) * tokens, tokens))
    row, direction, mapped, a, w = jnp.split(numbers, [1, 1 + tokens, 1 + 2 * tokens, 1 + (2 + heads) * tokens], axis=-2)
    stack = (*batch, heads, tokens, tokens)
    return Directions(row[..., 0, :], direction, a.reshape(stack), w.reshape(stack), mapped)
