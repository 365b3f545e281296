"""The best affine map, by least squares over all inputs."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


@jax.jit
def affine_loss(
    inputs: Float[Array, "samples features"],
    targets: Float[Array, "samples outputs"],
    count: Int[Array, ""] | int | None = None,
) -> Float[Array, ""]:
    """Return half the squared error that the best affine map leaves, summed over outputs and averaged over samples.

    The inputs may be linearly dependent: the residual is computed from an orthonormal basis of their span. Cost: O(samples
    features^2).

    Args:
        inputs: One sample for each row; features that are zero change nothing.
        targets: Targets of the samples.
        count: Number of samples, if later rows are padding; these must be zero.
    """
    count = inputs.shape[0] if count is None else count
    constant = (jnp.arange(inputs.shape[0]) < count).astype(inputs.dtype)[:, None]
    columns = jnp.concatenate([inputs, constant], axis=1)
    basis, values, _ = jnp.linalg.svd(columns, full_matrices=False)
    basis = jnp.where(values > values[0] * max(columns.shape) * jnp.finfo(inputs.dtype).eps, basis, 0)
    residual = targets - basis @ (basis.T @ targets)
    return 0.5 * (residual**2).sum() / count
