"""Gated linear attention: the matrix state S_t = diag(a_t) S_{t-1} + k_t v_t^T, read as o_t = S_t^T q_t.

Chunked, with A_t the product of a since the piece began and S the state then,

    o_t = S^T (A_t q_t) + sum_{j <= t} ((A_t q_t) . (k_j / A_j)) v_j,

which is matrix products only. The quotient grows like 1/A, so a piece must be short enough that A does not underflow.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.scans.choice import method_named, pieces

CHUNK = 16


def gated_scan(
    queries: Float[Array, "length *batch key"],
    keys: Float[Array, "length *batch key"],
    values: Float[Array, "length *batch value"],
    decay: Float[Array, "length *batch key"],
    *,
    method: str = "auto",
    chunk: int = CHUNK,
) -> Float[Array, "length *batch value"]:
    """Return o_1 ... o_T, S_0 = 0; `decay` is a, entries in (0, 1].

    Raises:
        ValueError: an unknown method ("associative" would hold every state and is not offered), or a chunk that does not
            divide the length.
    """
    length = queries.shape[0]
    method, chunk = method_named("gated_scan", method, length, chunk)
    if method == "associative":
        raise ValueError(
            'gated linear attention has the forms "chunked" and "sequential": the associative one holds all states'
        )
    empty = jnp.zeros((*keys.shape[1:], values.shape[-1]), values.dtype)
    if method == "sequential":
        return jax.lax.scan(gated_step, empty, (queries, keys, values, decay))[1]
    parts = [part.reshape(pieces(length, chunk), chunk, *part.shape[1:]) for part in (queries, keys, values, decay)]
    seen = jnp.tril(jnp.ones((chunk, chunk), values.dtype))

    def piece(state: Array, now: tuple[Array, ...]) -> tuple[Array, Array]:
        query, key, value, factor = now
        since = jnp.cumprod(factor, axis=0)
        query, key = query * since, key / since
        score = jnp.einsum("t...k,j...k->tj...", query, key)
        score = score * seen.reshape(chunk, chunk, *(1,) * (score.ndim - 2))
        read = jnp.einsum("t...k,...kv->t...v", query, state) + jnp.einsum("tj...,j...v->t...v", score, value)
        state = since[-1][..., None] * (state + jnp.einsum("j...k,j...v->...kv", key, value))
        return state, read

    return jax.lax.scan(piece, empty, tuple(parts))[1].reshape(values.shape)


def gated_step(state: Array, now: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
    """Return the next state and what the query reads from it."""
    query, key, value, decay = now
    state = decay[..., None] * state + key[..., None] * value[..., None, :]
    return state, (query[..., None] * state).sum(axis=-2)
