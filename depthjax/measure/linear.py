"""The best affine map, by least squares over all inputs."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@jax.jit
def affine_loss(inputs: Float[Array, "samples features"], targets: Float[Array, "samples outputs"]) -> Float[Array, ""]:
    """Return half the squared error that the best affine map leaves, summed over outputs and averaged over samples.

    The inputs may be linearly dependent: the residual is taken against an orthonormal basis of their span. O(samples
    features^2).
    """
    columns = jnp.concatenate([inputs, jnp.ones((inputs.shape[0], 1), inputs.dtype)], axis=1)
    basis, values, _ = jnp.linalg.svd(columns, full_matrices=False)
    basis = jnp.where(values > values[0] * max(columns.shape) * jnp.finfo(inputs.dtype).eps, basis, 0)
    residual = targets - basis @ (basis.T @ targets)
    return 0.5 * (residual**2).sum() / inputs.shape[0]
