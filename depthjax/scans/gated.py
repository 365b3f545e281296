"""Gated linear attention: the matrix state S_t = diag(a_t) S_{t-1} + k_t v_t^T, read as o_t = S_t^T q_t.

Chunked: with S the state before a piece and a_{j..t} = a_j a_{j+1} ... a_t, the products of its decays,

    o_t = S^T (a_{1..t} q_t) + sum_{j <= t} (q_t . (a_{j+1..t} k_j)) v_j.

The usual quotient a_{1..t} / a_{1..j} overflows where decays are small. Here the pairs (t, j) are treated in blocks of 1, 2,
4, ... steps. For t in the second of two neighbouring blocks and j in the first, with m the last step of the first block,
a_{j+1..t} = a_{j+1..m} a_{m+1..t}. Both factors are products of numbers up to one: nothing is divided, and a decay of zero is
allowed.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.refusal import refusing
from depthjax.scans.axes import Axes
from depthjax.scans.choice import method_named, pieces

FORMS = ("auto", "chunked", "sequential")  # the associative form would hold all states
CHUNK = 16
LETTERS = Axes(
    "every letter has a query, a key, a value and a decay for each entry of its key",
    queries="length *batch key",
    keys="length *batch key",
    values="length *batch value",
    decay="length *batch key",
)


@refusing(LETTERS.check)
def gated_scan(
    queries: Float[Array, "length *batch key"],
    keys: Float[Array, "length *batch key"],
    values: Float[Array, "length *batch value"],
    decay: Float[Array, "length *batch key"],
    *,
    method: str = "auto",
    chunk: int = CHUNK,
) -> Float[Array, "length *batch value"]:
    """Return o_1 ... o_T, from S_0 = 0.

    Cost of the chunked form: log2(chunk) matrix products for the steps of a piece among themselves, and two for the state.

    Args:
        queries: The queries q.
        keys: The keys k.
        values: The values v.
        decay: The decays a, in [0, 1]; zero is allowed.
        method: "chunked", "sequential" or "auto".
        chunk: Steps of each piece; any divisor of the length.

    Raises:
        ValueError: The shapes do not fit each other, the method is unknown ("associative" would hold every state and is not
            offered), or the chunk does not divide the length.

    >>> ones = jnp.ones((3, 1))
    >>> gated_scan(ones, ones, ones, 0.5 * ones).ravel().tolist()
    [1.0, 1.5, 1.75]
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
    return _chunked(queries, keys, values, decay, empty, chunk)


def gated_step(state: Array, now: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
    """Return the next state and the output that the query reads from it."""
    query, key, value, decay = now
    state = decay[..., None] * state + key[..., None] * value[..., None, :]
    return state, (query[..., None] * state).sum(axis=-2)


def _chunked(queries: Array, keys: Array, values: Array, decay: Array, empty: Array, chunk: int) -> Array:
    count, size = pieces(queries.shape[0], chunk), 1 << (chunk - 1).bit_length()

    def cut(part: Array, fill: int) -> Array:
        """Cut into pieces padded to a power of two of steps; padding keeps the state and is not read."""
        part = part.reshape(count, chunk, *part.shape[1:])
        return jnp.pad(part, [(0, 0), (0, size - chunk)] + [(0, 0)] * (part.ndim - 2), constant_values=fill)

    query, key, value, since = (cut(part, fill) for part, fill in ((queries, 0), (keys, 0), (values, 0), (decay, 1)))
    until = jnp.ones_like(since)
    read = (query * key).sum(axis=-1, keepdims=True) * value
    width = 1
    while width < size:
        # since: the product of decays from the block's beginning through each step; until: after each step to the block's end
        q, k, v, s, u, r = (_halves(part, width) for part in (query * since, key * until, value, since, until, read))
        score = jnp.einsum("pbt...k,pbj...k->pb...tj", q[:, :, 1], k[:, :, 0])
        r = r.at[:, :, 1].add(jnp.einsum("pb...tj,pbj...v->pbt...v", score, v[:, :, 0]))
        s = jnp.concatenate([s[:, :, 0], s[:, :, 0, -1:] * s[:, :, 1]], axis=2)
        u = jnp.concatenate([u[:, :, 0] * _halves(since, width)[:, :, 1, -1:], u[:, :, 1]], axis=2)
        read, since, until, width = r.reshape(read.shape), s.reshape(since.shape), u.reshape(until.shape), 2 * width

    def piece(state: Array, now: tuple[Array, ...]) -> tuple[Array, Array]:
        query, key, value, whole = now
        read = jnp.einsum("t...k,...kv->t...v", query, state)
        return whole[..., None] * state + jnp.einsum("j...k,j...v->...kv", key, value), read

    carried = jax.lax.scan(piece, empty, (query * since, key * until, value, since[:, -1]))[1]
    return (read + carried)[:, :chunk].reshape(values.shape)


def _halves(part: Array, width: int) -> Array:
    """Axes: pieces, pairs of neighbouring blocks, the two blocks, steps of a block, and the rest."""
    return part.reshape(part.shape[0], part.shape[1] // (2 * width), 2, width, *part.shape[2:])
