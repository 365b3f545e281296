"""Observed orders of convergence."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def local_slopes(scales: Float[Array, " scales"], errors: Float[Array, "scales ..."]) -> Float[Array, "intervals ..."]:
    """Return d log(error) / d log(scale) between neighbouring scales: one slope fewer than scales, in the given order."""
    steps = jnp.diff(jnp.log(scales))
    rise = jnp.diff(jnp.log(errors), axis=0)
    return rise / steps.reshape(steps.shape + (1,) * (errors.ndim - 1))
