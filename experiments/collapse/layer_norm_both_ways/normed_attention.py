"""Layers of attention followed by LayerNorm, without skips: their residuals, and how much they stretch a rounding."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.instruments.collapse import Scale, Weights, attend, centred, layer_norm


@jax.jit
def normed_stack(
    layers: Weights, tokens: Float[Array, "tokens width"], scale: Scale
) -> tuple[Float[Array, "layers tokens width"], Float[Array, " layers"]]:
    """Return the centred tokens after each layer, and a bound on the factor by which it stretches a small change of them.

    A change moves values by at most |W| and logits by 2 s |A| |x| per token, |x| = sqrt(d); the norm divides by the deviation.

    Args:
        layers: Weights with one leading axis of layers.
        tokens: Rows as LayerNorm leaves them, of length sqrt(width).
        scale: Scale s of the logits.
    """

    def step(tokens: Array, layer: Weights) -> tuple[Array, tuple[Array, Array]]:
        moved = attend(tokens, layer, scale)
        deviation = jnp.linalg.norm(centred(moved.T).T, axis=1).min()
        width = tokens.shape[1]
        value = jnp.sqrt((layer.value**2).sum(axis=(1, 2)))
        logits = 2 * scale * jnp.sqrt((layer.query_key**2).sum(axis=(1, 2))) * width
        stretch = jnp.sqrt(float(width)) / deviation * (value * (1 + logits)).sum()
        moved = layer_norm(moved)
        return moved, (centred(moved), stretch)

    return jax.lax.scan(step, tokens, layers)[1]
