import math
from collections import Counter
from itertools import product

import pytest

from tests import twins
from theory.lie import (
    derived_ideal_degree,
    derived_ideal_dimension,
    is_lyndon,
    lyndon_words,
    multigraded_witt_dimension,
    standard_factorization,
    witt_dimension,
)


@pytest.mark.parametrize(("letters", "degree"), [(1, 1), (1, 3), (2, 1), (2, 7), (3, 5), (4, 4)])
def test_lyndon_words_are_the_smallest_rotations(letters, degree):
    words = lyndon_words(letters, degree)
    assert words == twins.lyndon_words(letters, degree)
    assert len(words) == witt_dimension(letters, degree)
    for content, count in Counter(tuple(word.count(i) for i in range(letters)) for word in words).items():
        assert multigraded_witt_dimension(content) == count


def test_standard_factorization_has_the_longest_lyndon_suffix():
    for word in lyndon_words(3, 5):
        left, right = standard_factorization(word)
        assert left + right == word and is_lyndon(left) and is_lyndon(right) and left < right
        assert not any(is_lyndon(word[i:]) for i in range(1, len(left)))


@pytest.mark.parametrize("bad", [(), (0,), (1, 0), (0, 1, 0, 1)])
def test_standard_factorization_refuses(bad):
    with pytest.raises(ValueError, match="Lyndon word of length at least two"):
        standard_factorization(bad)


@pytest.mark.parametrize(("letters", "degree"), [(0, 1), (2, 0), (-1, 2), (2.0, 1), (True, 1)])
def test_sizes_refused(letters, degree):
    for function in (lyndon_words, witt_dimension):
        with pytest.raises(ValueError, match="expected an integer >= 1"):
            function(letters, degree)


def _derived_dimensions(letters, k, order):
    """The derived ideals by linear algebra: span all brackets, degree by degree, in words."""
    words = {n: list(product(range(letters), repeat=n)) for n in range(1, order + 1)}
    spaces = {n: [twins.standard_bracket(w) for w in twins.lyndon_words(letters, n)] for n in words}
    for _ in range(k):
        following = {}
        for n in words:
            brackets = [twins.commutator(a, b) for i in range(1, n) for a in spaces[i] for b in spaces[n - i]]
            independent = []
            for element in brackets:
                rows = [[p.get(word, 0) for word in words[n]] for p in [*independent, element]]
                if element and twins.rank(rows) > len(independent):
                    independent.append(element)
            following[n] = independent
        spaces = following
    return [len(spaces[n]) for n in words]


@pytest.mark.parametrize(("letters", "k", "order"), [(2, 1, 6), (2, 2, 7), (3, 1, 4), (3, 2, 4)])
def test_derived_ideal_dimensions_by_linear_algebra(letters, k, order):
    assert _derived_dimensions(letters, k, order) == [derived_ideal_dimension(letters, k, n) for n in range(1, order + 1)]


@pytest.mark.parametrize("letters", [2, 3, 4])
def test_second_derived_ideal_is_what_the_free_metabelian_algebra_lacks(letters):
    for n in range(2, 12):
        metabelian = (n - 1) * math.comb(n + letters - 2, n)
        assert derived_ideal_dimension(letters, 2, n) == witt_dimension(letters, n) - metabelian


def test_lowest_degrees():
    assert [derived_ideal_degree(2, k) for k in range(1, 8)] == [2, 5, 10, 21, 42, 84, 168]
    for letters in (3, 4, 7):
        assert [derived_ideal_degree(letters, k) for k in range(1, 6)] == [2, 4, 8, 16, 32]
    assert derived_ideal_degree(2, 20) == 21 << 16
    for letters, k in ((2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3)):
        degree = derived_ideal_degree(letters, k)
        assert derived_ideal_dimension(letters, k, degree) > 0
        assert not any(derived_ideal_dimension(letters, k, below) for below in range(1, degree))


@pytest.mark.parametrize(
    ("letters", "k", "match"), [(1, 1, "one letter"), (2, 0, "expected an integer >= 1"), (0, 1, "letters")]
)
def test_lowest_degree_refused(letters, k, match):
    with pytest.raises(ValueError, match=match):
        derived_ideal_degree(letters, k)
