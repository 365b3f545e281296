"""Layers of attention followed by LayerNorm, without skips: their residuals, and what rounding explains of them."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.instruments.collapse import Scale, Weights, attend, centred, layer_norm
from depthjax.rounding import floor_beside

SMALL = 0.1  # of an entry, which is about one: errors above it do not follow the derivatives


@jax.jit
def normed_stack(layers: Weights, tokens: Float[Array, "tokens width"], scale: Scale) -> Float[Array, "layers tokens width"]:
    """Return the centred tokens after each layer.

    Args:
        layers: Weights with one leading axis of layers.
        tokens: Rows as LayerNorm leaves them, of length sqrt(width).
        scale: Scale s of the logits.
    """

    def step(tokens: Array, layer: Weights) -> tuple[Array, Array]:
        moved = layer_norm(attend(tokens, layer, scale))
        return moved, centred(moved)

    return jax.lax.scan(step, tokens, layers)[1]


def residuals(
    layers: Weights, tokens: Float[Array, "tokens width"], scale: float
) -> tuple[Float[np.ndarray, " layers"], Float[np.ndarray, " layers"]]:
    """Return the size of the residual after each layer, and what rounding explains of it.

    Layers may stretch a rounding by so much that no bound on the stretch is of use. So the same layers run in single precision,
    and the error in double precision is that of single precision in the ratio of the roundoffs. It is infinite where the error
    in single precision is too large to follow the derivatives.
    """
    found = np.asarray(normed_stack(layers, tokens, scale))
    narrow = np.asarray(normed_stack(*jax.tree.map(lambda part: part.astype(jnp.float32), (layers, tokens)), scale))
    apart = np.abs(found - narrow).max(axis=(1, 2))
    entry = floor_beside(apart, narrow.dtype, found.dtype)
    return np.linalg.norm(found, axis=(1, 2)), np.where(apart < SMALL, entry * tokens.size**0.5, np.inf)
