"""Arguments at the edges of what a function of `theory` is about: an answer that holds, or a refusal with its reason."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import find, settings

from experiments.collapse.causal_collapse_halves.masks import factor_excess
from experiments.collapse.collapse_paths_exact.paths import path_count
from experiments.lie.lie_and_group_depth_differ.significand import first_inexact_multiple
from theory import bounds
from theory.attention.contraction import layer_constant
from theory.attention.expansion import residual_terms
from theory.attention.memory import induction_head_states
from theory.attention.remedies import skip_decay
from theory.attention.separation import degree, graded_ranks, width_floor
from theory.composition import matrix_products
from theory.cost import TooExpensive
from theory.exact.cyclotomic import root_sum
from theory.identify.contrast import contrastive, descent_rate, flattest_curvature, largest_curvature, spread, step_size, travel
from theory.identify.pairs import pair_freedom, three_cycle
from theory.lie import LieSeries, bch, derived_ideal_degree
from theory.lie.goldberg import goldberg_denominator, goldberg_numerators, pair_constants
from theory.logic.counting import block_counts, blocks, predictor, recogniser
from theory.logic.log_depth import reach
from theory.logic.runs import run_formula, run_pair
from theory.strategies import lie_series
from theory.width.residual import agreement, fresh_growth, mean_square_distance, tied_growth, tied_remainder

ONE = np.array([[[Fraction(1)]]])
REFUSED = [
    (lambda: mean_square_distance("post", 2, 2.0), "from -1 to 1"),
    (lambda: mean_square_distance("post", -1, 0.5), "depth"),
    (lambda: mean_square_distance("post", 2, math.nan), "finite"),
    (lambda: agreement("post", -1, 0.5), "depth"),
    (lambda: agreement("post", 2, -0.1), "from 0 to 1"),
    (lambda: tied_growth(600, 1), "expected a growth that a float holds"),
    (lambda: tied_remainder(600, 1, 3), "float"),
    (lambda: fresh_growth(10**6, 1), "too large for a float"),
    (lambda: contrastive(9e-7), "expected 1e-06"),
    (lambda: descent_rate(1e4), "too large for a float"),
    (lambda: largest_curvature(0.5, 1e7), "too large for a float"),
    (lambda: largest_curvature(-1, 0.5), "radius"),
    (lambda: step_size(10**12), "at most"),
    (lambda: travel(-1), "radius"),
    (lambda: spread(math.inf), "radius"),
    (lambda: flattest_curvature(10**400), "radius"),
    (lambda: width_floor(10, 10**9, 1), "expected at least 3"),
    (lambda: pair_freedom(0), "states"),
    (lambda: matrix_products(0), "size"),
    (lambda: factor_excess(0), "tokens"),
    (lambda: skip_decay(3, 0), "scale"),
    (lambda: LieSeries({}, 0), "letters"),
    (lambda: LieSeries({}, "XY"), "letters"),
    (lambda: LieSeries({}, 2.5), "letters"),
    (lambda: residual_terms(ONE[0, 0], ONE[0], ONE, ONE, 1, -1), "order"),
    (lambda: residual_terms(ONE[0, 0], ONE[0], ONE, ONE, 1, 2.0), "order"),
    (lambda: blocks(2, "c"), "expected 'a' or 'b'"),
    (lambda: block_counts(0, 3), "k = 0"),
    (lambda: root_sum(10**9, (1,)), "1 multiplicities for 1000000000 roots"),
    (lambda: layer_constant(1e-3, 2, 0.3), "scale = 0.3: expected 1/sqrt"),
    (lambda: layer_constant(1e-3, 2, 2.0), "scale = 2.0: expected 1/sqrt"),
    (lambda: layer_constant(1e-3, 2, 0.0), "scale = 0.0: expected 1/sqrt"),
    (lambda: layer_constant(1e-3, 2, 1e-200), "scale = 1e-200: expected 1/sqrt"),
    (lambda: layer_constant(1e-3, 2, "1"), "scale"),
]
EXPENSIVE = [
    lambda: tied_growth(10**4, Fraction(1, 10**5)),
    lambda: agreement("post", 10**12, 0.5),
    lambda: three_cycle(10**7),
    lambda: derived_ideal_degree(3, 10**12),
    lambda: goldberg_denominator(10**9),
    lambda: goldberg_numerators(10**4),
    lambda: pair_constants(10**4),
    lambda: degree(10**12),
    lambda: graded_ranks(3, 10**4, 3),
    lambda: induction_head_states(10**4),
    lambda: path_count(10**12, 3),
    lambda: first_inexact_multiple(3, 10**12),
    lambda: LieSeries({}, 10**10),
    lambda: width_floor(10**9, 18, 1),
    lambda: bounds.error_by_depth((0, 1) * 10**5, 2),
    lambda: run_formula(10**9),
    lambda: run_pair(10**30),
    lambda: reach(10**9, 4, 5),
    lambda: reach(10**400, 4, 5),
    lambda: residual_terms(ONE[0, 0], ONE[0], ONE, ONE, 1, 10**9),
    lambda: recogniser(10**9),
    lambda: predictor(10**30),
    lambda: block_counts(3, 10**9),
    lambda: block_counts(10**5, 10**6),
    lambda: block_counts(3, 10**400),
    lambda: block_counts(10**9 + 1, 10**9),
    lambda: blocks(10**400),
    lambda: graded_ranks(1000, 12),
    lambda: graded_ranks(1000, 12, 10),
]


@pytest.mark.parametrize(("call", "word"), REFUSED)
def test_what_is_outside_is_refused(call, word):
    with pytest.raises(ValueError, match=word):
        call()


@pytest.mark.parametrize("call", EXPENSIVE)
def test_what_is_expensive_is_refused(call):
    with pytest.raises(TooExpensive, match="would take"):
        call()


def test_scales_of_any_float_are_roots_of_a_size():
    for size in (1, 3, 11, 64, 10**6):
        for kind in (np.float32, np.float64, float):
            assert layer_constant(1e-3, 2, kind(size**-0.5)) == pytest.approx(layer_constant(1e-3, 2, 1.0))


def test_limits_that_are_named_are_inside():
    assert contrastive(1e-6).at() > 0 and contrastive(1e6).at() > 0
    assert mean_square_distance("post", 2, 1) == [0, 0] and mean_square_distance("admin", 1, -1)[0] == 1
    assert agreement("post", 0, 1)[0].limit == 1


def test_a_logit_of_any_size_is_compared():
    small = bounds.collapse(2, width=4, beta=0.1, residual=0.1, query_key=1e-300)
    assert small.at() == pytest.approx(bounds.collapse(2, width=4, beta=0.1, residual=0.1, query_key=1e-9).at())
    assert not all(holds for _, holds in bounds.collapse(2, width=4, beta=1e30, residual=1e30, query_key=1e-320).check())


@pytest.mark.parametrize("make", [np.array, list, lambda rows: np.array(rows, object)])
def test_series_without_terms_have_a_value(make):
    matrices = [make([[0, 1], [0, 0]]), make([[0, 0], [1, 0]])]
    assert np.array_equal(LieSeries({}, 2).evaluate(*matrices), np.zeros((2, 2)))
    assert np.array_equal(LieSeries({(0, 1): 1}, 2).evaluate(*matrices), [[1, 0], [0, -1]])
    assert bch(2).evaluate(*matrices)[0][0] == Fraction(1, 2)


def test_a_drawn_series_is_printed_as_a_call():
    found = find(lie_series(3), lambda series: True, settings=settings(database=None))
    assert found == LieSeries({}, 3)
    assert "<lambda>" not in repr(lie_series(3)) and "letters)" not in repr(lie_series(3))
