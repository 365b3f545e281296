"""The series log(exp X exp Y) word by word, up to degree 18: brackets of the Lyndon basis against factorings of each word.

The series is worked out from some of the coefficients of its words; here are others, drawn at random.
"""

import itertools
from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np
import pytest

from theory.lie import bch

ORDER = 18


@pytest.fixture(scope="module")
def terms():
    return bch(ORDER).terms


@cache
def in_bracket(lyndon, word):
    """The coefficient of a word in the bracket of a Lyndon word, whose right part is its smallest proper suffix."""
    if len(lyndon) == 1:
        return int(lyndon == word)
    if sum(lyndon) != sum(word):
        return 0
    cut = min(range(1, len(lyndon)), key=lambda i: lyndon[i:])
    left, right = lyndon[:cut], lyndon[cut:]
    result = 0
    for sign, first, second in ((1, left, right), (-1, right, left)):
        if found := in_bracket(first, word[: len(first)]):
            result += sign * found * in_bracket(second, word[len(first) :])
    return result


def in_series(terms, word):
    """The coefficient of a word in a series of Lyndon brackets; a bracket is made of words of its letters."""
    return sum(
        (c * in_bracket(lyndon, word) for lyndon, c in terms.items() if len(lyndon) == len(word) and sum(lyndon) == sum(word)),
        Fraction(0),
    )


def in_logarithm(word):
    """Of log(exp X exp Y) = sum_k (-1)^(k-1)/k (exp X exp Y - 1)^k: k factors X^a Y^b / (a! b!), none of them empty."""
    size = len(word)
    weight = {}
    for i, j in itertools.combinations(range(size + 1), 2):
        ones = sum(word[i:j])
        if word[i:j] == (0,) * (j - i - ones) + (1,) * ones:
            weight[i, j] = Fraction(1, factorial(j - i - ones) * factorial(ones))
    total, ways = Fraction(0), {0: Fraction(1)}  # ways to write the first i letters with k factors, weighted
    for k in range(1, size + 1):
        following = {}
        for (i, j), share in weight.items():
            if i in ways:
                following[j] = following.get(j, 0) + ways[i] * share
        ways = following
        total += Fraction((-1) ** (k - 1), k) * ways.get(size, 0)
    return total


@pytest.mark.parametrize("degree", range(1, ORDER + 1))
def test_words_drawn_at_random(terms, degree):
    draw = np.random.default_rng(degree)
    words = {tuple(draw.integers(0, 2, degree).tolist()) for _ in range(12 if degree < 16 else 4)}
    for word in words:
        assert in_series(terms, word) == in_logarithm(word), word


@pytest.mark.parametrize("degree", [3, 6, 9])
def test_all_words_of_a_degree(terms, degree):
    for word in itertools.product(range(2), repeat=degree):
        assert in_series(terms, word) == in_logarithm(word), word


def test_words_that_alternate_or_change_once(terms):
    """The largest number of runs, and the smallest, at the last degree."""
    for word in ((0, 1) * 9, (1, 0) * 9, (0,) * 17 + (1,), (1,) * 9 + (0,) * 9, (1,) * 5 + (0,) * 13):
        assert in_series(terms, word) == in_logarithm(word), word
    assert in_logarithm((0, 1)) == Fraction(1, 2) and in_logarithm((0, 0, 1)) == Fraction(1, 12)
