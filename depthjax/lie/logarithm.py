r"""The principal logarithm of a matrix close enough to the identity, by Gauss-Legendre quadrature.

    log(1 + E) = int_0^1 E (1 + s E)^{-1} ds.

The quadrature with m nodes is the diagonal Pade approximant of order m. Its error for 1 + E = e^Z is of the order of tanh(Z /
4)^{2m}, at most tan(|Z| / 4)^{2m} in norm: below 1e-17 for 32 nodes and |Z| <= 2. The factor E stands on the left, so a small
logarithm keeps its relative precision.

Source: Higham, Functions of Matrices (2008), section 11.4.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.checks import at_least, floating


def logarithm_from_excess(excess: Float[Array, "*shape size size"], nodes: int = 32) -> Float[Array, "*shape size size"]:
    """Return log(1 + excess), principal; no eigenvalue of 1 + excess may be zero or negative.

    Cost: `nodes` linear systems for each matrix.

    Raises:
        TypeError: The entries are not real floating point.
        ValueError: `nodes` is below 1.
    """
    floating("excess", excess)
    at_least("nodes", nodes, 1, "the quadrature needs a node")
    points, weights = np.polynomial.legendre.leggauss(nodes)
    points, weights = jnp.asarray((points + 1) / 2, excess.dtype), jnp.asarray(weights / 2, excess.dtype)
    identity = jnp.eye(excess.shape[-1], dtype=excess.dtype).reshape(*[1] * (excess.ndim - 1), *excess.shape[-2:])
    systems = identity + points.reshape(-1, *[1] * excess.ndim) * excess[None]
    # E commutes with the system, so it may be the right-hand side
    return jnp.tensordot(weights, jnp.linalg.solve(systems, jnp.broadcast_to(excess[None], systems.shape)), axes=1)
