r"""The separation rank of linearised attention: its outputs on all pairs of templates, and their rank.

Attention runs token by token, in float64 or in residues modulo a prime below 2^31, which are exact. A sum of four products of
residues fits 64 bits, so contractions are cut into fours. Ranks modulo a prime come from elimination with one pivot at a time;
ranks in float64 come from singular values, if these show a gap.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num, UInt64

from depthjax.checks import at_least

TERMS = 4  # products of 62 bits whose sum fits 64


class LinearWeights(NamedTuple):
    """``y_i = sum_h sum_j <Q_h x_i, K_h x_j> O_h V_h x_j`` in every layer; residues as uint64, or floats."""

    query: Num[Array, "layers heads size width"]
    key: Num[Array, "layers heads size width"]
    value: Num[Array, "layers heads size width"]
    output: Num[Array, "layers heads width size"]
    readout: Num[Array, " width"]


def grid(
    weights: LinearWeights, left: Num[Array, "a tokens width"], right: Num[Array, "b tokens width"], prime: int | None = None
) -> Num[Array, "a b"]:
    """Return one output coordinate at the first token of the left half, for every pair of halves.

    Args:
        weights: Weights of the network.
        left: Templates of the half that is read, in the arithmetic of the weights.
        right: Templates of the other half.
        prime: Modulus below 2^31 of uint64 residues; None for floats.

    Cost: attention over the tokens of both halves for every pair.
    """
    return _grid(weights, left, right, None if prime is None else jnp.uint64(at_least("prime", prime, 2)))


@jax.jit
def _grid(weights: LinearWeights, left: Array, right: Array, prime: Array | None) -> Array:
    def row(half: Array) -> Array:
        pairs = jnp.concatenate([jnp.broadcast_to(half, (len(right), *half.shape)), right], axis=1)

        def layer(tokens: Array, own: LinearWeights) -> tuple[Array, None]:
            # axes: pair, head, token, coordinate
            queries, keys, values = (_dot(tokens[:, None], w[None].swapaxes(2, 3), prime) for w in own[:3])
            mixed = _dot(_dot(queries, keys.swapaxes(2, 3), prime), values, prime)
            out = _dot(mixed, own.output[None].swapaxes(2, 3), prime).sum(axis=1)
            return (out if prime is None else out % prime), None

        inner = LinearWeights(*weights[:4], jnp.zeros((len(weights.query), 1), left.dtype))
        tokens = jax.lax.scan(layer, pairs, inner)[0]
        return _dot(tokens[:, :1], jnp.broadcast_to(weights.readout[None, :, None], (1, len(weights.readout), 1)), prime)[
            :, 0, 0
        ]

    return jax.lax.map(row, left)


def _dot(left: Array, right: Array, prime: Array | None) -> Array:
    """Products of stacks of matrices, in either arithmetic."""
    if prime is None:
        return jnp.matmul(left, right, precision="highest")
    left, right = jnp.broadcast_arrays(left[..., None], right[..., None, :, :])
    parts = [
        (left[..., i : i + TERMS, :] * right[..., i : i + TERMS, :]).sum(axis=-2) % prime
        for i in range(0, left.shape[-2], TERMS)
    ]
    return parts[0] if len(parts) == 1 else sum(parts[1:], parts[0]) % prime


def modular_rank(matrix: UInt64[Array, "rows columns"], prime: int) -> int:
    """Return the rank of a matrix of residues modulo a prime below 2^31, at most the rank over the rationals.

    Cost: ``rows * columns`` operations for every column.
    """
    return int(_modular_rank(matrix, jnp.uint64(at_least("prime", prime, 2))))


@jax.jit
def _modular_rank(matrix: Array, prime: Array) -> Array:
    zero, bits = jnp.uint64(0), jnp.arange(31, dtype=jnp.uint64)

    def inverse(number: Array) -> Array:
        # Fermat: the power prime - 2, by the bits of the exponent
        def square(carry: tuple[Array, Array], bit: Array) -> tuple[tuple[Array, Array], None]:
            result, power = carry
            odd = ((prime - 2) >> bit) & 1 > 0
            return (jnp.where(odd, result * power % prime, result), power * power % prime), None

        return jax.lax.scan(square, (jnp.ones_like(number), number), bits)[0][0]

    def column(index: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        array, free = state
        values = jnp.where(free, array[:, index], zero)
        pivot = jnp.argmax(values > 0)

        def eliminate() -> tuple[Array, Array]:
            row = array[pivot] * inverse(values[pivot]) % prime
            rest = free.at[pivot].set(False)
            factors = jnp.where(rest, values, zero)
            return (array + (prime - factors)[:, None] * row[None]) % prime, rest  # below 2^63

        return jax.lax.cond(values[pivot] > 0, eliminate, lambda: state)

    free = jnp.ones(len(matrix), bool)
    return (~jax.lax.fori_loop(0, matrix.shape[1], column, (matrix, free))[1]).sum()


def float_rank(matrix: Float[Array, "rows columns"]) -> tuple[int, float]:
    """Return the number of singular values before the widest gap, and the decades of that gap, after scaling rows and columns.

    With a gap of a few decades or less float64 does not resolve the rank.
    """
    array = np.asarray(matrix)
    for axis in (1, 0, 1, 0):
        size = np.linalg.norm(array, axis=axis, keepdims=True)
        array = array / np.where(size > 0, size, 1.0)
    values = np.linalg.svd(array, compute_uv=False)
    values = np.maximum(values, values[0] * np.finfo(float).eps / 16)
    gaps = np.log10(values[:-1] / values[1:])
    return int(gaps.argmax()) + 1, float(gaps.max())
