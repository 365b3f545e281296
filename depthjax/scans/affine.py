"""The diagonal affine recurrence h_t = a_t h_{t-1} + b_t, entry by entry, real or complex.

The states solve the linear system h_t - a_t h_{t-1} = b_t, and derivatives of both modes are those of a solution. A tangent is
one more scan, of db_t + da_t h_{t-1}. The gradient is one scan of the same kind backwards: with g_t the cotangent of h_t, the
total cotangent is l_t = g_t + a_{t+1} l_{t+1}, and db_t = l_t, da_t = l_t h_{t-1}. Only a and h are kept for it.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Inexact

from depthjax.scans.choice import method_named, pieces

CHUNK = 8


def affine_scan(
    decay: Inexact[Array, "length ..."],
    drive: Inexact[Array, "length ..."],
    *,
    method: str = "auto",
    chunk: int = CHUNK,
) -> Inexact[Array, "length ..."]:
    """Return h_1 ... h_T along the leading axis, h_0 = 0.

    Args:
        decay: The coefficients a, of the same rank as `drive`; axes of size one are broadcast.
        drive: The inputs b, of the same dtype.
        method: "associative", "chunked", "sequential", or "auto", which takes the form that `depthjax.scans.choice` recommends.
        chunk: Steps of each piece of the chunked form.

    Raises:
        ValueError: Ranks or sizes differ, the method is unknown, or the chunk does not divide the length.
        TypeError: The dtypes differ.

    >>> affine_scan(jnp.full(4, 0.5), jnp.ones(4)).tolist()
    [1.0, 1.5, 1.75, 1.875]
    """
    if (
        decay.ndim != drive.ndim
        or len(decay) != len(drive)
        or any(a not in (1, b) for a, b in zip(decay.shape[1:], drive.shape[1:], strict=True))
    ):
        raise ValueError(f"decay {decay.shape} does not spread to drive {drive.shape}: give it the same rank, with axes of one")
    if decay.dtype != drive.dtype:
        raise TypeError(f"decay is {decay.dtype} and drive {drive.dtype}: convert one of them")
    if drive.shape[0] == 0:
        return drive
    return _scan(decay, drive, *method_named("affine_scan", method, drive.shape[0], chunk))


def _scan(decay: Array, drive: Array, method: str, chunk: int) -> Array:
    def system(states: Array) -> Array:
        return states - decay * jnp.concatenate([jnp.zeros_like(states[:1]), states[:-1]])

    def solve(_: Any, drive: Array) -> Array:
        return _run(decay, drive, method, chunk, reverse=False)

    def solve_transposed(_: Any, cotangent: Array) -> Array:
        following = jnp.concatenate([decay[1:], jnp.zeros_like(decay[:1])])
        return _run(following, cotangent, method, chunk, reverse=True)

    return jax.lax.custom_linear_solve(system, drive, solve, solve_transposed)


def _run(decay: Array, drive: Array, method: str, chunk: int, *, reverse: bool) -> Array:
    if method == "associative":
        spread = jnp.broadcast_to(decay, drive.shape)
        return jax.lax.associative_scan(_then, (spread, drive), reverse=reverse)[1]
    if method == "chunked":
        return _chunked(decay, drive, chunk, reverse=reverse)

    def step(state: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        state = now[0] * state + now[1]
        return state, state

    return jax.lax.scan(step, jnp.zeros_like(drive[0]), (decay, drive), reverse=reverse)[1]


def _then(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    return second[0] * first[0], second[0] * first[1] + second[1]


def _chunked(decay: Array, drive: Array, chunk: int, *, reverse: bool) -> Array:
    """Scan all pieces at once, each from zero; then the states at the seams; then add the two."""
    count = pieces(drive.shape[0], chunk)
    decay, drive = (part.reshape(count, chunk, *part.shape[1:]) for part in (decay, drive))
    inside = jax.lax.associative_scan(_then, (jnp.broadcast_to(decay, drive.shape), drive), axis=1, reverse=reverse)
    last = 0 if reverse else -1
    seams = _run(inside[0][:, last], inside[1][:, last], "sequential", chunk, reverse=reverse)
    empty = jnp.zeros_like(seams[:1])
    before = jnp.concatenate([seams[1:], empty] if reverse else [empty, seams[:-1]])
    return (inside[0] * before[:, None] + inside[1]).reshape(count * chunk, *drive.shape[2:])
