"""The judge for numbers that somebody already has."""

from fractions import Fraction

import numpy as np
import pytest

from depthjax.verify import UNSHARP, Outcome, judge_bound, judge_equal, judge_order, judge_trend

STEPS = 0.5 ** np.arange(10)
RNG = np.random.default_rng(0)
TINY = Fraction(1, 10**30)


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
        (judge_equal([3], 3 + 0j), "SUPPORTED"),
        (judge_equal([3], 3 + 1j), "REFUTED"),
        (judge_equal([Fraction(1, 3)], Fraction(1, 3)), "SUPPORTED"),
        (judge_equal([Fraction(1, 3) + TINY], Fraction(1, 3)), "REFUTED"),  # fractions that floats do not tell apart
        (judge_bound([Fraction(1, 3) + TINY], Fraction(1, 3)), "REFUTED"),
        (judge_bound([Fraction(1, 3) - TINY], Fraction(1, 3), side="at least"), "REFUTED"),
        (judge_bound([Fraction(1, 3) - TINY], Fraction(1, 3)), "SUPPORTED"),
        (judge_equal([], []), "INCONCLUSIVE"),
        (judge_bound([], 1), "INCONCLUSIVE"),
        (judge_bound([1, 2, 3], 3), "SUPPORTED"),
        (judge_bound([1, 2, 4], 3), "REFUTED"),
        (judge_bound([0.1, 0.2], 1.0, floor=0.0), "INCONCLUSIVE"),
        (judge_bound([0.1, 0.2], 1.0, floor=0.0, resolution=UNSHARP), "SUPPORTED"),
        (judge_bound([5, 3], [2, 3], side="at least"), "SUPPORTED"),
        (judge_bound([5, 2], 3, side="at least"), "REFUTED"),
        (judge_bound([2**53 + 1], 2**53), "REFUTED"),  # integers that floats do not tell apart
        (judge_bound(np.array([2**53 + 1]), float(2**53)), "REFUTED"),
        (judge_bound([2**70 - 1], 2**70, side="at least"), "REFUTED"),
        (judge_bound([2**70], 2**70), "SUPPORTED"),
        (judge_bound([1, 2], [2, np.inf]), "INCONCLUSIVE"),
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


@pytest.mark.parametrize("scale", [1, 0.5, 3.25])
@pytest.mark.parametrize(
    ("limit", "side", "away", "nearest"),
    [
        (2, "at most", [5, 0.25, 3], 1.75),
        (-1, "at most", [4, 0.5, 3], -1.5),
        (0, "at most", [4, 0.5, 3], -0.5),
        (2, "at least", [5, 0.25, 3], 2.25),
        (-1, "at least", [0.75, 0.5, 0.625], -0.5),
        (0, "at least", [4, 0.5, 3], 0.5),
    ],
)
def test_the_point_nearest_to_a_bound_of_any_sign_is_shown(limit, side, away, nearest, scale):
    sign = -1 if side == "at most" else 1
    verdict = judge_bound(scale * (limit + sign * np.array(away)), scale * limit, side=side, floor=0.0)
    assert verdict.worst.measured == scale * nearest
    verdict = judge_bound(scale * (limit + sign * np.array(away)), scale * limit, side=side, floor=0.0, resolution=0.01)
    assert verdict.outcome is Outcome.INCONCLUSIVE and f"nearer than {scale * min(away):.3g}:" in verdict.reason


def test_bounds_of_both_signs_are_compared_by_shares():
    verdict = judge_bound([-1.25, 2.0, -5.0], [-1.0, 4.0, -1.0], floor=0.0)
    assert (verdict.worst.measured, verdict.worst.predicted) == (-1.25, -1.0)


def test_a_verdict_says_its_numbers_in_a_line():
    assert str(judge_equal([2, 3, 6], [2, 3, 5])) == "REFUTED: measured is 6, predicted 5: differs by 1, the budget is 0"
    assert str(judge_order(STEPS, STEPS**3, 3)) == "SUPPORTED: error has order 3, predicted 3"
    assert str(judge_bound([1, 2, 3], 3)) == "SUPPORTED: measured is 3, predicted at most 3"
    assert judge_bound([1, 2, 3], 3)._repr_markdown_() == "SUPPORTED: measured is 3, predicted at most 3"
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


NARROW = ("bfloat16", "float8_e5m2", "float16", "float32", "float64", "longdouble")
WIDE = (*NARROW, "complex64", "complex128", "object")


def typed(numbers, kind):
    return np.array(
        [complex(x) if kind.startswith("complex") else float(x) for x in numbers], "O" if kind == "object" else kind
    )


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nothing_that_is_no_number_is_supported_in_any_type(kind, bad):
    """Measured numbers, predictions and floors that are NaN or infinite, wherever they stand."""
    ones, wrong = typed([1, 1, 1], kind), typed([1, bad, 1], kind)
    steps, curve = STEPS[:6], typed(STEPS[:6], kind)
    real = [] if kind.startswith("complex") else [
        judge_bound(wrong, 1.0, floor=0.0),
        judge_bound(wrong, 1.0, side="at least", floor=0.0),
        judge_bound(ones, 1.0, floor=wrong),
        judge_order(steps, np.where(np.arange(6) == 2, typed([bad], kind), curve), 1),
        judge_order(steps, curve, 1, floor=np.where(np.arange(6) == 2, typed([bad], kind), curve * 0)),
        judge_order(steps, curve, typed([bad], kind)[0]),
        judge_order(steps, curve, 1, constant=typed([bad], kind)[0]),
        judge_trend(np.where(np.arange(12) == 3, typed([bad], kind), typed([1], kind))),
        judge_bound(ones, np.where(np.isnan(wrong.astype(float)), wrong, ones), floor=0.0) if np.isnan(bad) else None,
    ]  # fmt: skip
    equal = [
        judge_equal(wrong, 1.0, floor=0.1),
        judge_equal(wrong, wrong, floor=0.1),
        judge_equal(ones, wrong, floor=0.1),
        judge_equal(ones, ones, floor=wrong),
    ] if kind != "object" else [judge_equal(wrong, 1.0, floor=0.1), judge_equal(ones, wrong, floor=0.1)]  # fmt: skip
    for number, verdict in enumerate(real + equal):
        assert verdict is None or verdict.outcome is Outcome.INCONCLUSIVE, (number, verdict)
        assert verdict is None or any(word in str(verdict) for word in ("nan", "inf")), (number, verdict)


@pytest.mark.parametrize("kind", NARROW)
def test_every_type_of_floats_is_judged_and_needs_a_floor(kind):
    ones = typed([1, 1], kind)
    assert judge_equal(ones, 1.0, floor=0.1).outcome is Outcome.SUPPORTED
    assert judge_equal(ones, 2.0, floor=0.1).outcome is Outcome.REFUTED
    assert judge_bound(ones, ones, floor=0.0).outcome is Outcome.SUPPORTED
    assert judge_trend(np.repeat(ones, 6)).outcome is Outcome.SUPPORTED
    assert (
        judge_order(STEPS[:6], typed(STEPS[:6], kind), 1, resolution=8.0 if "8" in kind else 1.0).outcome is not Outcome.REFUTED
    )
    for call in (judge_equal, judge_bound):
        with pytest.raises(ValueError, match="say what rounding alone explains"):
            call(ones, 1.0)


def test_integers_of_every_size_and_type_are_exact():
    assert judge_equal([2**63, -1], [2**63, -1]).outcome is Outcome.SUPPORTED
    assert judge_equal([2**63, -1], [2**63 + 1, -1]).outcome is Outcome.REFUTED
    assert judge_equal(np.array([1, 2], "int4"), [1, 2]).outcome is Outcome.SUPPORTED
    assert judge_equal(np.array([1, 2], "int4"), [1, 3]).outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: judge_trend([2] * 30), ValueError, "successes hold 2: expected whether each seed succeeded"),
        (lambda: judge_trend([-1] * 30), ValueError, "successes hold -1"),
        (lambda: judge_trend([0.9] * 30), ValueError, "compare scores with a threshold"),
        (lambda: judge_trend(["yes"] * 30), TypeError, "text is never read as one"),
        (lambda: judge_trend([True] * 30, typical="x"), TypeError, "typical"),
        (lambda: judge_trend([True] * 30, typical=2), TypeError, "typical"),
        (lambda: judge_order(STEPS, STEPS, "2"), TypeError, "exponent = '2'"),
        (lambda: judge_order(STEPS, STEPS, True), TypeError, "exponent = True: expected one real number"),
        (lambda: judge_order(STEPS, STEPS, 1j), TypeError, "expected one real number"),
        (lambda: judge_order(STEPS, STEPS, [1]), TypeError, "expected one real number"),
        (lambda: judge_order(STEPS, STEPS, None), TypeError, "exponent holds None"),
        (lambda: judge_order(STEPS, STEPS, 1, at_least="x"), TypeError, "at_least"),
        (lambda: judge_order(STEPS, STEPS, 1, at_least=1), TypeError, "at_least"),
        (lambda: judge_order(STEPS, STEPS, 1, constant="3"), TypeError, "constant = '3'"),
        (lambda: judge_order(STEPS, STEPS, 1, resolution="3"), TypeError, "resolution = '3'"),
        (lambda: judge_order(STEPS, STEPS, 1, floor="3"), TypeError, "floor = '3'"),
        (lambda: judge_order(["1", "2"], [1, 2], 1), TypeError, "steps = "),
        (lambda: judge_equal(["a"], ["a"]), TypeError, "text is never read as one"),
        (lambda: judge_equal([1], ["1"]), TypeError, "predicted = "),
        (lambda: judge_equal([None], [None]), TypeError, "numbers holds None"),
        (lambda: judge_equal([1, "a"], [1, 2]), TypeError, "text is never read as one|numbers holds 'a'"),
        (lambda: judge_equal(np.array(["2020"], "M8[D]"), 1), TypeError, r"entries of type datetime64\[D\]"),
        (lambda: judge_equal(np.ma.array([1, 2], mask=[0, 1]), 1), ValueError, "masked entries"),
        (lambda: judge_equal([[1, 2], [3]], 1), ValueError, "rows of one length"),
        (lambda: judge_trend(np.full(20, 1 + 5j)), TypeError, "successes .* complex"),
        (lambda: judge_trend([1, 1j]), TypeError, "successes .* complex"),
        (lambda: judge_order(STEPS * 1j, STEPS, 1), TypeError, "steps .* complex"),
        (lambda: judge_order(STEPS, STEPS * 1j, 1), TypeError, "errors .* complex"),
        (lambda: judge_order(STEPS, -3 * STEPS, 1), ValueError, "errors holds -3: .* absolute values"),
        (lambda: judge_equal([1.0], 1.0, floor="0.1"), TypeError, "floor = '0.1'"),
        (lambda: judge_bound([1], 1, resolution="0.1"), TypeError, "resolution = '0.1'"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
