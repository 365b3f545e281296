r"""The increment of one layer of the Lie tower: F(a, b) = log(e^a e^b e^{-(a + b)}) in Lyndon coordinates.

Elements are arrays of shape (coordinates, columns), as in `depthjax.lie.brackets`.

**Both arguments of degree one** (the first layer). Put e^{Z(s)} = e^{su} e^{sx} e^{-s(u+x)}; the part of Z of degree m
is a multiple of s^m. Differentiate in s and write phi(z) = z / (e^z - 1), so that Z' = phi(ad Z)(h' h^{-1}) for h =
e^Z:

    Z' = phi(ad Z)(u + e^{s ad u} x) - phi(-ad Z)(u + x)
       = -(1/2) [Z, 2 (u + x) + y] + (y + sum_{p >= 1} B_{2p} / (2p)! (ad Z)^{2p} y),     y = e^{s ad u} x - x,

because the odd part of phi is -z/2. Degree m on the right needs Z only below degree m: a recursion in the degree. Z and
y start at degree 2, so that (ad Z)^{2p} y starts at degree 4p + 2.

**Arguments of degree at least `lowest` > 1** (the layers above). F is a Lie series in two letters; a bracket of
`weight` letters has degree at least weight * lowest, so that the Lyndon words of at most nilpotency // lowest letters
suffice. Their coefficients are exact fractions; their brackets are evaluated along the standard factorisations, words
of the same split at once.

Source: derived here; the series of z / (e^z - 1) as in Hausdorff's proof of the BCH formula (Bonfiglioli and Fulci,
Topics in Noncommutative Algebra, 2012, chapter 4).
"""

from fractions import Fraction
from functools import cache
from math import factorial

import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.lie.brackets import Span, bracket
from depthjax.lie.lyndon import lyndon_basis, lyndon_words
from depthjax.lie.series import bernoulli, defect_series


def first_increment(
    u: Float[Array, "letters columns"], x: Float[Array, "letters columns"], nilpotency: int
) -> Float[Array, "coordinates columns"]:
    """Return log(e^u e^x e^{-(u + x)}), degrees 2 to `nilpotency`, for u and x of degree one."""
    letters = u.shape[0]
    linear = Span(1, 1)
    powers = []  # y by degree: (ad u)^j x / j! has degree j + 1
    term = x
    for degree in range(2, nilpotency + 1):
        term = bracket(u / (degree - 1), linear, term, Span(degree - 1, degree - 1), Span(degree, degree), letters=letters)
        powers.append(term)
    drift = u + x
    result: list[Array] = []
    nested: dict[int, list[Array]] = {0: powers}  # (ad Z)^r y by degree, starting at degree 2 r + 2
    for degree in range(2, nilpotency + 1):
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
    nilpotency, lowest = span.highest, span.lowest
    columns = a.shape[1]
    known: dict[tuple[int, ...], Array] = {(0,): a, (1,): b}
    total = jnp.zeros((out.dimension(letters), columns), a.dtype)
    for weight in range(2, nilpotency // lowest + 1):
        words, coefficients = lyndon_words(2, weight), defect_series(weight)
        target = Span(weight * lowest, nilpotency)
        factors = [_standard_factors(word) for word in words]
        for size in range(1, weight):
            group = [w for w in range(len(words)) if len(factors[w][0]) == size]
            if not group:
                continue
            left, right = (
                Span(size * lowest, nilpotency - (weight - size) * lowest),
                Span((weight - size) * lowest, nilpotency - size * lowest),
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
            float(c) * known[w][target.dimension(letters) - Span(start, nilpotency).dimension(letters) :]
            for w, c in zip(words, coefficients, strict=True)
            if c
        )
        if not isinstance(part, int):
            total = total.at[total.shape[0] - Span(start, nilpotency).dimension(letters) :].add(part)
    return total


@cache
def _standard_factors(word: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    basis = lyndon_basis(2, len(word))
    u, v = basis.factors[basis.words.index(word)]
    return basis.words[u], basis.words[v]
