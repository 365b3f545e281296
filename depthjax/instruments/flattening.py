"""The rank of a tensor over words: how many products of functions of single letters it takes at least.

A tensor that is a sum of H products of functions of one axis each has matrices of rank at most H, whichever axes become rows.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from depthjax.compiler import lean_options
from depthjax.rounding import rounding_floor

_NAMES = "abcdefgh"  # of the axes, in sums of products


def centred(tensor: Float[np.ndarray, "*letters outputs"]) -> Float[np.ndarray, "*letters outputs"]:
    """Return the part that depends on every letter: its mean over any letter is zero. All axes but the last are letters."""
    for axis in range(tensor.ndim - 1):
        tensor = tensor - tensor.mean(axis=axis, keepdims=True)
    return tensor


def flattening_rank(tensor: Float[np.ndarray, "..."], rounding: float | None = None) -> int:
    """Return the rank of the matrix whose rows are the even axes and whose columns are the odd ones.

    Singular values below what rounding explains do not count.

    Args:
        tensor: Any array.
        rounding: How far an entry may be from its true value, where the tensor is what is left of larger numbers; None for one
            rounding of the largest singular value for each entry of a row and of a column.
    """
    matrix = flattening(tensor)
    values = np.linalg.svd(matrix, compute_uv=False)
    if rounding is None:
        floor = float(rounding_floor(sum(matrix.shape), matrix.dtype, float(values[0])))
    else:
        floor = rounding * matrix.size**0.5  # the Frobenius norm of the errors
    return int((values > floor).sum())


def flattening(tensor: Float[np.ndarray, "..."]) -> Float[np.ndarray, "rows columns"]:
    """Return the matrix whose rows are the even axes and whose columns are the odd ones."""
    axes = [*range(0, tensor.ndim, 2), *range(1, tensor.ndim, 2)]
    return np.transpose(tensor, axes).reshape(int(np.prod(tensor.shape[::2])), -1)


def loss_of_products(
    key: Key[Array, ""], tensor: Float[np.ndarray, "..."], count: int, starts: int, sweeps: int
) -> tuple[float, float]:
    """Return the least mean square error of `count` products of functions of one axis each that a search finds, and its floor.

    Alternating least squares from random starts: each factor in turn solves the normal equations of the others. The error is
    that of the factors as they are, so it is never below the true least one by more than the floor, which is rounding.

    Cost: for each start, sweep and axis as many operations as `count` times the entries of the tensor.

    Raises:
        ValueError: The tensor has more axes than there are names for them; long before, its entries would fill the memory.
    """
    if tensor.ndim > len(_NAMES):
        raise ValueError(f"the tensor has {tensor.ndim} axes: expected at most {len(_NAMES)}; take shorter words")
    axes, letters = range(tensor.ndim), _NAMES[: tensor.ndim]
    products = {a: f"{letters},{','.join(letters[b] + 'z' for b in axes if b != a)}->{letters[a]}z" for a in axes}
    whole = f"{','.join(letter + 'z' for letter in letters)}->{letters}"
    target = jnp.asarray(tensor)

    def sweep(factors: list[Array], _: None) -> tuple[list[Array], None]:
        for a in axes:
            others = [factors[b] for b in axes if b != a]
            gram = jnp.prod(jnp.stack([factor.T @ factor for factor in others]), axis=0)
            # a small ridge: factors may run off to infinity where the infimum is not attained
            ridge = gram + 1e-9 * jnp.trace(gram) * jnp.eye(count)
            factors[a] = jnp.linalg.solve(ridge, jnp.einsum(products[a], target, *others, optimize="greedy").T).T
        return factors, None

    @partial(jax.jit, compiler_options=lean_options(jax.default_backend(), once=True))
    @jax.vmap
    def search(start: Array) -> Array:
        parts = zip(jax.random.split(start, tensor.ndim), tensor.shape, strict=True)
        factors, _ = jax.lax.scan(sweep, [jax.random.normal(part, (size, count)) for part, size in parts], length=sweeps)
        return jnp.square(jnp.einsum(whole, *factors, optimize="greedy") - target).mean()

    least = float(search(jax.random.split(key, starts)).min())
    return least, float(rounding_floor(count * tensor.ndim, tensor.dtype, float(np.square(tensor).mean())))
