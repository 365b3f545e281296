"""Residual streams with random weights, layer by layer: their size, and the distance between two of them."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depthjax.attention import average


@partial(jax.jit, static_argnames=("width", "seeds", "depth", "tied"))
def stream_growth(
    key: Key[Array, ""], scales: Float[Array, " scales"], *, width: int, seeds: int, depth: int, tied: bool
) -> Float[Array, "depth seeds scales"]:
    """Return |x_l|^2 / |x_0|^2 of x <- x + scale W x after every layer, W N(0, 1/width), fresh in every layer or tied.

    All scales share the weights. Cost: depth * seeds * width^2 random numbers (seeds * width^2 if tied).
    """
    shape = seeds, width, width
    first = jnp.zeros((seeds, width, scales.shape[0])).at[:, 0].set(1.0)

    def weights(layer: Array) -> Array:
        return jax.random.normal(jax.random.fold_in(key, layer), shape) * width**-0.5

    shared = weights(jnp.asarray(0)) if tied else None

    def step(x: Array, layer: Array) -> tuple[Array, Array]:
        matrices = weights(layer) if shared is None else shared
        x = x + scales[None, None] * jnp.matmul(matrices, x, precision="highest")
        return x, (x**2).sum(axis=1)

    return jax.lax.scan(step, first, jnp.arange(depth))[1]


@partial(jax.jit, static_argnames=("width", "seeds", "depth", "tokens", "causal"))
def attention_growth(
    key: Key[Array, ""], scale: Float[Array, ""], *, width: int, seeds: int, depth: int, tokens: int, causal: bool = False
) -> tuple[Float[Array, "depth seeds"], Float[Array, "depth seeds"]]:
    """Return |mean|^2 and the sum of |x_i - mean|^2 of tokens under uniform attention with skips, over their first values.

    With `causal` a token averages only those up to itself.
    """
    start, inside = jax.random.split(key)
    x = jax.random.normal(start, (seeds, tokens, width))

    def sizes(x: Array) -> tuple[Array, Array]:
        mean = x.mean(axis=1, keepdims=True)
        return (mean**2).sum(axis=(1, 2)), ((x - mean) ** 2).sum(axis=(1, 2))

    def step(x: Array, layer: Array) -> tuple[Array, tuple[Array, Array]]:
        weights = jax.random.normal(jax.random.fold_in(inside, layer), (seeds, width, width)) * width**-0.5
        seen = jnp.tril(jnp.ones((1, tokens, tokens), bool)) if causal else jnp.ones((1, tokens, tokens), bool)
        attention = average(seen, x.dtype)
        x = x + scale * jnp.matmul(attention, jnp.matmul(x, weights, precision="highest"), precision="highest")
        return x, sizes(x)

    mean, rest = jax.lax.scan(step, x, jnp.arange(depth))[1]
    first = sizes(x)
    return mean / first[0][None], rest / first[1][None]


@partial(jax.jit, static_argnames=("width", "seeds", "depth"))
def noise_agreement(
    key: Key[Array, ""],
    correlation: Float[Array, ""],
    weights: Float[Array, "norms depth"],
    normalise: Float[Array, " norms"],
    *,
    width: int,
    seeds: int,
    depth: int,
) -> Float[Array, "depth seeds norms"]:
    """Return the cosine between two runs after every layer, for several placements of the norm.

    A layer is x <- w x + W u, with u the stream scaled to norm sqrt(width) and W N(0, 1/width). The weights W of the two runs
    have the given correlation. Where `normalise` is 1 the stream is scaled to norm sqrt(width) after every layer (post-norm).
    `weights` holds w.
    """
    first = jnp.ones((2, seeds, normalise.shape[0], width))

    def unit(x: Array) -> Array:
        return x * width**0.5 / jnp.linalg.norm(x, axis=-1, keepdims=True)

    def step(x: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        layer, weight = now
        drawn = jax.random.normal(jax.random.fold_in(key, layer), (2, seeds, width, width)) * width**-0.5
        pair = jnp.stack([drawn[0], correlation * drawn[0] + jnp.sqrt(1 - correlation**2) * drawn[1]])
        branch = jnp.einsum("psij,psaj->psai", pair, unit(x), precision="highest")
        x = weight[None, None, :, None] * x + branch
        x = jnp.where(normalise[None, None, :, None] > 0, unit(x), x)
        return x, (unit(x[0]) * unit(x[1])).mean(axis=-1)

    return jax.lax.scan(step, first, (jnp.arange(depth), weights.T))[1]


@partial(jax.jit, static_argnames=("width", "seeds", "depth", "tied"))
def noise_distance(
    key: Key[Array, ""],
    correlation: Float[Array, ""],
    weights: Float[Array, "norms depth"],
    linear: Float[Array, " norms"],
    *,
    width: int,
    seeds: int,
    depth: int,
    tied: bool = False,
) -> tuple[Float[Array, "depth seeds norms"], Float[Array, "depth seeds norms"]]:
    """Return |x - x'|^2 / (2 width) between two runs after every layer, and the cosine between them before it.

    Where `linear` is 1 a layer is x <- (w x + W x) / sqrt(w^2 + 1), which has the direction of a stream that is scaled to norm
    sqrt(width) instead. Where it is 0 a layer is x <- w x + W u as in `noise_agreement`, with the same weights from the same
    key. With `tied` all layers have the weights of the first.
    """
    first = jnp.ones((2, seeds, linear.shape[0], width))

    def step(x: Array, now: tuple[Array, Array]) -> tuple[Array, tuple[Array, Array]]:
        layer, weight = now
        drawn = jax.random.normal(jax.random.fold_in(key, layer), (2, seeds, width, width)) * width**-0.5
        pair = jnp.stack([drawn[0], correlation * drawn[0] + jnp.sqrt(1 - correlation**2) * drawn[1]])
        sizes = jnp.linalg.norm(x, axis=-1, keepdims=True)
        cosine = (x[0] * x[1] / (sizes[0] * sizes[1])).sum(axis=-1)
        straight = linear[None, None, :, None] > 0
        branch = jnp.einsum("psij,psaj->psai", pair, jnp.where(straight, x, x * width**0.5 / sizes), precision="highest")
        growth = jnp.where(straight, jnp.sqrt(1 + weight**2)[None, None, :, None], 1.0)
        x = (weight[None, None, :, None] * x + branch) / growth
        return x, (((x[0] - x[1]) ** 2).sum(axis=-1) / (2 * width), cosine)

    return jax.lax.scan(step, first, (jnp.zeros(depth, int) if tied else jnp.arange(depth), weights.T))[1]
