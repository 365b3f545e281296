r"""Tails of Magnus (and BCH) series on matrices, and a search for the sequences with the largest tail.

A sequence is given by its increments x_t on a few generators M_i. Token t is exp(A_t) with A_t = sum_i x_{ti} M_i, and the mass
of the sequence is the sum of the operator norms of the A_t. The series is the log-signature of the increments, evaluated on M.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from depthjax.lie.brackets import Span, bracket_matrices, graded_element
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.logarithm import logarithm_from_excess
from depthjax.lie.products import ordered_excess
from depthjax.lie.signature import log_signature
from depthjax.probe.rounding import spectral_distance


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


def random_sequences(key: Key[Array, ""], batch: int, length: int, letters: int, size: int) -> Sequences:
    """Return sequences with standard normal increments and matrices."""
    flat = jax.random.normal(key, (batch, length * letters + letters * size * size))
    return Sequences(
        flat[:, : length * letters].reshape(batch, length, letters),
        flat[:, length * letters :].reshape(batch, letters, size, size),
    )


@partial(jax.jit, static_argnames="highest")
def tails(sequences: Sequences, highest: int) -> Tail:
    """Return the tails beyond degrees 1 to `highest` - 1 of a batch of sequences.

    Cost for each sequence: one log-signature of order `highest`, and about `highest` matrix exponentials.
    """

    def one(increments: Array, matrices: Array) -> Tail:
        excess, terms = _product(increments, matrices), _terms(increments, matrices, highest)
        sums = jnp.cumsum(terms, axis=0)[:-1]
        missed = logarithm_from_excess(excess)[None] - sums, exponential_excess(sums) - excess[None], terms[1:]
        # one call for the three: see `depthjax.lie.exponential` on several calls of LAPACK at once
        return Tail(*jnp.linalg.norm(jnp.stack(missed), ord=2, axis=(-2, -1)))

    return jax.vmap(one)(*sequences)


@partial(jax.jit, static_argnames=("highest", "rounds"))
def searched(
    key: Key[Array, ""],
    start: Sequences,
    wanted: Float[Array, " batch"],
    order: int | Array,
    highest: int,
    rounds: int,
    mobile: float | Array = 1.0,
) -> Sequences:
    """Return sequences of the wanted masses whose tail beyond degree `order` a random climb has made large.

    Every round perturbs each sequence, by steps that shrink from its own size to a hundredth of it, and keeps the better of the
    two. Steps of the increments are multiplied by `mobile`; 0 keeps the increments (for a BCH pair, one letter each).
    """

    def one(increments: Array, matrices: Array) -> Array:
        kept = jnp.arange(1, highest + 1) <= order
        cut = jnp.tensordot(kept.astype(matrices.dtype), _terms(increments, matrices, highest), axes=1)
        return spectral_distance(logarithm_from_excess(_product(increments, matrices)), cut)

    height = jax.vmap(one)

    def climb(carry: tuple[Sequences, Array], step: tuple[Array, Array]) -> tuple[tuple[Sequences, Array], None]:
        best, reached = carry
        round_key, size = step
        noise = random_sequences(round_key, len(reached), *_sizes(best))
        scale = size * jnp.linalg.norm(best.matrices, ord=2, axis=(-2, -1)).max(axis=-1)
        matrices = best.matrices + scale[:, None, None, None] * noise.matrices
        increments = best.increments + mobile * size * noise.increments
        trial = with_mass(Sequences(increments, matrices), wanted)
        value = height(*trial)
        better = value > reached
        keep = lambda new, old: jnp.where(better.reshape(-1, *[1] * (new.ndim - 1)), new, old)  # noqa: E731
        return (Sequences(*map(keep, trial, best)), jnp.maximum(value, reached)), None

    start = with_mass(start, wanted)
    sizes = jnp.asarray(np.geomspace(1.0, 1e-2, rounds), wanted.dtype)
    (best, _), _ = jax.lax.scan(climb, (start, height(*start)), (jax.random.split(key, rounds), sizes))
    return best


def _sizes(sequences: Sequences) -> tuple[int, int, int]:
    """Length, number of letters, and size of the matrices."""
    _, length, letters = sequences.increments.shape
    return length, letters, sequences.matrices.shape[-1]


def _terms(increments: Array, matrices: Array, highest: int) -> Array:
    """All homogeneous terms of the series, from degree one on."""
    letters = matrices.shape[0]
    brackets = bracket_matrices(matrices, highest)
    coordinates = log_signature(increments, highest)[None]
    one = jnp.ones((1,), matrices.dtype)
    spans = [Span(degree, degree) for degree in range(1, highest + 1)]
    return jnp.stack([graded_element(coordinates[:, s.rows(letters)], brackets, s, one, letters)[0, 0] for s in spans])


def _product(increments: Array, matrices: Array) -> Array:
    return ordered_excess(exponential_excess(jnp.einsum("tl,lij->tij", increments, matrices)))
