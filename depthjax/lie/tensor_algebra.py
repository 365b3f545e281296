r"""The truncated tensor algebra, with an axis for each letter and independent elements in lanes.

A group-like element 1 + S is stored as the tuple of the levels of S. Level m has shape (blocks, channels, ..., channels,
lanes), with m axes of letters; every block and lane holds an independent element. The top level has only the words that do
not begin with the last letter or end with the first one: every Lyndon word of two or more letters is among them. No product
involves the top level, and the logarithm, a Lie element, is determined by its coefficients at Lyndon words. So products stay
in this form.

XLA turns each level of a product into one nest of loops, an axis for each. The lanes are innermost and few, so LLVM keeps the
partial sums of Horner's rule for a prefix of the word in vector registers while the next letters run. Level m then costs
channels + ... + channels ** m multiply-adds for each lane. With all letters in one axis it would cost m for each word: the
whole log-signature took 1.3 to 1.8 times as long (measured). `order` is at least 2 throughout.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.lie.lyndon import brackets_from_words, word_indices

LANES = 16  # independent elements that run side by side: enough to fill vector registers, few enough to stay in them
_DENSE = 1024  # integer matrices up to this size are applied as dense ones

Levels = tuple[Float[Array, "blocks ... lanes"], ...]


def exponential(x: Float[Array, "blocks channels lanes"], order: int) -> Levels:
    """Return exp(x): level m is the m-th tensor power of x over m!."""
    levels = [x]
    for degree in range(2, order):
        levels.append(_outer(levels[-1], x * (1 / degree)))
    return (*levels, _outer(_head(levels[-1]), _tail(x * (1 / order))))


def times_exponential(levels: Levels, x: Float[Array, "blocks channels lanes"]) -> Levels:
    """Return (1 + S) exp(x).

    By Horner's rule level m becomes S_m + (S_{m-1} + (... (S_1 + x / m) x / (m - 1) ...) x / 2) x.
    """
    order = len(levels)
    heads, head, tail = [_head(level) for level in levels[:-1]], _head(x), _tail(x)
    result = [levels[0] + x]
    for degree in range(2, order + 1):
        lower, first, last = (levels, x, x) if degree < order else (heads, head, tail)
        part = lower[0] + first * (1 / degree)
        for below in range(1, degree - 1):
            part = lower[below] + _outer(part, x * (1 / (degree - below)))
        result.append(levels[degree - 1] + _outer(part, last))
    return tuple(result)


def multiply(a: Levels, b: Levels) -> Levels:
    """Return (1 + a)(1 + b)."""
    order = len(a)
    sums = [first + second for first, second in zip(a, b, strict=True)]
    below = [_plus_products(sums[degree - 1], a, b, degree) for degree in range(1, order)]
    return (*below, _plus_products(sums[-1], *_ends(a[:-1], b[:-1]), order))


def log_brackets(levels: Levels) -> Float[Array, "dim columns"]:
    """Return log(1 + S) on the Lyndon brackets, ordered by degree, then word; the columns are the lanes of all blocks.

    Horner's rule is log(1 + S) = S (1 - S (1/2 - S (1/3 - ...))). The series in brackets is needed below the top level only,
    and the last product at the Lyndon words only. An integer matrix for each degree converts these coefficients to those of the
    brackets.
    """
    order, channels = len(levels), levels[0].shape[1]
    below = levels[:-1]
    constants = jnp.asarray([1 / k for k in range(order, 1, -1)], levels[0].dtype)

    def horner(k: Array, inner: Levels) -> Levels:
        return tuple(-_plus_products(below[d - 1] * constants[k], below, inner, d) for d in range(1, order))

    inner = jax.lax.fori_loop(0, order - 1, horner, jax.tree.map(jnp.zeros_like, below))
    heads, tails = _ends(below, inner)
    parts = [collect(levels[0])]
    for degree in range(2, order + 1):
        total = levels[-1] if degree == order else _tail(_head(levels[degree - 1]))
        total = _plus_products(total, heads, tails, degree)
        # the number of a Lyndon word among those that do not begin with the last letter or end with the first one
        first, last = np.divmod(word_indices(channels, degree), channels)
        rows = total.reshape(len(total), -1, total.shape[-1])[:, first * (channels - 1) + last - 1]
        parts.append(_brackets(collect(rows), channels, degree))
    return jnp.concatenate(parts)


def deal(columns: Float[Array, "*shape columns"]) -> Float[Array, "blocks *shape lanes"]:
    """Deal independent columns out to blocks of equally many lanes, at most LANES; the last lanes may be zeros."""
    *shape, count = columns.shape
    number = -(-count // LANES)
    padded = jnp.pad(columns, [(0, 0)] * len(shape) + [(0, -count % number)])
    return jnp.moveaxis(padded.reshape(*shape, number, -1), -2, 0)


def collect(blocks: Float[Array, "blocks *shape lanes"]) -> Float[Array, "*shape columns"]:
    """Put the lanes of all blocks side by side, in the order in which `deal` dealt them out."""
    return jnp.moveaxis(blocks, 0, -2).reshape(*blocks.shape[1:-1], -1)


def _brackets(words: Array, channels: int, degree: int) -> Array:
    """Coefficients at the Lyndon words to coefficients of the brackets."""
    matrix = brackets_from_words(channels, degree)
    if len(words) <= _DENSE:
        return jnp.asarray(matrix.toarray(), words.dtype) @ words
    rows = np.repeat(np.arange(len(words)), np.diff(matrix.indptr))
    terms = jnp.asarray(matrix.data, words.dtype)[:, None] * words[matrix.indices]
    return jax.ops.segment_sum(terms, rows, len(words), indices_are_sorted=True)


def _plus_products(total: Array, a: Levels, b: Levels, degree: int) -> Array:
    """Add the products of levels below `degree` that have this degree."""
    for cut in range(1, degree):
        total = total + _outer(a[cut - 1], b[degree - cut - 1])
    return total


def _outer(a: Array, b: Array) -> Array:
    """Concatenation product of two homogeneous elements: words of `a` before words of `b`."""
    blocks, *front, lanes = a.shape
    back = b.shape[1:-1]
    return a.reshape(blocks, *front, *[1] * len(back), lanes) * b.reshape(blocks, *[1] * len(front), *back, lanes)


def _ends(a: Levels, b: Levels) -> tuple[Levels, Levels]:
    """The factors of the words that do not begin with the last letter or end with the first one."""
    return tuple(map(_head, a)), tuple(map(_tail, b))


def _head(level: Array) -> Array:
    return level[:, :-1]


def _tail(level: Array) -> Array:
    return level[..., 1:, :]
