"""How far apart two residual streams are, layer by layer, whose random weights have a given correlation."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key


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
        pair = _pair(jax.random.fold_in(key, layer), correlation, seeds, width)
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
        pair = _pair(jax.random.fold_in(key, layer), correlation, seeds, width)
        sizes = jnp.linalg.norm(x, axis=-1, keepdims=True)
        cosine = (x[0] * x[1] / (sizes[0] * sizes[1])).sum(axis=-1)
        straight = linear[None, None, :, None] > 0
        branch = jnp.einsum("psij,psaj->psai", pair, jnp.where(straight, x, x * width**0.5 / sizes), precision="highest")
        growth = jnp.where(straight, jnp.sqrt(1 + weight**2)[None, None, :, None], 1.0)
        x = (weight[None, None, :, None] * x + branch) / growth
        return x, (((x[0] - x[1]) ** 2).sum(axis=-1) / (2 * width), cosine)

    return jax.lax.scan(step, first, (jnp.zeros(depth, int) if tied else jnp.arange(depth), weights.T))[1]


@partial(jax.jit, static_argnames=("width", "seeds"))
def fourth_powers(key: Key[Array, ""], correlation: Float[Array, ""], *, width: int, seeds: int) -> Float[Array, "seeds 2"]:
    """Return the mean fourth power of the weights of a layer in both runs, in units of their squared variance."""
    return (_pair(key, correlation, seeds, width) ** 4).mean(axis=(2, 3)).T * width**2


def _pair(key: Array, correlation: Array, seeds: int, width: int) -> Array:
    """The weights of a layer in both runs, N(0, 1/width), with this correlation."""
    drawn = jax.random.normal(key, (2, seeds, width, width)) * width**-0.5
    return jnp.stack([drawn[0], correlation * drawn[0] + jnp.sqrt(1 - correlation**2) * drawn[1]])
