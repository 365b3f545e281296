"""Tables composed in order: the bounds against whole numbers, and the counting lemma against every set of tables."""

import itertools

import numpy as np
import pytest

from theory import bounds
from theory.attention.compose import composition_layers, first_table, one_pass_states
from theory.errors import OutsideHypotheses


@pytest.mark.parametrize(("points", "bits"), [(b, bits) for bits in (1, 2, 3) for b in range(2 * bits + 1, 2 * bits + 18, 3)])
def test_the_least_first_table_is_that_of_whole_numbers(points, bits):
    enough = lambda a: points**a > 2 ** ((2 * points + 1) * bits) * (2 * bits) ** a  # noqa: E731
    assert first_table(points, bits) == next(a for a in itertools.count(1) if enough(a))


@pytest.mark.parametrize("points", [4, 8, 16])
def test_equality_is_not_enough(points):
    assert points == 2 ** (points.bit_length() - 1)  # both sides of the count are powers of two
    exponent, needed = points.bit_length() - 2, 2 * points + 1
    assert first_table(points, 1) == needed // exponent + 1


def test_a_large_set_of_tables_has_many_values_at_some_place():
    tables = list(itertools.product(range(3), repeat=2))
    for size in range(2**2 + 1, 7):  # more than t^a with t = 2
        for some in itertools.combinations(tables, size):
            assert max(len(set(values)) for values in zip(*some, strict=True)) > 2


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_published_bound_begins_where_it_says(layers):
    least = 6 ** (16**layers)
    assert bounds.composition_depth(least, heads=1, width=2, bits=3).at() == layers
    below = bounds.composition_depth(least - 1, heads=1, width=2, bits=3)
    if layers > 1:
        assert below.at() == layers - 1
    else:
        with pytest.raises(OutsideHypotheses, match="vacuous here"):
            below.at()


def test_layers_by_following_pointers():
    for tables in range(1, 40):
        reach, layers = [0], 0  # tables behind the pointer of the last position, without a mask
        while reach[-1] < tables:
            layers += 1
            reach.append(sum(2**r for r in range(1, layers)))
        assert composition_layers(tables, "full") == layers
        assert composition_layers(tables) == tables + 1


def test_tables_are_told_apart():
    for points in (1, 2, 3):
        tables = list(itertools.product(range(points), repeat=points))
        rows = {tuple(second[first[0]] for first in tables) for second in tables}
        assert len(rows) == one_pass_states(points)


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (first_table, (4, 2), "points = 4"),
        (first_table, (3, 0), "bits = 0"),
        (composition_layers, (0,), "tables = 0"),
        (composition_layers, (3, "strict"), "mask = 'strict'"),
        (one_pass_states, (1001,), "points = 1001"),
        (bounds.composition_points, (0, 1), "layers = 0"),
        (bounds.composition_depth, (10, 0, 1, 1), "heads = 0"),
    ],
)
def test_bad_input_is_named(function, arguments, words):
    with pytest.raises(ValueError, match=words):
        function(*arguments)


def test_more_than_two_layers_have_no_constant():
    with pytest.raises(OutsideHypotheses, match="layers <= 2"):
        bounds.composition_points(3, 1).at()
    assert np.isfinite(bounds.composition_points(2, 10**40).at())
