r"""Sparse brackets and coadjoint maps of a free nilpotent Lie algebra in Lyndon coordinates.

Elements are arrays of shape (coordinates, columns). The rows are the coordinates of a range of degrees (`Span`); the columns
are independent elements, contiguous in memory. A bracket gathers rows through the structure constants, which are few for each
row (at most 22 for two letters and class 10, 20 for three letters and class 8). Every term is one fused multiply-add over all
rows and columns, because a reduction over a gathered axis is ten times slower on a CPU.

Functionals are arrays of the same shape: row w holds the value on the basis element P_w, and (ad_z)^T maps the functional mu to
mu([z, .]).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from depthjax.lie.lyndon import lyndon_basis, structure_constants


class Span(NamedTuple):
    """A range of degrees, both ends included: the rows of an array hold the coordinates of these degrees."""

    lowest: int
    highest: int

    def rows(self, letters: int) -> slice:
        """Return the positions of these degrees in the whole Lyndon basis."""
        offsets = lyndon_basis(letters, self.highest).offsets
        return slice(int(offsets[self.lowest - 1]), int(offsets[self.highest]))

    def dimension(self, letters: int) -> int:
        """Number of coordinates."""
        rows = self.rows(letters)
        return rows.stop - rows.start


def bracket(
    a: Float[Array, "rows_a columns"],
    span_a: Span,
    b: Float[Array, "rows_b columns"],
    span_b: Span,
    out: Span,
    *,
    letters: int,
) -> Float[Array, "rows_out columns"]:
    """Return the coordinates of [a, b] in the degrees `out`; other degrees are dropped."""
    return _sum_of_products(_bracket_terms(letters, span_a, span_b, out), a, b, never(a))


def coadjoint_step(
    x: Float[Array, "letters columns"], mu: Float[Array, "rows columns"], nilpotency: int, barred: Bool[Array, ""]
) -> tuple[Float[Array, "rows columns"], Float[Array, "letters columns"]]:
    """Return (exp(-ad_x))^T mu, and the pairing of mu with the derivative of exp(x) on the letters, for x of degree one.

    The pairing is the functional y -> mu(((1 - exp(-ad_x)) / ad_x) y). With mu_k = (-ad_x^T)^k mu / k!, which is zero above
    degree nilpotency - k, the two are the sums of mu_k and of mu_k / (k + 1). `barred` is the result of `never`, computed once
    for many steps.
    """
    letters = x.shape[0]
    total, slope, power = mu, mu[:letters], mu
    for k, terms in enumerate(_letter_terms(letters, nilpotency), 1):
        power = _sum_of_products((*terms[:2], terms[2] / -k), x, power, barred)
        slope = slope + power[:letters] / (k + 1)
        total = jnp.concatenate([total[: len(power)] + power, total[len(power) :]])
    return total, slope


def coadjoint_series(
    z: Float[Array, "rows columns"],
    mu: Float[Array, "rows columns"],
    coefficients: Sequence[Fraction],
    *,
    letters: int,
    nilpotency: int,
) -> Float[Array, "rows columns"]:
    """Return sum over k of coefficients[k] * ((ad_z)^T)^k mu, by Horner's rule; `nilpotency` coefficients suffice."""
    table = structure_constants(letters, nilpotency)
    through, source = np.r_[table.left, table.right], np.r_[table.right, table.left]
    target, value = np.r_[table.target, table.target], np.r_[table.value, -table.value]
    order = np.argsort(source, kind="stable")
    through, source, target, value = through[order], source[order], target[order], value[order]
    weighted = jnp.asarray(value, z.dtype)[:, None] * z[through]
    descending = jnp.asarray([float(c) for c in reversed(coefficients)], z.dtype)

    def horner(k: Array, inner: Array) -> Array:
        outer = jax.ops.segment_sum(weighted * inner[target], source, len(mu), indices_are_sorted=True)
        return descending[k] * mu + outer

    return jax.lax.fori_loop(1, len(descending), horner, descending[0] * mu)


def bracket_matrices(matrices: Float[Array, "letters size size"], nilpotency: int) -> Float[Array, "dimension size size"]:
    """Return every Lyndon bracket of the matrices up to degree `nilpotency`, in the order of the basis."""
    basis = lyndon_basis(matrices.shape[0], nilpotency)
    known = matrices
    for degree in range(2, nilpotency + 1):
        left, right = (known[index] for index in basis.factors[basis.block(degree)].T)
        known = jnp.concatenate([known, left @ right - right @ left])
    return known


def graded_element(
    coordinates: Float[Array, "batch rows"],
    brackets: Float[Array, "dimension size size"],
    span: Span,
    scales: Float[Array, " scales"],
    letters: int,
) -> Float[Array, "scales batch size size"]:
    """Return sum over w of scale ** |w| * coordinate_w * P_w, for the words of the degrees `span`."""
    start = span.rows(letters).start
    parts = []
    for degree in range(span.lowest, span.highest + 1):
        rows = Span(degree, degree).rows(letters)
        parts.append(jnp.einsum("bw,wij->bij", coordinates[:, rows.start - start : rows.stop - start], brackets[rows]))
    powers = jnp.stack([scales**degree for degree in range(span.lowest, span.highest + 1)], axis=1)
    return jnp.einsum("sd,dbij->sbij", powers, jnp.stack(parts))


def never(array: Float[Array, "..."]) -> Bool[Array, ""]:
    """Return False for every array, in a way that XLA cannot simplify."""
    return jnp.cos(array.ravel()[0]) > 2 if array.size else jnp.zeros((), bool)


Terms = tuple[np.ndarray, np.ndarray, np.ndarray]


def _sum_of_products(terms: Terms, a: Array, b: Array, barred: Array) -> Array:
    """Sum over k of weight[k] * a[i[k]] * b[j[k]], each row of the result with its own rows of a and b."""
    left, right, value = terms
    shape = (value.shape[1], a.shape[1])
    if len(value) == 0:
        return jnp.zeros(shape, a.dtype)

    def products(a: Array, b: Array) -> Array:
        total = jnp.zeros(shape, a.dtype)
        for i, j, weight in zip(left, right, value, strict=True):
            total = total + jnp.asarray(weight, a.dtype)[:, None] * a[i] * b[j]
        return total

    # A conditional is a fusion barrier: without it XLA recomputes the rows of a and b for every term that gathers them
    # (measured: 50 times slower). The other branch is never taken, since it must not depend on the values of other columns.
    nothing: Callable[[Array, Array], Array] = lambda a, b: jnp.full(shape, jnp.nan, a.dtype)  # noqa: E731
    return jax.lax.cond(barred, nothing, products, a, b)


@cache
def _bracket_terms(letters: int, span_a: Span, span_b: Span, out: Span) -> Terms:
    table = structure_constants(letters, out.highest)
    left, right = np.r_[table.left, table.right], np.r_[table.right, table.left]
    target, value = np.r_[table.target, table.target], np.r_[table.value, -table.value]
    row_a, row_b, row = span_a.rows(letters), span_b.rows(letters), out.rows(letters)
    keep = (row_a.start <= left) & (left < row_a.stop) & (row_b.start <= right) & (right < row_b.stop)
    keep &= (row.start <= target) & (target < row.stop)
    return _padded(
        left[keep] - row_a.start, right[keep] - row_b.start, value[keep], target[keep] - row.start, row.stop - row.start
    )


@cache
def _letter_terms(letters: int, nilpotency: int) -> tuple[Terms, ...]:
    """For k = 1, 2, ...: (ad_x)^T onto the degrees up to nilpotency - k."""
    basis, table = lyndon_basis(letters, nilpotency), structure_constants(letters, nilpotency)
    through, source = np.r_[table.left, table.right], np.r_[table.right, table.left]
    target, value = np.r_[table.target, table.target], np.r_[table.value, -table.value]
    result = []
    for k in range(1, nilpotency):
        rows = int(basis.offsets[nilpotency - k])
        keep = (through < letters) & (source < rows)
        result.append(_padded(through[keep], target[keep], value[keep], source[keep], rows))
    return tuple(result)


def _padded(left: np.ndarray, right: np.ndarray, value: np.ndarray, row: np.ndarray, rows: int) -> Terms:
    """Indices and weights of shape (terms, rows), with as many terms as the longest row has; weight 0 is padding."""
    order = np.argsort(row, kind="stable")
    left, right, value, row = left[order], right[order], value[order], row[order]
    counts = np.bincount(row, minlength=rows)
    slot = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (int(counts.max(initial=0)), rows)
    padded = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape)
    for array, entries in zip(padded, (left, right, value), strict=True):
        array[slot, row] = entries
    return padded
