"""Matrix exponentials kept as 1 + a, so that small ones lose nothing to rounding."""

from functools import reduce

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def exponential_excess(generators: Float[Array, "*shape size size"]) -> Float[Array, "*shape size size"]:
    """Return e^X - 1, to relative rounding however small X is.

    The block matrix [[X, 1], [0, 0]] has (e^X - 1) / X in the upper corner of its exponential, and nothing cancels there.
    """
    size = generators.shape[-1]
    corner = jnp.broadcast_to(jnp.eye(size, dtype=generators.dtype), generators.shape)
    block = jnp.block([[generators, corner], [jnp.zeros_like(generators), jnp.zeros_like(generators)]])
    return generators @ jax.scipy.linalg.expm(block)[..., :size, size:]


def excess_product(*excesses: Float[Array, "*shape size size"]) -> Float[Array, "*shape size size"]:
    """Return (1 + a)(1 + b)... - 1, the first factor on the left."""
    return reduce(lambda a, b: a + b + a @ b, excesses)
