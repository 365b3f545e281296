"""Distances between measured and exact objects, and the rounding floor below which a distance is meaningless."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

CONFIDENCE = 6.0  # a sum of n independent roundings passes 6 sqrt(n) unit roundoffs with probability below 1e-7


def spectral_distance(a: Float[Array, "... size size"], b: Float[Array, "... size size"]) -> Float[Array, "..."]:
    """Return the operator 2-norm of a - b for every pair of matrices."""
    return jnp.linalg.norm(a - b, ord=2, axis=(-2, -1))


def rounding_floor(
    operations: Float[Array, ""] | float | int,
    dtype: jnp.dtype,
    magnitude: Float[Array, "..."] | Float[np.ndarray, "..."] | float = 1.0,
) -> Any:
    """Return the error that rounding alone explains after `operations` roundings of numbers of this magnitude.

    Roundings are treated as independent and centred (Higham and Mary, SIAM J. Sci. Comput. 41, 2019): CONFIDENCE *
    sqrt(operations) unit roundoffs, instead of the worst case `operations`.
    """
    return CONFIDENCE * operations**0.5 * float(jnp.finfo(dtype).eps) / 2 * magnitude


def floor_beside(error: Any, narrow: jnp.dtype, wide: jnp.dtype) -> Any:
    """Return the error that rounding alone explains in a wide type, from the measured error of the same steps in a narrow one.

    To first order a computation amplifies its roundings by derivatives that do not depend on the type, so the two errors are
    sums of independent centred roundings with the same coefficients and relate as the unit roundoffs do. CONFIDENCE allows for
    the two sums being different draws. No count of roundings enters, nor a bound on what amplifies them.

    Args:
        error: Largest difference between the results of the two types, over many results.
        narrow: Type in which the error was made.
        wide: Type whose error is sought.

    >>> round(float(floor_beside(1e-5, jnp.dtype("float32"), jnp.dtype("float64"))), 16)
    1.118e-13
    """
    return CONFIDENCE * error * (float(jnp.finfo(wide).eps) / float(jnp.finfo(narrow).eps))
