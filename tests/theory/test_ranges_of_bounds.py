"""Bounds at huge numbers: exact where they are answered, and refused before any work where that would be expensive."""

import math

import pytest

from theory import bounds
from theory.attention.hops import lookup_threshold
from theory.cost import TooExpensive
from theory.lie.rounded_roots import reachable_states, rounded_roots
from theory.lie.tower import tower_remainder
from theory.lie.word_problem import word_dimension
from theory.lie.words import multigraded_witt_dimension, witt_dimension


@pytest.mark.parametrize("layers", [2, 3, 8, 130, 131, 137, 191, 500, 10**4, 10**12])
@pytest.mark.parametrize("hops", [1, 2, 64, 10**6, 10**30])
def test_written_tokens_are_counted_exactly(hops, layers):
    passes = 1 if layers > 200 else -(-hops // (2 ** (layers - 1) - 1))
    found = bounds.written_steps(hops, layers).at()
    assert found == pytest.approx(passes - 1, rel=1e-15) and found >= 0


def test_no_temperature_below_zero():
    for context, error in ((2, 0.9), (3, 0.7), (3, 0.5), (100, 0.995)):
        found = bounds.nearest_neighbour_threshold(context, 1, error).at()
        exact = math.log((context - 1) * (1 - error) / error)
        assert found == pytest.approx(max(exact, 0), abs=1e-15)
        if found > 0:
            assert bounds.nearest_neighbour(context, found, 1).at() == pytest.approx(error)
        else:
            assert bounds.nearest_neighbour(context, 1e-9, 1).at() <= error


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds.root_horizon(10**5, "float32"),
        lambda: rounded_roots(10**9, "float32"),
        lambda: reachable_states(10**6, "float32", most=10**7),
        lambda: witt_dimension(2, 10**12),
        lambda: witt_dimension(3, 10**400),
        lambda: multigraded_witt_dimension((10**9, 10**9)),
        lambda: word_dimension(2, 10**9),
        lambda: tower_remainder((0, 1), 2, 10**18),
        lambda: bounds.tower_leading((0, 1), 10**9, 1),
    ],
)
def test_what_is_expensive_is_refused_before_any_work(call):
    with pytest.raises(TooExpensive, match="would take"):
        call()


def test_what_is_not_expensive_is_answered_at_any_size():
    assert reachable_states(10**6, "float32") is None
    assert lookup_threshold(10**7) == pytest.approx(math.log(4e7 - 8))
    assert witt_dimension(1, 10**400) == 0 and multigraded_witt_dimension((10**9,)) == 0
    assert bounds.looped_doubling(5, 10**12).at() == 4
    assert bounds.residual(10**6, 1e-6, weights="tied").at() == pytest.approx(2.279584613388344)
    assert bounds.one_layer_sort(10**18, 10**9).at() > 1e10


@pytest.mark.parametrize("order", [4, 64, 80, 100, 128, 180])
def test_the_horizon_of_roots_is_never_below_its_closed_form(order):
    for dtype in ("bfloat16", "float16"):
        simple = bounds.phase_horizon(order, dtype)
        if all(holds for _, holds in simple.check()):
            assert bounds.root_horizon(order, dtype).at() >= int(simple.at())
