r"""Tails of Magnus (and BCH) series on matrices, and a gradient ascent to the sequences with the largest terms.

A sequence is given by its increments x_t on a few generators M_i. Token t is exp(A_t) with A_t = sum_i x_{ti} M_i, and the mass
of the sequence is the sum of the operator norms of the A_t. The series is the log-signature of the increments, evaluated on M.
A shorter sequence ends in zero increments, and smaller matrices stand in the corner of larger ones.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from depthjax.lie.brackets import Span, bracket_matrices, graded_element
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.logarithm import logarithm_from_excess
from depthjax.lie.products import ordered_excess
from depthjax.lie.signature import log_signature
from depthjax.rounding import rounding_floor

_RATE = 0.02  # of the ascent, for entries of size one


class Sequences(NamedTuple):
    """Sequences as increments on generators, one pair of arrays for each sequence."""

    increments: Float[Array, "*batch length letters"]
    matrices: Float[Array, "*batch letters size size"]


class Tail(NamedTuple):
    """The error of the series truncated after each degree (last axis), in operator norm.

    Attributes:
        series: Distance of the truncated series from the logarithm of the product.
        flow: Distance of its exponential from the product.
        term: Norm of the first omitted term.
    """

    series: Float[Array, "*batch orders"]
    flow: Float[Array, "*batch orders"]
    term: Float[Array, "*batch orders"]


def mass(sequences: Sequences) -> Float[Array, "*batch"]:
    """Return the mass of each sequence: the sum of the operator norms of its generators A_t."""
    tokens = jnp.einsum("...tl,...lij->...tij", *sequences)
    return jnp.linalg.norm(tokens, ord=2, axis=(-2, -1)).sum(axis=-1)


def with_mass(sequences: Sequences, wanted: Float[Array, "*batch"]) -> Sequences:
    """Return the sequences with their matrices scaled to the wanted masses."""
    factor = wanted / mass(sequences)
    return sequences._replace(matrices=sequences.matrices * factor[..., None, None, None])


def of_norm_one(sequences: Sequences) -> Sequences:
    """Return the sequences with every matrix scaled to operator norm one."""
    norms = jnp.linalg.norm(sequences.matrices, ord=2, axis=(-2, -1), keepdims=True)
    return sequences._replace(matrices=sequences.matrices / norms)


def random_sequences(key: Key[Array, ""], batch: int, length: int, letters: int, size: int) -> Sequences:
    """Return sequences with standard normal increments and matrices."""
    flat = jax.random.normal(key, (batch, length * letters + letters * size * size))
    return Sequences(
        flat[:, : length * letters].reshape(batch, length, letters),
        flat[:, length * letters :].reshape(batch, letters, size, size),
    )


def varied_sequences(key: Key[Array, ""], batch: int, length: int, letters: int, size: int) -> Sequences:
    """Return random sequences of 2, 4, 8 tokens and of sizes 2 to `size` in turn; no sequence is longer than `length`."""
    drawn, count = random_sequences(key, batch, length, letters, size), jnp.arange(batch)
    lengths, sizes = jnp.minimum(2 ** (1 + count % 3), length), 2 + count // 3 % max(size - 1, 1)
    within = jnp.arange(length)[None, :] < lengths[:, None]
    corner = jnp.arange(size)[None, :] < sizes[:, None]
    return Sequences(
        jnp.where(within[..., None], drawn.increments, 0.0),
        jnp.where((corner[:, :, None] & corner[:, None, :])[:, None], drawn.matrices, 0.0),
    )


def tail_floor(masses: np.ndarray, length: int, size: int) -> np.ndarray:
    """Return the rounding floor of a tail: a token's exponential is at most 13 products, the terms a few hundred brackets."""
    return np.asarray(rounding_floor(400 * size * length, jnp.dtype(float), masses * np.exp(masses)))


@partial(jax.jit, static_argnames="highest")
def tails(sequences: Sequences, highest: int) -> Tail:
    """Return the tails beyond degrees 1 to `highest` - 1 of a batch of sequences.

    Cost for each sequence: one log-signature of order `highest`, and about `highest` matrix exponentials.
    """

    def one(increments: Array, matrices: Array) -> Tail:
        excess = ordered_excess(exponential_excess(jnp.einsum("tl,lij->tij", increments, matrices)))
        terms = _terms(increments, matrices, highest)
        sums = jnp.cumsum(terms, axis=0)[:-1]
        missed = logarithm_from_excess(excess)[None] - sums, exponential_excess(sums) - excess[None], terms[1:]
        # one call for the three: see `depthjax.lie.exponential` on several calls of LAPACK at once
        return Tail(*jnp.linalg.norm(jnp.stack(missed), ord=2, axis=(-2, -1)))

    return jax.vmap(one)(*sequences)


@partial(jax.jit, static_argnames=("highest", "rounds"))
def climbed(start: Sequences, order: int | Array, highest: int, rounds: int, mobile: float | Array = 1.0) -> Sequences:
    """Return sequences whose term of degree `order` + 1 a gradient ascent has made large at equal mass.

    What is zero at the start stays zero. Matrices are used at norm one, so increments alone carry the sizes of tokens. Norms
    are replaced by the Schatten norm of exponent 16, which is smooth and at most a factor size^(1/16) larger.

    Args:
        start: Sequences, one ascent from each.
        order: Last degree that is kept.
        highest: Highest degree of the series, above `order`.
        rounds: Number of gradients.
        mobile: Factor of the steps of the increments; 0 keeps them (for a BCH pair, one letter each).

    Cost for each gradient and sequence: about (length + highest) highest^2 products of matrices.
    """
    wanted = (jnp.arange(highest + 1) == order + 1).astype(start.matrices.dtype)
    free = jax.tree.map(lambda part: (part != 0).astype(part.dtype), start)
    used = free.increments.max(axis=-1)

    def height(sequences: Sequences) -> Array:
        matrices = sequences.matrices / _smooth_norm(sequences.matrices)[..., None, None]
        tokens = jnp.einsum("btl,blij->tbij", sequences.increments, matrices)
        norms = _smooth_norm(jnp.where(used.T[..., None, None] > 0, tokens, 1.0)) * used.T
        term = jnp.tensordot(wanted, graded_logarithm(tokens, highest), axes=1)
        return (jnp.log(_smooth_norm(term)) - (order + 1) * jnp.log(norms.sum(axis=0))).sum()

    def step(carry: tuple, _: None) -> tuple[tuple, None]:
        sequences, state = carry
        slopes = jax.grad(height)(sequences)
        slopes = Sequences(-mobile * slopes.increments * free.increments, -slopes.matrices * free.matrices)
        updates, state = steps.update(slopes, state)
        return (optax.apply_updates(sequences, updates), state), None

    steps = optax.rmsprop(_RATE, momentum=0.9)
    return jax.lax.scan(step, (start, steps.init(start)), None, rounds)[0][0]


def graded_logarithm(tokens: Float[Array, "length *batch size size"], highest: int) -> Float[Array, "degrees *batch size size"]:
    """Return the terms of degree 0 to `highest` of log(e^(z A_1) e^(z A_2) ...), as a polynomial in z with matrix coefficients.

    This is the definition of the terms, without brackets: polynomials are multiplied, and the series of log(1 + S) ends.
    """
    index = jnp.arange(highest + 1)[:, None] - jnp.arange(highest + 1)[None, :]

    def times(a: Array, b: Array) -> Array:
        table = jnp.where((index >= 0).reshape(*index.shape, *[1] * (b.ndim - 1)), b[index], 0.0)
        return jnp.einsum("k...ij,nk...jl->n...il", a, table)

    one = jnp.zeros((highest + 1, *tokens.shape[1:]), tokens.dtype).at[0].set(jnp.eye(tokens.shape[-1], dtype=tokens.dtype))

    def append(product: Array, token: Array) -> tuple[Array, None]:
        powers = [one[0]]
        for degree in range(1, highest + 1):
            powers.append(powers[-1] @ token / degree)
        return times(product, jnp.stack(powers)), None

    excess = jax.lax.scan(append, one, tokens)[0] - one
    fractions = 1 / jnp.arange(highest, 0, -1, dtype=tokens.dtype)
    # log(1 + S) = S (1 - S (1/2 - S (1/3 - ...)))
    inner = jax.lax.scan(lambda inner, c: (c * one - times(excess, inner), None), jnp.zeros_like(one), fractions)[0]
    return times(excess, inner)


def _smooth_norm(matrices: Array) -> Array:
    """The Schatten norm of exponent 16, computed at unit size: its trace holds 16th powers."""
    scale = jax.lax.stop_gradient(jnp.abs(matrices).max(axis=(-2, -1), keepdims=True))
    square = jnp.swapaxes(matrices, -2, -1) @ matrices / scale**2
    for _ in range(3):
        square = square @ square
    return jnp.trace(square, axis1=-2, axis2=-1) ** (1 / 16) * scale[..., 0, 0]


def _terms(increments: Array, matrices: Array, highest: int) -> Array:
    """All homogeneous terms of the series, from degree one on."""
    letters = matrices.shape[0]
    brackets = bracket_matrices(matrices, highest)
    coordinates = log_signature(increments, highest)[None]
    one = jnp.ones((1,), matrices.dtype)
    spans = [Span(degree, degree) for degree in range(1, highest + 1)]
    return jnp.stack([graded_element(coordinates[:, s.rows(letters)], brackets, s, one, letters)[0, 0] for s in spans])
