import itertools
import math

import numpy as np
import pytest
import scipy.linalg
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.lie.word_problem_log_depth.paths import collisions, reduced_words
from theory import bounds
from theory.errors import OutsideHypotheses
from theory.lie import bch, magnus
from theory.lie.tails import permutation_constant


def test_the_leading_term_of_a_tower_names_its_bracket_and_refuses_words_without_one():
    bound = bounds.tower_leading((0, 0, 1), letters=2, layers=1, leading=3)
    assert "[X,Y]" in bound.quantity.replace(" ", "")
    assert bound.at(eps=0.1) == pytest.approx(0.03)
    balanced = bounds.tower_leading((0, 1, 1, 0), letters=2, layers=1, leading=3)
    with pytest.raises(OutsideHypotheses, match="does not vanish"):
        balanced.at(eps=0.1)


def test_tower_is_an_order():
    bound = bounds.tower(letters=2, layers=3)
    assert bound.at() == 10 and bound.order == 10 and bound.latex() == r"eps^{10}"
    assert bound.at(eps=0.5) == 2.0**-10
    with pytest.raises(OutsideHypotheses, match="eps < 1"):
        bound.at(eps=2)
    assert all(holds for _, holds in bound.check())


@pytest.mark.parametrize(("order", "mass"), [(1, 0.1), (4, 0.5), (6, 1.0)])
def test_recent_tail_is_the_sum_of_its_terms(order, mass):
    q = 0.920075 * mass
    terms = sum(4 * q**n / n**2 for n in range(order + 1, 4000))
    tail = bounds.magnus_recent(order, mass).at()
    assert terms <= tail <= 4 * terms * 2
    assert tail <= bounds.magnus_classical(order, mass).at()
    assert bounds.magnus_recent(order).at(mass=mass) == tail


def test_recent_tail_at_and_outside_the_radius():
    radius = 1 / sympy.Rational(920075, 10**6)
    assert bounds.magnus_recent(3).at(mass=radius) == pytest.approx(4 / 3)
    with pytest.raises(OutsideHypotheses, match="mass <= xi") as caught:
        bounds.magnus_recent(3, mass=2).at()
    assert caught.value.failed == ["mass <= xi, where 1/xi = 0.920075"]
    assert [holds for _, holds in bounds.magnus_recent(3, mass=2).check()] == [True, True, False]


def test_bch_is_never_above_the_elementary_majorant():
    order, s = 6, 0.3
    t = sympy.Symbol("t")
    series = sympy.series(-sympy.log(2 - sympy.exp(t)), t, 0, 24).removeO()
    coefficients = [float(series.coeff(t, n)) for n in range(24)]
    assert all(permutation_constant(n) <= coefficients[n] * (1 + 1e-12) for n in range(1, 24))
    assert bounds.bch(order, 0.1, 0.2).at() <= sum(coefficients[n] * s**n for n in range(order + 1, 24))


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 0.5), st.floats(0, 0.5))
def test_bch_is_never_weaker_than_magnus(x, y):
    assert bounds.bch(5, x, y).at() <= bounds.magnus(5, x + y).at() * (1 + 1e-9)


def test_tiny_norms_cancel_without_harm():
    assert bounds.magnus(5, 1e-38).at() == pytest.approx(71 / 3600 * 1e-228, rel=1e-9)
    assert 0 < bounds.bch(5, 1e-38, 1e-38).at() < bounds.magnus(5, 2e-38).at() / 4
    assert bounds.bch(5, 0, 0).at() == 0


@pytest.mark.parametrize("seed", range(3))
def test_tails_hold_on_matrices(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 3, 3))
    x, y = 0.25 * x / np.linalg.norm(x, 2), 0.2 * y / np.linalg.norm(y, 2)
    for order in (1, 2, 4):
        gap = scipy.linalg.logm(scipy.linalg.expm(x) @ scipy.linalg.expm(y)) - bch(order).evaluate(x, y)
        assert np.linalg.norm(gap, 2) <= bounds.bch(order, 0.25, 0.2).at()
    word = (0, 1, 0)
    product = np.linalg.multi_dot([scipy.linalg.expm((x, y)[letter]) for letter in word])
    gap = scipy.linalg.logm(product) - magnus(word, 3).evaluate(x, y)
    assert np.linalg.norm(gap, 2) <= bounds.magnus(3, 0.7).at()


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds.magnus(0),
        lambda: bounds.bch(1.5),
        lambda: bounds.word(0),
        lambda: bounds.tower(1, 2),
        lambda: bounds.tower(2, 0),
        lambda: bounds.magnus(2).at(),
        lambda: bounds.magnus(2).at(mas=1),
        lambda: bounds.algebra("e9"),
    ],
)
def test_bad_calls_are_value_errors(call):
    with pytest.raises(ValueError, match=r"expected|missing|unknown|one letter"):
        call()


def test_word():
    for length in range(1, 70):
        assert bounds.word(length).at() == math.ceil(math.log2(length + 1)) == length.bit_length()
    assert bounds.word().at(length=7) == 3
    for k in range(1, 60):
        assert (bounds.word(2**k - 1).at(), bounds.word(2**k).at()) == (k, k + 1)
    with pytest.raises(OutsideHypotheses, match="integer"):
        bounds.word().at(length=2.5)


def test_words_need_the_layers_of_their_first_collision():
    for length in range(1, 8):
        for kind, words in {"positive": _positive(length), "signed": reduced_words(2, length)}.items():
            needed = next((layers for layers in (1, 2) if not collisions(words, layers)), 3)
            assert bounds.word(length).necessary[kind] == needed
    assert bounds.word().necessary == {"positive": 2, "signed": 5}
    assert [bounds.word(length).necessary["signed"] for length in (23, 24, 77, 78, 10**9)] == [3, 4, 4, 5, 5]
    assert any(
        "signed words in two generators (of at most 7 letters): 3" in line for line in bounds.word(7).details["necessary"]
    )


def _positive(length):
    return [tuple((a, 1) for a in word) for size in range(length + 1) for word in itertools.product(range(2), repeat=size)]


def test_depths_name_the_clock_that_they_exclude():
    """With a clock two layers record every word, so neither statement may speak of all systems."""
    for report in (bounds.word(64), bounds.algebra("upper4").bound, bounds.algebra("so3").bound):
        assert any("clock" in statement and "taken as given" in statement for statement, _ in report.check())
    assert "without a clock" in bounds.word(64).quantity
    assert any("positive" in hypothesis.statement for hypothesis in bounds.word(64).assumes)
    assert "no clock" in bounds.algebra("upper4").statement and "no clock" in bounds.algebra("so3").statement


def test_algebra():
    report = bounds.algebra("upper4")
    assert (report.derived_length, report.is_nilpotent, report.bound.at()) == (3, False, 3)
    report = bounds.algebra("so3")
    assert report.is_perfect and report.derived_length is None
    with pytest.raises(OutsideHypotheses, match="so3 is solvable"):
        report.bound.at()
