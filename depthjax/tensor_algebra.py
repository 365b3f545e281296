r"""The truncated tensor algebra T = sum of V^(x)m for m <= order, with the batch innermost.

An element without its constant term is a tuple of `order` levels; level m holds the coefficients of the words of m
letters, flattened in lexicographic order, one column per independent element: shape (channels ** m, columns). Columns
are contiguous, so that every product below is one vectorised loop.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.lyndon import word_indices

Levels = tuple[Float[Array, "words columns"], ...]


def outer(a: Float[Array, "words columns"], b: Float[Array, "others columns"]) -> Float[Array, "products columns"]:
    """Return the concatenation product of two homogeneous elements, words of `a` before words of `b`."""
    return (a[:, None, :] * b[None, :, :]).reshape(-1, a.shape[-1])


def exponential(x: Float[Array, "channels columns"], order: int) -> Levels:
    """Return exp(x) - 1: level m is x^(x)m / m!."""
    levels = [x]
    for degree in range(2, order + 1):
        levels.append(outer(levels[-1], x / degree))
    return tuple(levels)


def times_exponential(levels: Levels, x: Float[Array, "channels columns"]) -> Levels:
    """Return (1 + S) exp(x) - 1 for S = `levels`.

    Horner's rule: level m is S_m + (S_{m-1} + (... (S_1 + x / m) x / (m - 1) ...) x / 2) x.

    Cost: about 2 * channels ** order multiply-adds a column.
    """
    order = len(levels)
    fractions = [x / degree for degree in range(1, order + 1)]
    result = []
    for degree in range(order, 0, -1):
        part = fractions[degree - 1]
        for below in range(1, degree):
            part = outer(levels[below - 1] + part, fractions[degree - below - 1])
        result.append(levels[degree - 1] + part)
    return tuple(reversed(result))


def multiply(a: Levels, b: Levels) -> Levels:
    """Return (1 + a)(1 + b) - 1."""
    order = len(a)
    result = []
    for degree in range(1, order + 1):
        total = a[degree - 1] + b[degree - 1]
        for cut in range(1, degree):
            total = total + outer(a[cut - 1], b[degree - cut - 1])
        result.append(total)
    return tuple(result)


def log_at_lyndon_words(levels: Levels, channels: int) -> Levels:
    """Return the coefficients of log(1 + S) at the Lyndon words, level by level: they determine it if it is a Lie element.

    Horner's rule log(1 + S) = S (1 - S (1/2 - S (1/3 - ...))); inside it the levels that can still reach `order` are
    kept, and the last product is evaluated at the Lyndon words alone.
    """
    order = len(levels)
    inner: dict[int, Array] = {}  # 1/r - S (1/(r+1) - ...), without its constant term 1/r
    for power in range(order, 1, -1):
        constant = 1 / power
        # after this step power - 1 more factors S follow, each of degree at least one
        highest = order - power + 1
        product = {}
        for degree in range(1, highest + 1):
            total = levels[degree - 1] * constant
            for cut in range(1, degree):
                if degree - cut in inner:
                    total = total + outer(levels[cut - 1], inner[degree - cut])
            product[degree] = -total
        inner = product
    result = [levels[0]]
    for degree in range(2, order + 1):
        words = word_indices(channels, degree)
        total = levels[degree - 1][words]
        for cut in range(1, degree):
            head, tail = words // channels ** (degree - cut), words % channels ** (degree - cut)
            total = total + levels[cut - 1][head] * inner[degree - cut][tail]
        result.append(total)
    return tuple(jnp.asarray(level) for level in result)
