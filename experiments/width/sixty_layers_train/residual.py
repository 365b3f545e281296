"""A residual stack of perceptrons on vectors, with the norm before or after each layer and a weight for the stream.

    pre-norm    x <- w x + f(norm(x))        post-norm   x <- norm(w x + f(x)),      f(u) = relu(u A) B,

where norm divides by the root mean square. A is N(0, 1/width) and B is N(0, 2/width), so f of a normal vector has variance one.
Depth, placement and weights are data, so runs that differ in them share a program and can be batched: a layer of weight 0 is
left out.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from depthjax.checks import at_least


class ResidualStack(NamedTuple):
    """Parameters, or their gradients, with stacked layers."""

    entry: Float[Array, "inputs width"]
    first: Float[Array, "depth width width"]
    second: Float[Array, "depth width width"]
    readout: Float[Array, "width classes"]


def init_residual_stack(
    key: Key[Array, ""], *, inputs: int, width: int, depth: int, classes: int, dtype: jnp.dtype
) -> ResidualStack:
    """Return fresh parameters.

    Raises:
        ValueError: A size is below one.
    """
    for name, size in {"inputs": inputs, "width": width, "depth": depth, "classes": classes}.items():
        at_least(name, size, 1)
    keys = jax.random.split(key, 4)
    shapes = (inputs, width), (depth, width, width), (depth, width, width), (width, classes)
    sizes = inputs**-0.5, width**-0.5, (2 / width) ** 0.5, width**-0.5
    return ResidualStack(*(jax.random.normal(k, s, dtype) * v for k, s, v in zip(keys, shapes, sizes, strict=True)))


def residual_logits(
    params: ResidualStack, inputs: Float[Array, "batch inputs"], weights: Float[Array, " depth"], before: Bool[Array, ""]
) -> Float[Array, "batch classes"]:
    """Return the logits.

    Args:
        params: Parameters from `init_residual_stack`.
        inputs: Input vectors.
        weights: Weight w of the stream in each layer; a layer whose weight is 0 is skipped.
        before: Whether norms precede the layers (pre-norm) or follow them (post-norm).
    """

    def through(x: Array, first: Array, second: Array, weight: Array) -> Array:
        branch = jax.nn.relu(jnp.where(before, _norm(x), x) @ first) @ second
        x = weight * x + branch
        return jnp.where(before, x, _norm(x))

    def layer(x: Array, now: tuple[Array, Array, Array]) -> tuple[Array, None]:
        return jax.lax.cond(now[2] == 0, lambda x, *_: x, through, x, *now), None

    x = jax.lax.scan(layer, _norm(inputs @ params.entry), (params.first, params.second, weights))[0]
    return _norm(x) @ params.readout


def _norm(x: Array) -> Array:
    return x * jax.lax.rsqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)
