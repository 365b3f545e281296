"""One layer of a compiled transformer: a softmax head, a linear part, and rounding; the formula stands in `transformer`."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array

from depthjax.attention import softmax, visible

STRETCHES = 4  # of at least 128 rows: each computes scores against the columns that the mask can show it and no others


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TransformerLayer:
    """The matrices of one layer, named as in the module's formula; several layers of one shape may be stacked in front."""

    query: Array  # width, head
    key: Array  # width, head
    value: Array  # width, read
    output: Array  # read, width
    linear: Array  # width, width
    gather: Array  # width, units
    write: Array  # units, width


def read(layer: TransformerLayer, stream: Array, mask: str) -> Array:
    """Return what the head retrieves at every position."""
    queries, keys, values = (times(stream, matrix) for matrix in (layer.query, layer.key, layer.value))
    parts = []
    rows = max(128, -(-len(stream) // STRETCHES))
    for start in range(0, len(stream), rows):
        stop = min(start + rows, len(stream))
        seen = len(stream) if mask == "full" else stop
        parts.append(times(attention(queries[start:stop], keys[:seen], mask, start), values[:seen]))
    return jnp.concatenate(parts)


def attention(queries: Array, keys: Array, mask: str, start: int = 0) -> Array:
    """Return the softmax weights of the rows from `start` on."""
    row, column = jnp.arange(start, start + len(queries)), jnp.arange(len(keys))
    # the beginning of the sequence sees itself under every mask
    seen = visible(row, column, mask) | (row[:, None] + column[None, :] == 0)
    return softmax(times(queries, keys.T), seen)


def update(layer: TransformerLayer, stream: Array, retrieved: Array, rounded: Callable[[Array], Array]) -> Array:
    """Return the stream after a layer whose head retrieved these values; `rounded` rounds numbers to integers."""
    stream = stream + times(retrieved, layer.output)
    whole = rounded(times(stream, layer.gather))
    return stream + times(stream, layer.linear) + times(whole, layer.write)


def staircase(numbers: Array, largest: int, tolerance: float) -> Array:
    """Return numbers in -1 ... `largest` rounded by two layers of ReLU units, one a step.

    A step rises linearly over the stretch where no number should lie, farther than `tolerance` from the integers.
    """
    steps = jnp.arange(largest + 1, dtype=numbers.dtype) - 0.5
    steps = jnp.broadcast_to(steps, (*numbers.shape, steps.size))
    rising = jax.nn.relu((numbers[..., None] - steps) / (1 - 2 * tolerance) + 0.5)
    return (1 - jax.nn.relu(1 - rising)).sum(axis=-1) - 1


def times(left: Array, right: Array) -> Array:
    """Return the matrix product in full precision: the numbers are integers, and reduced products destroy them."""
    return jnp.matmul(left, right, precision="highest")
