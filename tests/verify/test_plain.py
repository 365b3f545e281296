"""The judge for numbers that somebody already has."""

import numpy as np
import pytest

from depthjax.verify import UNSHARP, Outcome, judge_bound, judge_equal, judge_order, judge_trend

STEPS = 0.5 ** np.arange(10)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (judge_order(STEPS, 3 * STEPS**2 * (1 + STEPS), 2), "SUPPORTED"),
        (judge_order(STEPS[::-1], (3 * STEPS**2 * (1 + STEPS))[::-1], 2, constant=3), "SUPPORTED"),
        (judge_order(STEPS, 3 * STEPS**2, 2, constant=4), "REFUTED"),
        (judge_order(STEPS, STEPS**3, 2), "REFUTED"),
        (judge_order(STEPS, STEPS**3, 2, at_least=True), "SUPPORTED"),
        (judge_order(STEPS, STEPS, 2, at_least=True), "REFUTED"),
        (judge_order(STEPS, STEPS**2, 2, floor=1.0), "INCONCLUSIVE"),
        (judge_order(STEPS, STEPS**1.99, 2, resolution=0.001), "REFUTED"),
        (judge_equal(7, 7), "SUPPORTED"),
        (judge_equal(10**40, 10**40 + 1), "REFUTED"),
        (judge_equal(np.pi, 3.14159, floor=1e-5), "SUPPORTED"),
        (judge_equal([1.0, 2.0], [1.0, 2.1], floor=1e-9), "REFUTED"),
        (judge_equal(1 + 1j, 1 - 1j, floor=1e-9), "REFUTED"),
        (judge_equal(1.0, 1.01, floor=1.0), "INCONCLUSIVE"),
        (judge_bound([1, 2, 3], 3), "SUPPORTED"),
        (judge_bound([1, 2, 4], 3), "REFUTED"),
        (judge_bound([0.1, 0.2], 1.0, floor=0.0), "INCONCLUSIVE"),
        (judge_bound([0.1, 0.2], 1.0, floor=0.0, resolution=UNSHARP), "SUPPORTED"),
        (judge_bound([5, 3], [2, 3], side="at least"), "SUPPORTED"),
        (judge_bound([5, 2], 3, side="at least"), "REFUTED"),
        (judge_trend([True] * 10), "SUPPORTED"),
        (judge_trend([False] * 10), "REFUTED"),
        (judge_trend([False] * 10, typical=False), "SUPPORTED"),
        (judge_trend([[True] * 10, [False] * 10]), "REFUTED"),
        (judge_trend([True] * 3), "INCONCLUSIVE"),
    ],
)
def test_verdicts(verdict, outcome):
    assert verdict.outcome is Outcome[outcome], verdict
    assert str(verdict).startswith(outcome)


def test_a_verdict_says_its_numbers_in_a_line():
    assert str(judge_equal([2, 3, 6], [2, 3, 5])) == "REFUTED: measured is 6, predicted 5: differs by 1, the budget is 0"
    assert str(judge_order(STEPS, STEPS**3, 3)) == "SUPPORTED: error has order 3, predicted 3"
    assert str(judge_bound([1, 2, 3], 3)) == "SUPPORTED: measured is 3, predicted at most 3"
    assert "the constant of error is 3" in str(judge_order(STEPS, 3 * STEPS**2, 2, constant=4))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: judge_order(STEPS, STEPS[:-1], 1), "one error for each step"),
        (lambda: judge_order([1, 0.5, 0.3, 0.1, 0.05], [1, 0.5, 0.3, 0.1, 0.05], 1), "shrink by one ratio"),
        (lambda: judge_order([-1.0, 0.5], [1.0, 0.5], 1), "steps must be positive"),
        (lambda: judge_equal(0.5, 0.5), "say what rounding alone explains by floor="),
        (lambda: judge_equal([1, 2], [1, 2, 3]), "expected the same, or one number"),
        (lambda: judge_bound([1], 1, side="below"), "expected 'at most' or 'at least'"),
        (lambda: judge_trend(True), r"expected \(seeds,\)"),
        (lambda: judge_trend(np.ones((2, 2, 2))), r"expected \(seeds,\)"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_no_number_is_no_verdict():
    assert judge_equal(np.nan, 1.0, floor=0.0).outcome is Outcome.INCONCLUSIVE
    assert judge_order(STEPS, np.full(10, np.nan), 1).outcome is Outcome.INCONCLUSIVE
    assert judge_equal(np.zeros(0), 1.0, floor=0.0).outcome is Outcome.INCONCLUSIVE
