"""Dimensions of the free Lie algebra as answers: Lyndon words that are listed, and numbers that no one can print."""

import itertools

import pytest

from theory.bounds import witt
from theory.cost import TooExpensive


@pytest.mark.parametrize(("letters", "degree"), [(1, 1), (1, 2), (2, 1), (2, 6), (3, 4), (5, 3)])
def test_the_number_of_lyndon_words(letters, degree):
    words = itertools.product(range(letters), repeat=degree)
    assert witt(letters, degree).at() == sum(all(w < w[i:] + w[:i] for i in range(1, degree)) for w in words)


def test_long_numbers_are_refused_by_name():
    assert "degree 13000" in witt(2, 13000).quantity and str(witt(2, 13000))
    with pytest.raises(ValueError, match="too large for a float"):
        witt(2, 2000).at()
    with pytest.raises(ValueError, match=r"degree = 20000: expected .* 4000 digits"):
        witt(2, 20000)
    with pytest.raises(TooExpensive):
        witt(2, 10**40)
