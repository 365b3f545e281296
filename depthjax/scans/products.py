"""Prefix products of matrices, and the recurrence h_t = A_t h_{t-1} + b_t behind them."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Inexact

from depthjax.refusal import refusing
from depthjax.scans.axes import Axes
from depthjax.scans.choice import method_named, pieces

CHUNK = 8
MATRICES = Axes("A_t ... A_1 has a square matrix for each letter", matrices="length *batch n n")
STEPS = Axes(
    "h_t = A_t h_{t-1} + b_t has a square matrix and a vector for each letter",
    matrices="length *batch n n",
    drive="length *batch n",
)
SMALL = 8  # up to this size products are written out: on a CPU a batch of tiny matrix products is slower than its arithmetic


@refusing(MATRICES.check)
def matrix_products(
    matrices: Inexact[Array, "length *batch n n"], *, method: str = "auto", chunk: int = CHUNK
) -> Inexact[Array, "length *batch n n"]:
    """Return A_t ... A_2 A_1 for every t: later matrices multiply on the left, as in a recurrence.

    Cost: O(length n^3) work; the associative form does about twice as much, at logarithmic depth.

    Raises:
        ValueError: The shapes do not fit each other, the method is unknown, or the chunk does not divide the length.

    >>> shear = jnp.array([[1.0, 1.0], [0.0, 1.0]])
    >>> matrix_products(jnp.stack([shear] * 3))[-1].tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    length = matrices.shape[0]
    method, chunk = method_named("matrix_products", method, length, chunk)
    if length <= 1:
        return matrices
    if method == "associative":
        return jax.lax.associative_scan(_after, matrices)
    if method == "chunked":
        pieced = matrices.reshape(pieces(length, chunk), chunk, *matrices.shape[1:])
        inside = jax.lax.associative_scan(_after, pieced, axis=1)
        seams = matrix_products(inside[:, -1], method="sequential")
        tail = _after(seams[:-1, None], inside[1:])
        return jnp.concatenate([inside[:1], tail]).reshape(matrices.shape)

    def step(product: Array, matrix: Array) -> tuple[Array, Array]:
        product = _times(matrix, product)
        return product, product

    identity = jnp.broadcast_to(jnp.eye(matrices.shape[-1], dtype=matrices.dtype), matrices.shape[1:])
    return jax.lax.scan(step, identity, matrices)[1]


@refusing(STEPS.check)
def matrix_affine_scan(
    matrices: Inexact[Array, "length *batch n n"],
    drive: Inexact[Array, "length *batch n"],
    *,
    method: str = "auto",
    chunk: int = CHUNK,
) -> Inexact[Array, "length *batch n"]:
    """Return h_1 ... h_T of h_t = A_t h_{t-1} + b_t, h_0 = 0.

    Cost: O(length n^2) for the sequential form, which multiplies vectors; O(length n^3) for the others.

    Raises:
        ValueError: The shapes do not fit each other, the method is unknown, or the chunk does not divide the length.

    >>> matrix_affine_scan(jnp.stack([jnp.eye(2)] * 3), jnp.ones((3, 2))).tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    length = matrices.shape[0]
    method, chunk = method_named("matrix_affine_scan", method, length, chunk)
    if length <= 1:
        return drive
    if method == "associative":
        return jax.lax.associative_scan(_affine_after, (matrices, drive))[1]
    if method == "chunked":
        count = pieces(length, chunk)
        pieced = [part.reshape(count, chunk, *part.shape[1:]) for part in (matrices, drive)]
        turn, shift = jax.lax.associative_scan(_affine_after, tuple(pieced), axis=1)
        seams = matrix_affine_scan(turn[:, -1], shift[:, -1], method="sequential")
        before = jnp.concatenate([jnp.zeros_like(seams[:1]), seams[:-1]])
        return (_apply(turn, before[:, None]) + shift).reshape(drive.shape)

    def step(state: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        state = _apply(now[0], state) + now[1]
        return state, state

    return jax.lax.scan(step, jnp.zeros_like(drive[0]), (matrices, drive))[1]


def _times(left: Array, right: Array) -> Array:
    if left.shape[-1] > SMALL:
        return jnp.einsum("...ij,...jk->...ik", left, right, precision="highest")
    return (left[..., :, :, None] * right[..., None, :, :]).sum(axis=-2)


def _apply(matrix: Array, vector: Array) -> Array:
    if matrix.shape[-1] > SMALL:
        return jnp.einsum("...ij,...j->...i", matrix, vector, precision="highest")
    return (matrix * vector[..., None, :]).sum(axis=-1)


def _after(first: Array, second: Array) -> Array:
    return _times(second, first)


def _affine_after(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    return _times(second[0], first[0]), _apply(second[0], first[1]) + second[1]
