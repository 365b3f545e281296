"""Residuals of attention after every layer, of layers alone and of layers that add their input."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.linalg import hadamard

from depthjax.instruments.collapse import Scale, Tokens, Weights, attend, centred, collapse, composite
from depthjax.rounding import rounding_floor


def residual_sizes(
    layers: Weights, start: Tokens, scale: Scale, skip: bool
) -> tuple[Float[np.ndarray, " layers"], Float[np.ndarray, " layers"]]:
    """Return logarithms of the Frobenius and of the composite residual after each layer.

    Args:
        layers: Weights with one leading axis of layers.
        start: Tokens, with their common row.
        scale: Scale of the logits.
        skip: Whether layers add their input; the tokens are plain then, so residuals below rounding are not seen.
    """
    if skip:
        frobenius, size = _skipped(layers, start, jnp.asarray(scale))
        least = np.finfo(float).tiny  # stands for a residual that rounding has made zero
        return np.log(np.maximum(frobenius, least)), np.log(np.maximum(size, least))
    frobenius, size = (collapse(layers, start, scale, recentre=recentre)[1] for recentre in (True, False))
    return np.asarray(frobenius.log_frobenius), np.asarray(size.log_composite)


def generic_layers(numbers: Mapping[str, np.ndarray], log_size: float) -> tuple[Weights, Tokens]:
    """Return weights and input from exact "offset", "direction", "query_key" and "value"; the input's residual has this log."""
    common, r, a, w = (jnp.asarray(numbers[name].astype(float)) for name in ("offset", "direction", "query_key", "value"))
    return Weights(a, w), Tokens(common, r / jnp.linalg.norm(r), jnp.asarray(log_size))


def orthogonal_growth(width: int) -> Float[Array, ""]:
    """Return the factor by which an orthogonal map, a Hadamard matrix, enlarges the composite size of the unit rows."""
    return composite(jnp.asarray(hadamard(width) / width**0.5)) / composite(jnp.eye(width))


def logarithm_drift(operations: int, layers: int, dtype: jnp.dtype) -> Float[np.ndarray, " layers"]:
    """Return the rounding of log(residual) / 3^layer: a layer adds its own roundings to three times the logarithm before it."""
    power = 3.0 ** np.arange(1, layers + 1)
    return np.cumsum(rounding_floor(operations, dtype) / power) + rounding_floor(4, dtype, 10.0)


@jax.jit
def _skipped(layers: Weights, start: Tokens, scale: Array) -> tuple[Array, Array]:
    def step(tokens: Array, layer: Weights) -> tuple[Array, tuple[Array, Array]]:
        moved = tokens + attend(tokens, layer, scale)
        return moved, (jnp.linalg.norm(centred(moved)), composite(centred(moved)))

    return jax.lax.scan(step, start.common[None] + jnp.exp(start.log_size) * start.direction, layers)[1]
