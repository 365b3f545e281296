r"""The product of random group elements, predicted from its letters without their order.

Let x_1, ..., x_n be independent and y = rho(x_n ... x_1) v for an irreducible orthogonal representation of dimension d and a
unit vector v. Given the multiset of the letters, all orders are equally likely. So the best prediction of y is its mean over
orders, and the mean square error per coordinate is (1 - E <y, y'>) / d, where y' has the same letters in an independent random
order.

For uniform letters of the whole group, E <y, y'> is the value of a surface: gluing the letters of a word to those of its
rearrangement gives a closed surface of genus g, and the mean of rho is d^{-2g} (Frobenius). If the breakpoint graph of the
permutation has k cycles, then 2g = n + 1 - k. The number of permutations with k cycles is a Hultman number.

Source: Doignon and Labarre, On Hultman numbers, Journal of Integer Sequences 10 (2007).
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import numpy as np

from theory.checks import integer

__all__ = ["hultman", "mean_overlap", "overlaps"]


def hultman(letters: int, cycles: int) -> int:
    """Number of permutations of some letters whose breakpoint graph has a given number of cycles.

    >>> [hultman(3, k) for k in range(5)]
    [0, 0, 5, 0, 1]
    >>> sum(hultman(6, k) for k in range(8))
    720
    """
    letters, cycles = integer("letters", letters, "a number of letters"), integer("cycles", cycles, "a number of cycles")
    if (letters - cycles) % 2 == 0 or cycles < 1:
        return 0
    return _stirling(letters + 2, cycles) // comb(letters + 2, 2)


def mean_overlap(letters: int, dimension: int) -> Fraction:
    """E <y, y'> for uniform letters of the whole group, exactly.

    >>> [mean_overlap(n, 3) for n in (0, 1, 2, 3)]
    [Fraction(1, 1), Fraction(1, 1), Fraction(5, 9), Fraction(7, 27)]
    """
    letters = integer("letters", letters, "the length of a word", least=0)
    dimension = integer("dimension", dimension, "of the representation", least=1)
    terms = (Fraction(hultman(letters, k), dimension ** (letters + 1 - k)) for k in range(1, letters + 2))
    return sum(terms, Fraction(0)) / factorial(letters)


def overlaps(matrices: np.ndarray, start: np.ndarray, longest: int) -> np.ndarray:
    """E <y, y'> for words of 0, ..., `longest` uniform letters from any alphabet of matrices, in floating point.

    The mean over the orders of a multiset is a mean over its last letter: m(a) = sum_x a_x / n M_x m(a - e_x). One vector is
    kept for each multiset; there are comb(longest + letters, letters) of them.

    Args:
        matrices: The matrix of each letter, shape ``(letters, n, n)``.
        start: The vector v, shape ``(n,)``.
        longest: Length of the longest words.

    Returns:
        Shape ``(longest + 1,)``.
    """
    letters = len(matrices)
    means = {(0,) * letters: np.asarray(start, float)}
    found = [float(start @ start)]
    for count in range(1, longest + 1):
        fresh = {}
        for held in _multisets(letters, count):
            parts = (a * matrices[x] @ means[_less(held, x)] for x, a in enumerate(held) if a)
            fresh[held] = sum(parts, np.zeros(len(start))) / count
        means = fresh
        found.append(sum(_orders(held) * float(mean @ mean) for held, mean in means.items()) / letters**count)
    return np.array(found)


def _multisets(letters: int, count: int):
    for bars in itertools.combinations(range(count + letters - 1), letters - 1):
        edges = (-1, *bars, count + letters - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(edges))


def _less(held: tuple[int, ...], letter: int) -> tuple[int, ...]:
    return (*held[:letter], held[letter] - 1, *held[letter + 1 :])


def _orders(held: tuple[int, ...]) -> int:
    """Number of words with these letters."""
    orders, total = 1, 0
    for a in held:
        total += a
        orders *= comb(total, a)
    return orders


@lru_cache(maxsize=4096)
def _stirling(n: int, k: int) -> int:
    """Number of permutations of n points with k cycles."""
    if n == 0 or k == 0:
        return int(n == k)
    return _stirling(n - 1, k - 1) + (n - 1) * _stirling(n - 1, k)
