"""What the best affine map, and the best function of few letters, leave of a target over all inputs."""

import jax
import jax.numpy as jnp
import numpy as np
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


def losses_by_letters(targets: Float[np.ndarray, "*letters outputs"]) -> Float[np.ndarray, " counts"]:
    """Return half the squared error that the best sum of functions of at most 0, 1, ..., k letters leaves of a target.

    The target is a function of words of k uniform letters, one axis for each letter. It is a sum of uncorrelated parts, one for
    each set of positions, that depend on this set and have mean zero over each of its letters (Hoeffding, Ann. Math. Stat. 19,
    1948). The best sum of functions of few letters has the parts of all small sets. Polynomials of degree d in the codes are
    such sums for d letters. Cost: O(k^2) times the size of the target.
    """
    parts = [targets]  # entry m depends on m of the letters that were split off so far
    for axis in range(targets.ndim - 1):
        means = [part.mean(axis=axis, keepdims=True) for part in parts]
        rests = [part - mean for part, mean in zip(parts, means, strict=True)]
        parts = [means[0], *(mean + rest for mean, rest in zip(means[1:], rests[:-1], strict=True)), rests[-1]]
    powers = np.array([0.5 * (part**2).mean(axis=tuple(range(part.ndim - 1))).sum() for part in parts])
    return powers.sum() - np.cumsum(powers)
