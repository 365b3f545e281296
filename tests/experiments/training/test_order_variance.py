"""The variance within words of equal counts and its leading term, against sums over all words; rational rotations."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.training.rotation_depth.orderings import overlaps
from experiments.training.tower_floor_trained.order_variance import (
    order_variance,
    order_variance_coefficient,
    rational_rotation,
)
from theory.cost import TooExpensive

ENTRIES = st.integers(-3, 3)
VECTORS = st.lists(ENTRIES, min_size=2, max_size=2)
MATRICES = st.lists(st.lists(VECTORS, min_size=2, max_size=2), min_size=1, max_size=3)
CASES = st.tuples(MATRICES, VECTORS, st.integers(0, 4))


def within(vectors):
    """The naive twin: mean square distance from the mean of the class; vectors by word."""
    classes = defaultdict(list)
    for word, vector in vectors.items():
        classes[tuple(sorted(word))].append(vector)
    total = Fraction(0)
    for found in classes.values():
        mean = sum(found) * Fraction(1, len(found))
        total += sum((vector - mean) @ (vector - mean) for vector in found)
    return Fraction(total) / len(vectors)


def exact(values):
    return np.array(values, dtype=object)


@given(CASES)
def test_the_variance_is_that_of_all_words(case):
    matrices, start, length = exact(case[0]), exact(case[1]), case[2]
    vectors = {}
    for word in product(range(len(matrices)), repeat=length):
        vector = start
        for letter in word:
            vector = matrices[letter] @ vector
        vectors[word] = vector
    assert order_variance(matrices, start, length) == within(vectors)


@given(CASES)
def test_the_coefficient_is_the_variance_of_the_part_of_degree_two(case):
    generators, start, length = exact(case[0]), exact(case[1]), case[2]
    vectors = {}
    for word in product(range(len(generators)), repeat=length):
        part = start * 0
        for s in range(length):
            for t in range(s + 1, length):
                part = part + generators[word[t]] @ generators[word[s]] @ start
        vectors[word] = part
    assert order_variance_coefficient(generators, start, length) == within(vectors)


def test_rotations_are_those_of_the_cayley_transform_and_their_floor_has_order_four():
    axes, start = [(1, Fraction(1, 2), 0), (0, -1, Fraction(1, 3)), (2, 1, 1)], (1, 2, 2)
    crosses = exact([[[0, -z, y], [z, 0, -x], [-y, x, 0]] for x, y, z in axes])
    for axis, cross in zip(axes, crosses, strict=True):
        turn, half, one = rational_rotation(axis, Fraction(1, 5)), cross * Fraction(1, 10), np.eye(3, dtype=int)
        assert (turn @ turn.T == one).all() and (turn @ (one - half) == one + half).all()
    small = Fraction(1, 1000)
    turns = exact([rational_rotation(axis, small) for axis in axes])
    ratio = order_variance(turns, start, 4) / small**4 / order_variance_coefficient(crosses, start, 4)
    assert abs(float(ratio) - 1) < 0.01
    # a second route, in floating point and from overlaps of random orders
    large = np.stack([rational_rotation(axis, Fraction(1, 2)).astype(float) for axis in axes])
    seen = overlaps(large, np.array([1, 2, 2]) / 3, 4)[-1]
    exactly = order_variance(exact([rational_rotation(axis, Fraction(1, 2)) for axis in axes]), start, 4)
    assert 9 * (1 - seen) == pytest.approx(float(exactly), rel=1e-9)


def test_letters_that_commute_have_no_floor():
    turns = exact([rational_rotation((0, 0, 1 + i), Fraction(1, 3)) for i in range(3)])
    assert order_variance(turns, (1, 2, 2), 4) == 0
    assert order_variance_coefficient(exact([np.diag([1, 2]), np.diag([3, 4])]), (1, 1), 5) == 0


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: order_variance(np.zeros((2, 2, 3), int), (1, 0), 2), "expected \\(letters, d, d\\)"),
        (lambda: order_variance(np.full((2, 2, 2), 0.5), (1, 0), 2), "the answer is exact"),
        (lambda: order_variance(np.zeros((2, 2, 2), int), (1, 0), -1), "length = -1"),
        (lambda: order_variance_coefficient(np.zeros((2, 2, 2), int), (1,), 2), "expected \\(letters, d, d\\)"),
        (lambda: rational_rotation((1, 0), 1), "three entries"),
        (lambda: rational_rotation((1, 0, 0), "1"), "step"),
    ],
)
def test_what_is_no_word_of_matrices_is_refused(call, word):
    with pytest.raises(ValueError, match=word):
        call()


def test_long_words_of_many_letters_are_refused_before_any_work():
    with pytest.raises(TooExpensive, match="classes of words"):
        order_variance(np.zeros((30, 3, 3), int), (1, 0, 0), 40)
