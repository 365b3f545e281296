r"""Norms of log(e^{x_1} e^{x_2} ...) in the free associative algebra, where the sum over permutations loses nothing.

An element of the free algebra is a sum of words, and its norm is the sum of the absolute values of its coefficients. This norm
is an operator norm: that of multiplication from the left on the space of absolutely summable coefficients. Elements of degree
above a class, and words in which a letter comes twice, span ideals, so both may be dropped.

The coefficient of a word w in log(1 + S) = S - S^2 / 2 + S^3 / 3 - ... is the sum of (-1)^(k-1) / k times the coefficients of
its pieces in S, over all ways to cut w into k pieces. A piece has a coefficient in the product of exponentials if its letters
never fall: one over the factorials of the multiplicities.
"""

import math
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.rounding import rounding_floor

EXHAUSTED = 8  # degree up to which all orders of different letters are listed
_DEVIATIONS = 6.0  # of a mean over samples: passed with probability below 1e-8


class FreeNorms(NamedTuple):
    """Norms of the terms of degree 1, 2, ... of a logarithm.

    Attributes:
        values: The norms.
        floor: What rounding explains.
        sampling: What sampling explains; zero where every word was tried.
    """

    values: Float[np.ndarray, " degrees"]
    floor: Float[np.ndarray, " degrees"]
    sampling: Float[np.ndarray, " degrees"]


def logarithm_coefficients(words: Integer[np.ndarray, "words degree"]) -> Float[np.ndarray, "two words"]:
    """Return the coefficients of words in log(e^{x_0} e^{x_1} ...), and the sums of what cancels in them without signs.

    Cost: degree^3 operations for each word.
    """
    count, degree = words.shape
    pieces = np.zeros((degree + 1, degree + 1, count))
    for start in range(degree):
        weight, run = np.ones(count), np.ones(count)
        pieces[start, start + 1] = 1
        for end in range(start + 1, degree):
            run = np.where(words[:, end] == words[:, end - 1], run + 1, 1)
            weight = weight * (words[:, end] >= words[:, end - 1]) / run
            pieces[start, end + 1] = weight
    ways = np.zeros((degree + 1, count))
    ways[0] = 1
    found = np.zeros((2, count))
    for cuts in range(1, degree + 1):
        ways = np.einsum("iw,ijw->jw", ways, pieces)
        found += np.array([[(-1) ** (cuts - 1)], [1]]) / cuts * ways[-1]
    return found


def different_letters(key: Key[Array, ""], highest: int, tokens: int, samples: int) -> FreeNorms:
    """Return the norms of the terms of as many tokens, different letters of norm 1 / tokens, on words without repetition.

    A word of n different letters has the coefficient of its pattern, an order of n letters. Up to degree `EXHAUSTED` every
    order is tried, above it `samples` random ones.

    Cost: EXHAUSTED! and samples coefficients.
    """
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    found = []
    for degree in range(1, highest + 1):
        share = math.exp(sum(math.log1p(-i / tokens) for i in range(degree)))
        if degree <= EXHAUSTED:
            mean, size, error = _all_orders(degree)
        else:
            orders = draw.permuted(np.tile(np.arange(degree), (samples, 1)), axis=1)
            coefficients, sizes = logarithm_coefficients(orders)
            mean, size = np.abs(coefficients).mean(), sizes.mean()
            error = _DEVIATIONS * np.abs(coefficients).std(ddof=1) / samples**0.5
        found.append((share * mean, rounding_floor(degree**3, np.dtype(float), share * size), share * error))
    return FreeNorms(*np.array(found).T)


@lru_cache
def _all_orders(degree: int) -> tuple[float, float, float]:
    """Mean size of a coefficient over all orders of different letters, that of what cancels, and no sampling error."""
    coefficients, sizes = logarithm_coefficients(np.array(list(permutations(range(degree)))))
    return float(np.abs(coefficients).mean()), float(sizes.mean()), 0.0


@lru_cache
def pair_coefficients(degree: int) -> tuple[Integer[np.ndarray, " words"], Float[np.ndarray, "two words"]]:
    """Return the number of letters Y in every word of X and Y, and `logarithm_coefficients` of log(e^X e^Y) at it."""
    words = np.array(list(product((0, 1), repeat=degree)))
    return words.sum(axis=1), logarithm_coefficients(words)


def pair_norms(highest: int, x: float, y: float) -> FreeNorms:
    """Return the norms of the terms of log(e^X e^Y) for letters X and Y of norms x and y.

    Cost: 2^highest coefficients.
    """
    found = []
    for degree in range(1, highest + 1):
        count, coefficients = pair_coefficients(degree)
        value, size = np.abs(coefficients) @ (x ** (degree - count) * y**count)
        found.append((value, rounding_floor(degree**3, np.dtype(float), size), 0.0))
    return FreeNorms(*np.array(found).T)
