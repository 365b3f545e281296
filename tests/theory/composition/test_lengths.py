"""Every function of a number of elements asks the same of it."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from theory.composition import (
    Component,
    activation_time,
    counting_forms,
    counting_weights,
    counting_width,
    crossed_units,
    flattening_squares,
    hypotheses,
    learning_order,
    least_two_layer_width,
    least_units,
    plateau_levels,
    score,
    sufficient,
    tree_widths,
    two_layer_width,
    two_layer_width_expr,
    utility_maximum,
)
from theory.cost import TooExpensive
from theory.groups import group

S3 = group("S3")
IRREPS = S3.irreps[1:]
PARTS = [Component.scalar(1, "real", 1), Component.scalar(2, "real", 2)]
OF_LENGTH = {
    "activation_time": lambda k: activation_time(PARTS[1], k, 6),
    "counting_forms": lambda k: counting_forms("C3", k),
    "counting_weights": lambda k: counting_weights([(1, 1), (1, -1)], "C2", k),
    "counting_width": lambda k: counting_width(6, k),
    "crossed_units": lambda k: crossed_units(iter(IRREPS), k),
    "flattening_squares": lambda k: flattening_squares(iter([(1, [1]), (2, [1, 1])]), 6, k),
    "hypotheses": lambda k: hypotheses(S3, np.array([5, -1, -1, -1, -1, -1]), k),
    "learning_order": lambda k: learning_order(PARTS, k),
    "least_two_layer_width": lambda k: least_two_layer_width(iter(IRREPS), k),
    "least_units": lambda k: least_units(iter(IRREPS), k),
    "plateau_levels": lambda k: plateau_levels(PARTS, k, 6),
    "score": lambda k: score(PARTS[1], k),
    "sufficient": lambda k: sufficient(S3, k),
    "tree_widths": lambda k: tree_widths(iter(IRREPS), k),
    "two_layer_width": lambda k: two_layer_width(iter(IRREPS), k),
    "two_layer_width_expr": lambda k: two_layer_width_expr(iter(IRREPS), k),
    "utility_maximum": lambda k: utility_maximum(PARTS[1], k, 6),
}


@pytest.mark.parametrize("name", OF_LENGTH)
@pytest.mark.parametrize("length", [1.5, 2.0, "3", None, True, 0, -1, Fraction(3, 2), sympy.Rational(3, 2)], ids=repr)
def test_what_is_no_length_is_refused(name, length):
    with pytest.raises(ValueError, match=r"length = .*expected"):
        OF_LENGTH[name](length)


@pytest.mark.parametrize("name", OF_LENGTH)
def test_integers_of_all_libraries_are_lengths(name):
    expected = OF_LENGTH[name](2)
    for length in (np.int8(2), np.uint64(2), sympy.Integer(2)):
        assert np.array_equal(OF_LENGTH[name](length), expected)


@pytest.mark.parametrize("name", sorted(OF_LENGTH.keys() - {"counting_width"}))
@pytest.mark.parametrize("length", [2**30, 2**1400])
def test_lengths_whose_answers_have_too_many_digits_are_refused(name, length):
    with pytest.raises(TooExpensive):
        OF_LENGTH[name](length)


def test_counts_of_few_letters_are_few_at_any_length():
    assert counting_width(2, 10**30) == 10**30 + 1
    with pytest.raises(TooExpensive, match="counts of"):
        counting_width(10**8, 10**9)


def test_scores_beyond_the_range_of_floats_are_told_apart():
    """At 4000 letters the scores are 1, 2^2001 and 3^4001 / 2^1999.5."""
    sizes = [Component.scalar(1, "real", 1), Component.scalar(2, "real", 2), Component.scalar(2, "real", 3)]
    assert learning_order(sizes, 4000) == [2, 1, 0]
    assert [len(plateau_levels(sizes, length, 6)) for length in (2, 4000)] == [4, 4]
    tiny = [Component.scalar(1, "real", Fraction(1, n)) for n in (10, 11)]
    assert learning_order(tiny[::-1], 400) == [1, 0] and len(plateau_levels(tiny, 400, 6)) == 3
