"""The size of residual streams with random weights, layer by layer."""

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


@partial(jax.jit, static_argnames=("width", "pairs", "depth", "tied"))
def mean_growth(
    key: Key[Array, ""], scales: Float[Array, " scales"], *, width: int, pairs: int, depth: int, tied: bool
) -> Float[Array, "depth pairs scales"]:
    """Return the growth of `stream_growth` after every layer as a mean over more than its weights, so that it spreads less.

    A pair is one draw of all weights and the same weights with the other sign; each of both takes the mean over `width`
    orthogonal starts. The laws of the weights do not change, and so the mean over pairs has the mean of one stream.

    Cost: pairs * width^2 random numbers (times depth if fresh), and 2 * depth * pairs * width^3 products for each scale.
    """
    shape = pairs, width, width
    signs = jnp.array([1.0, -1.0])[:, None] * scales[None]
    first = jnp.broadcast_to(jnp.eye(width)[None, None, None], (*signs.shape, *shape))

    def weights(layer: Array) -> Array:
        return jax.random.normal(jax.random.fold_in(key, layer), shape) * width**-0.5

    shared = weights(jnp.asarray(0)) if tied else None

    def step(x: Array, layer: Array) -> tuple[Array, Array]:
        matrices = weights(layer) if shared is None else shared
        x = x + signs[..., None, None, None] * jnp.matmul(matrices[None, None], x, precision="highest")
        return x, (x**2).sum(axis=(-2, -1)).mean(axis=0).T / width

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
