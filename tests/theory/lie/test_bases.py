from fractions import Fraction

import numpy as np
import pytest

from theory.cost import TooExpensive, allow
from theory.lie import (
    LieSeries,
    bch,
    from_tree,
    hall_basis,
    hall_terms,
    log_product,
    magnus,
    right_normed,
    right_normed_terms,
    to_words,
    witt_dimension,
)
from theory.lie.cost import words_of_brackets


def _value(tree, matrices):
    if isinstance(tree, int):
        return matrices[tree]
    left, right = (_value(part, matrices) for part in tree)
    return left @ right - right @ left


@pytest.mark.parametrize(("letters", "degree"), [(2, 1), (2, 6), (3, 4), (4, 3)])
def test_hall_basis_has_the_witt_dimension(letters, degree):
    assert len(hall_basis(letters, degree)) == witt_dimension(letters, degree)


@pytest.mark.parametrize("series", [bch(7), magnus((0, 1, 2, 0, 2), 4), log_product([(0, 1), (1, -1), (0, 2)], 5)])
def test_the_three_bases_agree_on_matrices(series):
    rng = np.random.default_rng(0)
    matrices = [rng.integers(-2, 3, (3, 3)).astype(object) for _ in range(series.letters)]
    lyndon = series.evaluate(*matrices)
    hall = sum(c * _value(tree, matrices) for tree, c in hall_terms(series).items())
    normed = sum(c * _value(right_normed(word), matrices) for word, c in right_normed_terms(series).items())
    assert np.array_equal(lyndon, hall) and np.array_equal(lyndon, normed)


def test_trees_in_the_lyndon_basis():
    assert from_tree((0, (0, 1)), 2).terms == {(0, 0, 1): 1}
    assert from_tree((1, 0), 2).terms == {(0, 1): -1}
    with pytest.raises(ValueError, match="at least one letter"):
        right_normed(())


@pytest.mark.parametrize("convert", [hall_terms, right_normed_terms])
def test_other_bases_of_high_degrees_are_refused_before_any_work(convert):
    with pytest.raises(TooExpensive, match=r"would take about .* but the limit is 1 minute"):
        convert(bch(18))
    with allow(1e-9), pytest.raises(TooExpensive):
        convert(bch(8))


def test_a_long_bracket_of_few_words_is_no_high_cost():
    long = LieSeries({(*[0] * 60, 1): Fraction(1)}, 2)
    assert right_normed_terms(long) == {(*[0] * 60, 1): 1}


@pytest.mark.parametrize("word", [(0,), (0, 1), (0, 0, 1, 1), (0, 1, 2, 1), (0, 0, 1, 0, 1), (0, 0, 0, 0, 1), (0, 1, 1, 2, 2)])
def test_a_bracket_has_no_more_words_than_its_estimate_says(word):
    found = len(to_words(LieSeries({word: Fraction(1)}, 3)))
    assert found <= words_of_brackets([word]).seconds / words_of_brackets([(0,)]).seconds * (1 + 1e-9)
