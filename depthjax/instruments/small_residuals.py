"""One layer of attention on the tokens ``1 common^T + eps direction``, for many eps: what it makes of the residual.

The residual of tokens is what is left of them when their mean is subtracted; its size is the Frobenius norm.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.instruments.collapse import Scale, Weights, attend, centred, collapse, layer_norm, separated


def floats(
    offset: np.ndarray, direction: np.ndarray, query_key: np.ndarray, value: np.ndarray
) -> tuple[Float[Array, " width"], Float[Array, "tokens width"], Weights]:
    """Return exact tokens and weights as floats: the row that all tokens share, the direction, and the weights."""
    common, r, a, w = (jnp.asarray(np.asarray(part).astype(float)) for part in (offset, direction, query_key, value))
    return common, r, Weights(a, w)


def operations(layer: Weights, tokens: int) -> int:
    """Return how many roundings an entry of the output sums up: a softmax over the tokens, then two products, for each head."""
    heads, width, _ = layer.value.shape[-3:]
    return heads * (4 * tokens + 4 * width)


@jax.jit
def after_layer(
    layer: Weights,
    common: Float[Array, " width"],
    direction: Float[Array, "tokens width"],
    steps: Float[Array, " steps"],
    scale: Scale,
    skip: Scale,
) -> tuple[Float[Array, " steps"], Float[Array, " steps"]]:
    """Return the residual after ``skip X + SA(X)`` by eps, and the size of the numbers that are summed there."""

    def one(step: Array) -> tuple[Array, Array]:
        tokens = common[None] + step * direction
        after = centred(skip * tokens + attend(tokens, layer, scale))
        return jnp.linalg.norm(after), jnp.linalg.norm(tokens) * (skip + jnp.linalg.norm(layer.value))

    return jax.lax.map(one, steps)


@jax.jit
def after_norm(
    layer: Weights,
    common: Float[Array, " width"],
    direction: Float[Array, "tokens width"],
    steps: Float[Array, " steps"],
    scale: Scale,
) -> tuple[Float[Array, " steps"], Float[Array, " steps"]]:
    """Return the residual after attention and LayerNorm by eps, and the smallest share of a row that survives its centring."""

    def one(step: Array) -> tuple[Array, Array]:
        moved = attend(common[None] + step * direction, layer, scale)
        share = jnp.linalg.norm(centred(moved.T).T, axis=1) / (1 + jnp.linalg.norm(moved, axis=1))
        return jnp.linalg.norm(centred(layer_norm(moved))), share.min()

    return jax.lax.map(one, steps)


@jax.jit
def cubic_remainders(
    layer: Weights,
    common: Float[Array, " width"],
    direction: Float[Array, "tokens width"],
    steps: Float[Array, " steps"],
    scale: Scale,
) -> tuple[Float[Array, " steps"], Float[Array, ""]]:
    """Return by eps how far the residual after the layer is from the cubic map of ``eps direction``; and that map's size.

    The direction is centred. The layer runs in its rescaled form; both sides are divided by eps^3 before they are subtracted,
    so that the remainder is known to relative accuracy.
    """
    a, w = layer
    cube = jnp.einsum("ic,hcd,jd,je,hef->if", direction, a, direction, direction, w) * scale / len(direction)

    def one(step: Array) -> Array:
        end, _ = collapse(
            jax.tree.map(lambda part: part[None], layer), separated(common[None] + step * direction, common), scale
        )
        return jnp.linalg.norm(end.direction * jnp.exp(end.log_size - 3 * jnp.log(step)) - cube) * step**3

    return jax.lax.map(one, steps), jnp.linalg.norm(cube)
