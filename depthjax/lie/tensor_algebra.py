r"""The truncated tensor algebra, with columns contiguous and only the Lyndon words at the top.

A group-like element 1 + S is stored as the tuple of the levels of S, arrays of shape (words, columns) with one column for each
independent element. Level m < order holds the coefficients of all words of m letters in lexicographic order, the top level only
those of the Lyndon words. No product involves the top level, and the logarithm, a Lie element, is determined by its
coefficients at Lyndon words. So products stay in this form, and the top level, the largest part of the work, costs less by a
factor `order`.

Every product is one vectorised loop over columns. `order` is at least 2 throughout.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.lie.lyndon import brackets_from_words, word_indices

_DENSE = 1024  # integer matrices up to this size are applied as dense ones

Levels = tuple[Float[Array, "_ columns"], ...]


def exponential(x: Float[Array, "channels columns"], order: int) -> Levels:
    """Return exp(x): level m is the m-th tensor power of x over m!."""
    levels = [x]
    for degree in range(2, order):
        levels.append(_outer(levels[-1], x * (1 / degree)))
    heads, tails = _split(x.shape[0], order, order - 1)
    return (*levels, levels[-1][heads] * (x * (1 / order))[tails])


def times_exponential(levels: Levels, x: Float[Array, "channels columns"]) -> Levels:
    """Return (1 + S) exp(x).

    By Horner's rule level m becomes S_m + (S_{m-1} + (... (S_1 + x / m) x / (m - 1) ...) x / 2) x. XLA fuses each level into
    one loop, with about m multiply-adds for each entry.
    """
    order = len(levels)
    fractions = [x * (1 / k) for k in range(1, order + 1)]
    result = []
    for degree in range(1, order + 1):
        part = fractions[degree - 1]
        for below in range(1, degree - 1):
            part = _outer(levels[below - 1] + part, fractions[degree - below - 1])
        if degree == order:
            heads, tails = _split(x.shape[0], order, order - 1)
            part = (levels[-2] + part)[heads] * x[tails]
        elif degree > 1:
            part = _outer(levels[degree - 2] + part, x)
        result.append(levels[degree - 1] + part)
    return tuple(result)


def multiply(a: Levels, b: Levels) -> Levels:
    """Return (1 + a)(1 + b)."""
    order, channels = len(a), a[0].shape[0]
    result = []
    for degree in range(1, order):
        total = a[degree - 1] + b[degree - 1]
        for cut in range(1, degree):
            total = total + _outer(a[cut - 1], b[degree - cut - 1])
        result.append(total)
    top = a[-1] + b[-1]
    for cut in range(1, order):
        heads, tails = _split(channels, order, cut)
        top = top + a[cut - 1][heads] * b[order - cut - 1][tails]
    return (*result, top)


def log_brackets(levels: Levels) -> Float[Array, "dim columns"]:
    """Return log(1 + S) on the Lyndon brackets, ordered by degree, then word.

    Horner's rule is log(1 + S) = S (1 - S (1/2 - S (1/3 - ...))). The series in brackets is needed below the top level only,
    and the last product at the Lyndon words only. An integer matrix for each degree converts these coefficients to those of the
    brackets.
    """
    order, channels = len(levels), levels[0].shape[0]
    below = levels[:-1]
    constants = jnp.asarray([1 / k for k in range(order, 1, -1)], levels[0].dtype)

    def horner(k: Array, inner: Levels) -> Levels:
        result = []
        for degree in range(1, order):
            total = below[degree - 1] * constants[k]
            for cut in range(1, degree):
                total = total + _outer(below[cut - 1], inner[degree - cut - 1])
            result.append(-total)
        return tuple(result)

    inner = jax.lax.fori_loop(0, order - 1, horner, jax.tree.map(jnp.zeros_like, below))
    parts = [levels[0]]
    for degree in range(2, order + 1):
        total = levels[-1] if degree == order else levels[degree - 1][word_indices(channels, degree)]
        for cut in range(1, degree):
            heads, tails = _split(channels, degree, cut)
            total = total + levels[cut - 1][heads] * inner[degree - cut - 1][tails]
        parts.append(_brackets(total, channels, degree))
    return jnp.concatenate(parts)


def _brackets(words: Array, channels: int, degree: int) -> Array:
    """Coefficients at the Lyndon words to coefficients of the brackets."""
    matrix = brackets_from_words(channels, degree)
    if len(words) <= _DENSE:
        return jnp.asarray(matrix.toarray(), words.dtype) @ words
    rows = np.repeat(np.arange(len(words)), np.diff(matrix.indptr))
    terms = jnp.asarray(matrix.data, words.dtype)[:, None] * words[matrix.indices]
    return jax.ops.segment_sum(terms, rows, len(words), indices_are_sorted=True)


def _outer(a: Array, b: Array) -> Array:
    """Concatenation product of two homogeneous elements: words of `a` before words of `b`."""
    return (a[:, None, :] * b[None, :, :]).reshape(-1, a.shape[-1])


def _split(channels: int, degree: int, cut: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the first `cut` letters and of the rest of every Lyndon word of this degree."""
    words = word_indices(channels, degree)
    return words // channels ** (degree - cut), words % channels ** (degree - cut)
