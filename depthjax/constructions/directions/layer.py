r"""The layer that all explicit transformers share: heads, then units at each position, in directions that `stream` names.

With x the residual stream at position i, y that at position j, and N a norm (most layers have none),

    score(i, j) = (N x Q) . (N y K),      x <- kept x + sum over heads of (sum_j weight(i, j) N y V) O,
                                          x <- kept x + a(N x G) W.

The weights are the softmax of the scores that the mask shows, or hard attention, its limit: all weight on the largest score,
shared by ties. The function a is exact and piecewise linear: rounding, `jax.nn.relu`, or `step`.

A head without Q scores by keys alone, and a head without Q and K averages. Both run in linear time.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.attention import softmax, visible
from depthjax.attention.prefix import RUNNING, prefix_average

STRETCHES = 4  # of at least 128 rows: each computes scores against the columns that the mask can show it and no others

Attention = Callable[[Array, Array], Array]  # scores and mask -> weights
Activation = Callable[[Array], Array]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Heads:
    """One head, or several with a leading axis; further leading axes stack layers.

    Attributes:
        query, key: Shape (width, head); None as the module says.
        value: Shape (width, read).
        output: Shape (read, width).
        kept: 1 for each direction that stays and 0 for one that is written anew; None keeps all.
        normed: 1 for each direction that the head reads, after division by the norm of all of them; None: no norm.
    """

    query: Array | None
    key: Array | None
    value: Array
    output: Array
    kept: Array | None = None
    normed: Array | None = None


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Units:
    """The units of a feed-forward part.

    Attributes:
        gather: Shape (width, units).
        write: Shape (units, width); None: unit i writes direction i.
        kept, normed: As for `Heads`.
    """

    gather: Array
    write: Array | None
    kept: Array | None = None
    normed: Array | None = None


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Layer:
    """Heads and units; several layers of one shape may be stacked in front."""

    heads: Heads
    units: Units


def retrieve(
    heads: Heads, stream: Float[Array, "rows width"], mask: str, attention: Attention = softmax
) -> Float[Array, "*heads rows read"]:
    """Return what heads retrieve at every position.

    Args:
        heads: The heads.
        stream: The residual stream of one word.
        mask: One of `depthjax.attention.MASKS`; row 0 sees itself under every mask. Heads without queries take "causal" and
            "strict".
        attention: `depthjax.attention.softmax` or `hard`.
    """
    stream = _normed(stream, heads.normed)
    return _mean(heads, stream, _projected(stream, heads.value), mask, attention)


def weights(
    heads: Heads, stream: Float[Array, "rows width"], mask: str, attention: Attention = softmax
) -> Float[Array, "*heads rows rows"]:
    """Return the weight of every position at every position; arguments as for `retrieve`."""
    each = jnp.broadcast_to(jnp.eye(len(stream), dtype=stream.dtype), (*heads.value.shape[:-2], len(stream), len(stream)))
    return _mean(heads, _normed(stream, heads.normed), each, mask, attention)


def _mean(heads: Heads, stream: Array, values: Array, mask: str, attention: Attention) -> Array:
    if heads.query is None or heads.key is None:
        return _running(heads, stream, values, mask, attention)
    queries, keys = _projected(stream, heads.query), _projected(stream, heads.key)
    parts, rows = [], max(128, -(-len(stream) // STRETCHES))
    for start in range(0, len(stream), rows):
        stop = min(start + rows, len(stream))
        seen = len(stream) if mask == "full" else stop
        weights = weigh(queries[..., start:stop, :], keys[..., :seen, :], mask, attention, start)
        parts.append(times(weights, values[..., :seen, :]))
    return jnp.concatenate(parts, axis=-2)


def weigh(
    queries: Float[Array, "*heads queries head"],
    keys: Float[Array, "*heads keys head"],
    mask: str,
    attention: Attention = softmax,
    start: int = 0,
) -> Float[Array, "*heads queries keys"]:
    """Return the weights of the rows from `start` on."""
    row, column = jnp.arange(start, start + queries.shape[-2]), jnp.arange(keys.shape[-2])
    # the beginning of the sequence sees itself under every mask
    seen = visible(row, column, mask) | (row[:, None] + column[None, :] == 0)
    return attention(times(queries, keys.swapaxes(-1, -2)), seen)


def attended(heads: Heads, stream: Float[Array, "rows width"], retrieved: Array) -> Float[Array, "rows width"]:
    """Return the stream after heads that retrieved these values."""
    over = "hrk,hkw->rw" if retrieved.ndim > stream.ndim else "rk,kw->rw"
    return _kept(stream, heads.kept) + jnp.einsum(over, retrieved, heads.output, precision="highest")


def gathered(units: Units, stream: Float[Array, "rows width"]) -> Float[Array, "rows units"]:
    """Return the numbers of which units take their function."""
    return times(_normed(stream, units.normed), units.gather)


def fed(units: Units, stream: Float[Array, "rows width"], activation: Activation) -> Float[Array, "rows width"]:
    """Return the stream after units with this function."""
    found = activation(gathered(units, stream))
    return _kept(stream, units.kept) + (found if units.write is None else times(found, units.write))


def run(
    layer: Layer, stream: Float[Array, "rows width"], mask: str, activation: Activation, attention: Attention = softmax
) -> Float[Array, "rows width"]:
    """Return the stream after a layer; arguments as for `retrieve` and `fed`."""
    stream = attended(layer.heads, stream, retrieve(layer.heads, stream, mask, attention))
    return fed(layer.units, stream, activation)


def step(numbers: Array) -> Array:
    """Return 1 for numbers from 0 on, else 0: a threshold."""
    return (numbers >= 0).astype(numbers.dtype)


def staircase(numbers: Array, largest: int, tolerance: float) -> Array:
    """Return numbers in -1 ... `largest` rounded by two layers of ReLU units, one a step.

    A step rises linearly over the stretch where no number should lie, farther than `tolerance` from the integers.
    """
    steps = jnp.arange(largest + 1, dtype=numbers.dtype) - 0.5
    steps = jnp.broadcast_to(steps, (*numbers.shape, steps.size))
    rising = jax.nn.relu((numbers[..., None] - steps) / (1 - 2 * tolerance) + 0.5)
    return (1 - jax.nn.relu(1 - rising)).sum(axis=-1) - 1


def one_back(found: Float[Array, "*heads rows read"]) -> Float[Array, "*heads rows read"]:
    """Return what heads whose scores do not depend on the query retrieve under the strict mask, from the causal one's."""
    return jnp.concatenate([found[..., :1, :], found[..., :-1, :]], axis=-2)


def times(left: Array, right: Array) -> Array:
    """Return the matrix product in full precision: the numbers are integers, and reduced products destroy them."""
    return jnp.matmul(left, right, precision="highest")


def _running(heads: Heads, stream: Array, values: Array, mask: str, attention: Attention) -> Array:
    """What heads retrieve whose scores do not depend on the query: a running mean of all rows up to each, or a weighted one."""
    if mask not in ("causal", "strict"):
        raise ValueError(f"a head without a query runs along the rows: mask must be 'causal' or 'strict', got {mask!r}")
    if heads.key is None:
        found = prefix_average(values)
    else:
        found = jnp.vectorize(RUNNING[attention], signature="(n),(n,w)->(n,w)")(_projected(stream, heads.key)[..., 0], values)
    return found if mask == "causal" else one_back(found)


def _projected(stream: Array, matrices: Array) -> Array:
    """The product with one matrix, or with each of several: one multiplication of matrices for all of them."""
    return jnp.einsum("rw,...wk->...rk", stream, matrices, precision="highest")


def _normed(stream: Array, directions: Array | None) -> Array:
    if directions is None:
        return stream
    masked = stream * directions[None]
    return masked / jnp.sqrt((masked**2).sum(axis=-1, keepdims=True))


def _kept(stream: Array, kept: Array | None) -> Array:
    return stream if kept is None else stream * kept[None]
