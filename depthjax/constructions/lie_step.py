r"""What one layer of the Lie tower adds: F(a, b) = log(e^a e^b e^{-(a + b)}) in Lyndon coordinates.

Elements of the free nilpotent Lie algebra are arrays of shape (coordinates, columns): the rows are the coordinates of a
range of degrees (`Span`), and the columns are independent elements, contiguous in memory. A bracket gathers rows
through the sparse structure constants, a few per row: `terms` of them, padded, and every term is one fused multiply-add
over all rows and columns.

**Both arguments of degree one** (the first layer). Put e^{Z(s)} = e^{su} e^{sx} e^{-s(u+x)}; the part of Z of degree m
is a multiple of s^m. Differentiate in s and write phi(z) = z / (e^z - 1), so that Z' = phi(ad Z)(h' h^{-1}) for h =
e^Z:

    Z' = phi(ad Z)(u + e^{s ad u} x) - phi(-ad Z)(u + x)
       = -(1/2) [Z, 2 (u + x) + y] + (y + sum_{p >= 1} B_{2p} / (2p)! (ad Z)^{2p} y),     y = e^{s ad u} x - x,

because the odd part of phi is -z/2. Degree m on the right needs Z below degree m only: a recursion in the degree. Z and
y start at degree 2, so that (ad Z)^{2p} y starts at degree 4p + 2.

**Arguments of degree at least `lowest` > 1** (the layers above). F is a Lie series in two letters; a bracket of
`weight` letters has degree at least weight * lowest, so that the Lyndon words of at most klass // lowest letters
suffice. Their coefficients are exact fractions; their brackets are evaluated along the standard factorisations, words
of the same split at once.

Source: derived here; the series of z / (e^z - 1) as in Hausdorff's proof of the BCH formula (Bonfiglioli and Fulci,
Topics in Noncommutative Algebra, 2012, chapter 4).
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.lyndon import brackets_from_words, lyndon_basis, lyndon_words, structure_constants, word_indices


class Span(NamedTuple):
    """The degrees, both included, whose coordinates the rows of an array hold."""

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
    """Return the coordinates of [a, b] in the degrees `out`; degrees beyond it are dropped.

    Cost: `terms` multiply-adds per row and column, `terms` the largest number of products in a row (at most 22 for two
    letters and class 10, 20 for three letters and class 8).
    """
    left, right, value = _bracket_terms(letters, span_a, span_b, out)
    shape = (value.shape[1], a.shape[1])

    def sparse_products(a: Array, b: Array) -> Array:
        total = jnp.zeros(shape, a.dtype)
        # one gather per term, all in one fused loop; a reduction over a gathered axis is ten times slower on a CPU
        for i, j, weight in zip(left, right, value, strict=True):
            total = total + jnp.asarray(weight, a.dtype)[:, None] * a[i] * b[j]
        return total

    # A conditional is a fusion barrier: without it XLA computes the rows of a and b anew for every term that gathers
    # them (measured: 50 times slower). The untaken branch gives what a NaN in `a` would spread to.
    return jax.lax.cond(jnp.isnan(a[0, 0]), lambda a, b: jnp.full(shape, jnp.nan, a.dtype), sparse_products, a, b)


def first_increment(
    u: Float[Array, "letters columns"], x: Float[Array, "letters columns"], klass: int
) -> Float[Array, "coordinates columns"]:
    """Return log(e^u e^x e^{-(u + x)}), degrees 2 to `klass`, for u and x of degree one."""
    letters = u.shape[0]
    linear = Span(1, 1)
    powers = []  # y by degree: (ad u)^j x / j! has degree j + 1
    term = x
    for degree in range(2, klass + 1):
        term = bracket(u / (degree - 1), linear, term, Span(degree - 1, degree - 1), Span(degree, degree), letters=letters)
        powers.append(term)
    drift = u + x
    result: list[Array] = []
    nested: dict[int, list[Array]] = {0: powers}  # (ad Z)^r y by degree, starting at degree 2 r + 2
    for degree in range(2, klass + 1):
        here = Span(degree, degree)
        change = powers[degree - 2]
        if degree > 2:
            change = change - bracket(result[-1], Span(degree - 1, degree - 1), drift, linear, here, letters=letters)
        for depth in range(1, (degree - 2) // 2 + 1):
            z, w = Span(2, degree - 2 * depth), Span(2 * depth, degree - 2)
            value = bracket(
                jnp.concatenate(result[: z.highest - 1]),
                z,
                jnp.concatenate(nested[depth - 1][: w.highest - w.lowest + 1]),
                w,
                here,
                letters=letters,
            )
            nested.setdefault(depth, []).append(value)
            weight = Fraction(-1, 2) if depth == 1 else bernoulli(depth) / factorial(depth)
            if weight:
                change = change + float(weight) * value
        result.append(change / degree)
    return jnp.concatenate(result)


def deeper_increment(
    a: Float[Array, "rows columns"], b: Float[Array, "rows columns"], span: Span, out: Span, *, letters: int
) -> Float[Array, "coordinates columns"]:
    """Return log(e^a e^b e^{-(a + b)}) in the degrees `out`, for a and b in the degrees `span`."""
    klass, lowest = span.highest, span.lowest
    columns = a.shape[1]
    known: dict[tuple[int, ...], Array] = {(0,): a, (1,): b}
    total = jnp.zeros((out.dimension(letters), columns), a.dtype)
    for weight in range(2, klass // lowest + 1):
        words, coefficients = lyndon_words(2, weight), defect_series(weight)
        target = Span(weight * lowest, klass)
        factors = [_standard_factors(word) for word in words]
        for size in range(1, weight):
            group = [w for w in range(len(words)) if len(factors[w][0]) == size]
            if not group:
                continue
            left, right = (
                Span(size * lowest, klass - (weight - size) * lowest),
                Span((weight - size) * lowest, klass - size * lowest),
            )
            value = bracket(
                jnp.concatenate([known[factors[w][0]][: left.dimension(letters)] for w in group], axis=1),
                left,
                jnp.concatenate([known[factors[w][1]][: right.dimension(letters)] for w in group], axis=1),
                right,
                target,
                letters=letters,
            )
            for slot, w in enumerate(group):
                known[words[w]] = value[:, slot * columns : (slot + 1) * columns]
        # degrees below `out` vanish: they lie outside the next derived ideal
        start = max(out.lowest, target.lowest)
        part = sum(
            float(c) * known[w][Span(target.lowest, klass).dimension(letters) - Span(start, klass).dimension(letters) :]
            for w, c in zip(words, coefficients, strict=True)
            if c
        )
        if not isinstance(part, int):
            total = total.at[total.shape[0] - Span(start, klass).dimension(letters) :].add(part)
    return total


@cache
def defect_series(weight: int) -> tuple[Fraction, ...]:
    """Return the coefficients of log(e^X e^Y e^{-(X + Y)}) on the Lyndon brackets of this weight, exact."""
    words = [_homogeneous_part(weight, word) for word in range(2**weight)]
    lyndon = [words[i] for i in word_indices(2, weight)]
    return tuple(
        sum((int(m) * c for m, c in zip(row, lyndon, strict=True)), Fraction(0)) for row in brackets_from_words(2, weight)
    )


@cache
def bernoulli(n: int) -> Fraction:
    """Return the Bernoulli number B_n (B_1 = -1/2)."""
    if n == 0:
        return Fraction(1)
    binomials = [Fraction(factorial(n + 1), factorial(k) * factorial(n + 1 - k)) for k in range(n)]
    return -sum((c * bernoulli(k) for k, c in enumerate(binomials)), Fraction(0)) / (n + 1)


def _homogeneous_part(weight: int, word: int) -> Fraction:
    """Coefficient of a word (binary digits, first letter first) in log(e^X e^Y e^{-(X + Y)})."""
    return _log_defect(weight)[word]


@cache
def _log_defect(weight: int) -> tuple[Fraction, ...]:
    # the defect minus one starts at weight 2, so that powers up to weight // 2 contribute
    total = [Fraction(0)] * 2**weight
    for power in range(1, weight // 2 + 1):
        for word, value in enumerate(_defect_power(weight, power)):
            total[word] += Fraction((-1) ** (power + 1), power) * value
    return tuple(total)


@cache
def _defect_power(weight: int, power: int) -> tuple[Fraction, ...]:
    """Coefficients of (e^X e^Y e^{-(X + Y)} - 1)^power at the words of this weight."""
    if power == 1:
        return tuple(_defect(weight, word) for word in product((0, 1), repeat=weight))
    total = [Fraction(0)] * 2**weight
    for cut in range(2, weight - 2 * (power - 1) + 1):
        first, rest = _defect_power(cut, 1), _defect_power(weight - cut, power - 1)
        for word in range(2**weight):
            total[word] += first[word >> (weight - cut)] * rest[word & (2 ** (weight - cut) - 1)]
    return tuple(total)


def _defect(weight: int, word: tuple[int, ...]) -> Fraction:
    """Coefficient of a word in e^X e^Y e^{-(X + Y)} - 1: every prefix of the form X^i Y^j takes part."""
    total = Fraction(0)
    for cut in range(weight + 1):
        head = word[:cut]
        if list(head) == sorted(head):
            xs = head.count(0)
            rest = weight - cut
            total += Fraction((-1) ** rest, factorial(xs) * factorial(cut - xs) * factorial(rest))
    return total


@cache
def _standard_factors(word: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    basis = lyndon_basis(2, len(word))
    u, v = basis.factors[basis.words.index(word)]
    return basis.words[u], basis.words[v]


@cache
def _bracket_terms(letters: int, span_a: Span, span_b: Span, out: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a, rows of b and weights, each of shape (terms, rows of the result), padded with weight 0."""
    table = structure_constants(letters, out.highest)
    left, right = np.r_[table.left, table.right], np.r_[table.right, table.left]
    target, value = np.r_[table.target, table.target], np.r_[table.value, -table.value]
    row_a, row_b, row = span_a.rows(letters), span_b.rows(letters), out.rows(letters)
    keep = (row_a.start <= left) & (left < row_a.stop) & (row_b.start <= right) & (right < row_b.stop)
    keep &= (row.start <= target) & (target < row.stop)
    left, right, target, value = left[keep] - row_a.start, right[keep] - row_b.start, target[keep] - row.start, value[keep]
    order = np.argsort(target, kind="stable")
    left, right, target, value = left[order], right[order], target[order], value[order]
    counts = np.bincount(target, minlength=row.stop - row.start)
    slot = np.arange(len(target)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (int(counts.max(initial=0)), len(counts))
    indices_a, indices_b, weights = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape)
    indices_a[slot, target], indices_b[slot, target], weights[slot, target] = left, right, value
    return indices_a, indices_b, weights
