"""The derived series of matrices, numerically: the twin of the exact one, and a look at any layer's generators."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depthjax.checks import at_least, floating


def derived_dimensions(matrices: Float[Array, "count size size"], steps: int) -> Int[Array, " steps_and_one"]:
    """Return the dimensions of g, [g, g], ... (`steps` of them after g), for the Lie algebra g that the matrices generate.

    Of an affine layer give the homogenised generators [[A, b], [0, 0]]: commuting A alone say nothing. Ranks are decided by
    singular values, relative to the largest, so that generators should be of one size. Cost: singular values of size**4
    brackets a step.

    Raises:
        TypeError: the matrices are not real floating point.
        ValueError: no step.
    """
    floating("matrices", matrices)
    at_least("steps", steps, 1, "the first is [g, g]")
    basis = generators = _span(matrices)
    # brackets with the generators, until nothing new comes
    for _ in range(matrices.shape[-1] ** 2):
        grown = _span(jnp.concatenate([basis, _brackets(generators, basis)]))
        if len(grown) == len(basis):
            break
        basis = grown
    dimensions = [len(basis)]
    for _ in range(steps):
        basis = _span(_brackets(basis, basis))
        dimensions.append(len(basis))
    return jnp.asarray(dimensions, jnp.int32)


def _brackets(a: Array, b: Array) -> Array:
    products = a[:, None] @ b[None] - b[None] @ a[:, None]
    return products.reshape(len(a) * len(b), *a.shape[1:])


def _span(matrices: Array) -> Array:
    """An orthonormal basis of the span, as matrices; of unknown size, hence outside jit."""
    if matrices.shape[0] == 0:
        return matrices
    size = matrices.shape[-1]
    _, values, rows = jnp.linalg.svd(matrices.reshape(-1, size * size), full_matrices=False)
    scale = jnp.maximum(values[0], jnp.asarray(1.0, values.dtype))
    keep = int((values > scale * size**2 * len(matrices) * jnp.finfo(values.dtype).eps).sum())
    return rows[:keep].reshape(-1, size, size)
