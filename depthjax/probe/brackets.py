"""The derived series of the Lie algebra that matrices generate, numerically."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depthjax.checks import at_least, floating


def derived_dimensions(matrices: Float[Array, "count size size"], steps: int) -> Int[np.ndarray, " steps_and_one"]:
    """Return the dimensions of g, [g, g], ... (`steps` of them after g), for the Lie algebra g that the matrices generate.

    For an affine layer pass the homogenised generators [[A, b], [0, 0]]: commuting A alone decide nothing. Ranks are decided by
    singular values relative to the largest, so generators should be of similar size. The sizes of the spans are data, so this
    runs on the host, in numpy. Cost: singular values of at most size**4 brackets for each step.

    Raises:
        TypeError: The matrices are not real floating point.
        ValueError: `steps` is below 1.
    """
    at_least("steps", steps, 1, "the first is [g, g]")
    basis = generators = _span(np.asarray(floating("matrices", jnp.asarray(matrices))))
    # brackets with the generators, until the span stops growing
    for _ in range(matrices.shape[-1] ** 2):
        grown = _span(np.concatenate([basis, _brackets(generators, basis)]))
        if len(grown) == len(basis):
            break
        basis = grown
    dimensions = [len(basis)]
    for _ in range(steps):
        basis = _span(_brackets(basis, basis))
        dimensions.append(len(basis))
    return np.array(dimensions)


def _brackets(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    products = a[:, None] @ b[None] - b[None] @ a[:, None]
    return products.reshape(len(a) * len(b), *a.shape[1:])


def _span(matrices: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the span, as matrices."""
    if len(matrices) == 0:
        return matrices
    size = matrices.shape[-1]
    _, values, rows = np.linalg.svd(matrices.reshape(-1, size * size), full_matrices=False)
    keep = values > max(values[0], 1.0) * size**2 * len(matrices) * np.finfo(matrices.dtype).eps
    return rows[keep].reshape(-1, size, size)
