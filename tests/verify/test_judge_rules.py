"""What the judge must not be taken in by: one test for every way to a false verdict."""

import dataclasses
import importlib.util
import itertools
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from depthjax.runs.records import load, save
from depthjax.runs.runner import control_outcome
from depthjax.verify import UNSHARP, Claim, Outcome, Prediction, Relation, Source, Verdict, family_rate, judge
from depthjax.verify.limits import limit
from depthjax.verify.means import critical, fewest, interval, serial_correlation
from depthjax.verify.quantity import Quantity, attach, measured
from depthjax.verify.rates import RATE

SUPPORTED, REFUTED, OPEN = Outcome.SUPPORTED, Outcome.REFUTED, Outcome.INCONCLUSIVE
EQUALS, AT_MOST, AT_LEAST, ORDER = Relation.EQUALS, Relation.AT_MOST, Relation.AT_LEAST, Relation.ORDER
STEPS = 0.5 * 2.0 ** -np.arange(9)


def verdict(relation, prediction, measured, *, coords=None, **parts) -> Verdict:
    claim = Claim("toy", "a toy", "a statement", "x", relation, Source("nobody", "nothing"), (), "anything")
    dataset = xr.Dataset({"measured": measured}, coords=coords or {})
    for role, values in ({"floor": 0.0} | parts).items():
        dataset = attach(dataset, "measured", role, values)
    return judge(claim, prediction, dataset)


def order(errors, prediction, steps=STEPS, **parts) -> Verdict:
    return verdict(ORDER, prediction, ("step", errors), coords={"step": steps}, **parts)


# --- the operating characteristic, in small ---------------------------------------------------------------------------


def _families():
    path = Path(__file__).parents[2] / "benchmarks" / "judge_data.py"
    spec = importlib.util.spec_from_file_location("judge_data", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["judge_data"] = module
    spec.loader.exec_module(module)
    return module


DATA = _families()


@pytest.mark.slow
@pytest.mark.parametrize("group", DATA.GROUPS)
def test_no_family_within_the_hypotheses_leads_astray(group):
    """A few datasets of every family of `benchmarks/judge.py`; where chance decides, one wrong verdict in a family may be."""
    rng = np.random.default_rng(5)
    for family in DATA.GROUPS[group]:
        wrong = []
        for trial in (family.draw(rng) for _ in range(4)):
            for said in trial.statements:
                found = judge(DATA.claim(trial.relation), said.prediction, trial.dataset)
                right = {True: (SUPPORTED, OPEN), False: (REFUTED, OPEN), None: (OPEN,)}[said.true]
                named = family.fails and any(family.fails in one for one in found.hypotheses)
                wrong += [] if found.outcome in right or named else [said.name]
        chance = group == "Seeds and trials"
        assert family.outside or len(wrong) <= chance, (family.name, wrong)


# --- orders -----------------------------------------------------------------------------------------------------------


def test_an_order_that_hides_under_the_next_one_is_left_open():
    """1.67e-4 h^3 + h^4 looks like order 4 in every slope; the slopes part from 4 faster and faster."""
    errors = np.array([0.183, 0.00697, 3.29e-4, 1.78e-5, 1.03e-6, 6.25e-8, 3.88e-9, 2.45e-10, 1.59e-11])
    assert order(errors, Prediction(4)).outcome is OPEN
    assert order(errors, Prediction(3)).outcome is OPEN


def test_growth_is_seen_through_the_tail_that_shrinks():
    """With h^5 the slopes of C h^3 + h^4 still come nearer to 4 at the finest steps; freed of h, they do not."""
    steps = STEPS[:6]
    errors = 2e-4 * steps**3 + steps**4 + 0.8 * steps**5
    slopes = np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert abs(np.diff(slopes)[-1]) < abs(np.diff(slopes)[-2])
    assert order(errors, Prediction(4), steps).outcome is OPEN
    assert order(errors, Prediction(3), steps).outcome is OPEN


def test_growth_before_the_floor_rises_is_not_forgotten():
    """At the finest steps the floor would explain anything."""
    errors = 1e-3 * STEPS**3 + STEPS**4
    floor = np.where(STEPS > 0.01, 1e-16, 0.01 * errors)
    assert order(errors, Prediction(4), floor=("step", floor)).outcome is OPEN


def test_a_constant_that_was_measured_is_not_set_aside():
    constant = 0.0032815
    errors = constant * STEPS**2 * (1 - 0.00775 * STEPS + 0.638 * STEPS**2)
    assert order(errors, Prediction(2, constant=constant)).outcome is SUPPORTED
    assert order(errors, Prediction(2, constant=0.0049223)).outcome is REFUTED
    assert order(errors, Prediction(2, constant=1.05 * constant)).outcome is REFUTED


def test_a_constant_that_nothing_shows_is_not_supported_by_its_exponent():
    """Tails in h^(1/2) leave the constant open, and with that the claim."""
    errors = STEPS**2 * (1 + 0.8 * STEPS**0.5)
    found = order(errors, Prediction(2, constant=1.0))
    assert [finding.outcome for finding in found.findings] == [SUPPORTED, OPEN]
    assert found.outcome is OPEN and "constant" in found.reason


def test_a_constant_told_at_the_stated_resolution():
    errors = STEPS**2 * (1 + 0.8 * STEPS**0.5)
    assert order(errors, Prediction(2, constant=1.0, constant_resolution=0.5)).outcome is SUPPORTED
    assert order(errors, Prediction(2, constant=1.5, constant_resolution=0.5)).outcome is REFUTED


def test_five_steps_cannot_show_a_hidden_order():
    found = order(STEPS[:5] ** 2, Prediction(2), STEPS[:5])
    assert found.outcome is OPEN and "6 are needed" in found.reason


@pytest.mark.parametrize(("ratio", "points"), [(1.005, 14), (1.05, 14), (1.1, 14), (1.15, 10), (1.25, 8), (1.25, 20)])
def test_a_hidden_order_shows_however_little_the_steps_shrink(ratio, points):
    """Over a short range C h^2 + h^3 + b h^4 has the slopes of h^3, whatever it goes to."""
    steps = 0.5 * ratio ** -np.arange(points)
    for constant in 10 ** np.linspace(-3, -1, 7):
        for further in (0.0, -0.7, 0.7):
            errors = constant * steps**2 + steps**3 + further * steps**4
            assert order(errors, Prediction(3), steps).outcome is not SUPPORTED
            assert order(errors, Prediction(2), steps).outcome is not REFUTED


def test_six_steps_of_a_short_range_cannot_show_a_hidden_order():
    steps = 0.5 * 2.0 ** (-np.arange(6) / 2)
    assert order(6e-4 * steps**2 + steps**3 - 0.7 * steps**4, Prediction(3), steps).outcome is OPEN


def test_many_near_steps_are_judged_by_those_far_enough_apart():
    steps = 1.05 ** -np.arange(80.0)
    found = order(3 * steps**2, Prediction(2, constant=3.0), steps)
    assert found.outcome is SUPPORTED and found.findings[0].points == 12 and found.findings[0].dropped == 68
    assert order(3 * steps**2, Prediction(3), steps).outcome is REFUTED


def test_near_steps_are_judged_by_the_finest_that_is_clean():
    """Of every seventh step those are taken that end at the finest clean one, whichever it is."""
    steps = 1.05 ** -np.arange(120.0)
    for last in range(100, 107):
        floor = np.where(np.arange(120) <= last, 0.0, 1.0)
        found = order(3 * steps**2, Prediction(2), steps, floor=("step", floor))
        assert found.outcome is SUPPORTED and found.findings[0].where["step"] == steps[last]


def test_near_steps_of_which_every_seventh_is_noise_are_judged_by_others():
    steps = 1.05 ** -np.arange(120.0)
    floor = np.where(np.arange(120) % 7 == 119 % 7, 1.0, 0.0)
    found = order(3 * steps**2, Prediction(2), steps, floor=("step", floor))
    assert found.outcome is SUPPORTED and found.findings[0].where["step"] == steps[118]


def test_near_steps_whose_ratio_changes_are_refused():
    """The ratios 1.004 and 1.012 are less than one percent apart; of 40 such steps the ratios are 1.17 and 1.61."""
    steps = np.cumprod(np.repeat([1.004, 1.012], 400))[::-1]
    with pytest.raises(ValueError, match="one ratio"):
        order(steps**2, Prediction(2), steps)


@pytest.mark.parametrize("steps", [np.ones(6), np.repeat(STEPS, 2)])
def test_steps_that_come_twice_are_refused(steps):
    with pytest.raises(ValueError, match="one ratio"):
        order(np.ones(len(steps)), Prediction(1), steps)


def test_steps_in_any_order_say_the_same():
    errors, mixed = 3 * STEPS**2 * (1 + STEPS), np.random.default_rng(0).permutation(9)
    one, other = (order(errors[kept], Prediction(2, constant=3.0), STEPS[kept]) for kept in (np.arange(9), mixed))
    assert one.outcome is SUPPORTED and one.findings[0].measured == other.findings[0].measured


@pytest.mark.parametrize(("ratio", "points"), [(1.69, 6), (1.3, 11), (2**0.5, 8), (1.5, 7)])
def test_a_factor_of_less_than_sixteen_cannot_show_a_hidden_order(ratio, points):
    steps = 0.5 * ratio ** -np.arange(points)
    assert order(steps**2, Prediction(2), steps).outcome is OPEN


def sampled(share, hidden, points, exponent=3, ratio=2.0):
    """Errors h^p and a term one order lower, a given share at the finest step, with uniform errors that are declared."""
    steps = ratio ** -np.arange(float(points))
    noise = np.random.default_rng(points).uniform(-share, share, points)
    errors = (steps**exponent * (1 + 0.5 * steps + hidden * steps[-1] / steps)) * (1 + noise)
    return errors, steps, {"sampling": ("step", 1.01 * share * errors)}


@pytest.mark.parametrize("share", [0.001, 0.003, 0.01])
@pytest.mark.parametrize("times", [10, 30])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_lower_order_above_the_sampling_error_shows(share, times, sign):
    """No errors within the declared ones explain it away, however little it moves the slopes beside them."""
    errors, steps, parts = sampled(share, sign * times * share, 9)
    for exponent in (2, 3):
        assert order(errors, Prediction(exponent), steps, **parts).outcome is OPEN


@pytest.mark.parametrize(("share", "points"), [(0.001, 6), (0.003, 6), (0.01, 9), (0.02, 12)])
def test_enough_steps_with_sampling_errors_decide(share, points):
    """A term under the floor at every step is a trace at the coarsest, and a hypothesis."""
    errors, steps, parts = sampled(share, 0.0, points)
    true, lower, higher = (order(errors, Prediction(exponent), steps, **parts) for exponent in (3, 2, 4))
    assert [true.outcome, lower.outcome, higher.outcome] == [SUPPORTED, REFUTED, REFUTED]
    assert [any("under the floor" in each for each in one.hypotheses) for one in (true, lower, higher)] == [True, True, False]


@pytest.mark.parametrize(("share", "points"), [(0.01, 6), (0.015, 7), (0.02, 7)])
def test_few_steps_with_sampling_errors_leave_room_for_a_lower_order(share, points):
    errors, steps, parts = sampled(share, 0.0, points)
    for exponent in (2, 3):
        found = order(errors, Prediction(exponent), steps, **parts)
        assert found.outcome is OPEN and "span too little" in found.reason


@pytest.mark.parametrize(("share", "named"), [(0.0, False), (1e-5, False), (0.01, True)])
def test_what_could_hide_under_the_floor_is_named(share, named):
    """Of a share of every error as floor nobody knows whether it is a term of a lower order."""
    errors = STEPS**2
    found = order(errors, Prediction(2), sampling=("step", share * errors))
    assert found.outcome is SUPPORTED and any("under the floor" in each for each in found.hypotheses) is named


def test_a_floor_of_the_finest_steps_alone_hides_no_lower_order():
    """A term of order one that is a hundredth of the finest error is seen at coarser steps, of which the floor is a trace."""
    errors = STEPS**3
    found = order(errors, Prediction(3), sampling=("step", np.full_like(errors, 0.01 * errors.min())))
    assert found.outcome is SUPPORTED and not any("under the floor" in each for each in found.hypotheses)


def test_sampling_counts_as_a_floor():
    errors = STEPS**2
    assert order(errors, Prediction(2), sampling=("step", 0.5 * errors)).outcome is OPEN
    assert order(errors, Prediction(2), sampling=("step", 1e-3 * errors)).outcome is SUPPORTED


def test_where_the_error_stops_falling_nothing_is_refuted():
    found = order(STEPS**2 + 1e-3, Prediction(2))
    assert found.outcome is OPEN and "stops falling" in found.reason
    assert order(1 + 0.1 * STEPS, Prediction(1)).outcome is REFUTED


@pytest.mark.parametrize("power", [-2, -1, 1, 2])
@pytest.mark.parametrize("scale", [2.0, 5.0, 40.0])
def test_a_logarithm_beside_an_order_is_left_open_and_another_order_refuted(power, scale):
    errors = 3 * STEPS**2 * np.log(scale / STEPS) ** power
    found = order(errors, Prediction(2))
    assert found.outcome is OPEN and "log h" in found.reason
    assert order(errors, Prediction(1)).outcome is REFUTED and order(errors, Prediction(3)).outcome is REFUTED


@pytest.mark.parametrize("power", [-0.5, 0.5])
@pytest.mark.parametrize("scale", [2.0, 40.0])
def test_a_small_power_of_a_logarithm_supports_no_order(power, scale):
    errors = STEPS**2 * np.log(scale / STEPS) ** power
    assert order(errors, Prediction(2)).outcome is OPEN
    assert order(errors, Prediction(3)).outcome is REFUTED


def test_a_logarithm_that_noise_could_hide_is_a_hypothesis():
    noise = 1 + 0.01 * np.random.default_rng(4).standard_normal(9)
    found = [order(STEPS**2 * np.log(40 / STEPS) ** power * noise, Prediction(2)) for power in (0, 1)]
    assert all(one.outcome is OPEN or "no power of log h" in one.hypotheses[0] for one in found)
    assert order(STEPS**2, Prediction(2)).hypotheses == ()
    known = order(STEPS**2, Prediction(2), floor=("step", 0.01 * STEPS**2))
    assert known.outcome is SUPPORTED and "no power of log h" in str(known)


def test_a_tail_of_half_a_power_is_no_logarithm():
    for size in (-0.8, 0.8):
        assert order(STEPS**2 * (1 + size * STEPS**0.5 - 0.5 * STEPS), Prediction(2)).outcome is SUPPORTED


def test_a_constant_that_a_logarithm_keeps_away_is_left_open():
    errors = 3 * STEPS**2 * (1 + 1 / np.log(2 / STEPS))
    found = order(errors, Prediction(2, constant=3.0))
    assert found.outcome is OPEN and "log h" in found.reason
    assert order(errors, Prediction(2, constant=2.0)).outcome is REFUTED


@pytest.mark.parametrize("tail", [0.5, 1, 2])
@pytest.mark.parametrize("shift", [-0.5, -0.1, 0.1, 0.5])
@pytest.mark.parametrize("size", [-0.5, 0.5, 5])
def test_no_power_is_taken_for_a_logarithm(tail, shift, size):
    found = order(STEPS ** (2 + shift) * (1 + size * STEPS**tail), Prediction(2))
    assert "log h" not in found.reason


@pytest.mark.parametrize(
    "steps", [[0.5, 0.25, 0.1, 0.09, 0.05, 0.01], [1, 0.5, 0.5, 0.25, 0.1, 0.05], [1, 0.5, 0.25, 0.1, 0, -1]]
)
def test_steps_must_be_geometric(steps):
    with pytest.raises(ValueError, match="steps must"):
        order(np.ones(6), Prediction(1), np.array(steps, float))


def test_differences_are_compared_with_the_one_before():
    """The last one is smaller than the first, and larger than the one before."""
    values = np.cumsum([1, 0.5, 0.25, 0.05, 0.01, 0.02])
    assert "grow" in limit(values, 2.0, np.full(6, 1e-15), 1e-4, 0.0).reason


@given(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8), st.sampled_from([(0.5, 1), (1, 2), (1, 1.5), (0.5, 1.5)]))
def test_limits_contain_the_truth(first, second, powers):
    values = 1 + first * STEPS ** powers[0] + second * STEPS ** powers[1]
    found = limit(values, 2.0, np.full(9, 1e-15), 1e-4, 0.0)
    assert found.reason or abs(found.value - 1) <= found.drift + found.rounding + 1e-4


# --- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("low", [1e-20, 0.0])
def test_a_broken_bound_is_refuted_wherever_it_lies(low):
    bound = Prediction(np.array([low, 1]), dims=("i",))
    assert verdict(AT_MOST, bound, ("i", np.array([1000, 0.95])), floor=1e-16).outcome is REFUTED
    sampled = verdict(AT_MOST, bound, ("i", np.array([1000, 0.95])), sampling=("i", np.array([2.0, 0.0])))
    assert sampled.outcome is REFUTED
    assert verdict(AT_MOST, Prediction(low), 1000.0, floor=1e-16).outcome is REFUTED
    assert verdict(AT_MOST, bound, ("i", np.array([0.9e-16, 0.95])), floor=1e-16).outcome is SUPPORTED


def test_a_bound_that_the_budget_cannot_tell_from_a_rival_says_nothing():
    """Data at 1.2 of the bound, a budget of a half: the truth may be 1.5."""
    assert verdict(AT_MOST, Prediction(1.0), 1.2, sampling=0.5).outcome is OPEN
    assert verdict(AT_MOST, Prediction(1.0, resolution=UNSHARP), 1.2, sampling=0.5).outcome is OPEN


def test_a_loose_bound_is_open_unless_no_sharpness_is_claimed():
    assert verdict(AT_MOST, Prediction(1.0), 0.5).outcome is OPEN
    assert verdict(AT_MOST, Prediction(1.0), 0.95).outcome is SUPPORTED
    assert verdict(AT_MOST, Prediction(1.0, resolution=0.6), 0.5).outcome is SUPPORTED
    held = verdict(AT_MOST, Prediction(1.0, resolution=UNSHARP), 0.5)
    assert held.outcome is SUPPORTED and held.loose
    assert not verdict(AT_MOST, Prediction(1.0), 0.95).loose


def test_an_infinite_bound_is_no_evidence():
    assert verdict(AT_MOST, Prediction(np.inf), 1.0).outcome is OPEN
    assert verdict(AT_MOST, Prediction(-np.inf), 1.0).outcome is OPEN
    mixed = Prediction([np.inf, 1.0], dims=("i",))
    assert verdict(AT_MOST, mixed, ("i", np.array([5.0, 0.95]))).outcome is SUPPORTED
    assert verdict(AT_MOST, mixed, ("i", np.array([5.0, 1.05]))).outcome is REFUTED


# --- equalities -------------------------------------------------------------------------------------------------------


def test_floats_without_a_stated_resolution_have_one():
    assert verdict(EQUALS, Prediction(1.0), 1.0, floor=0.1).outcome is SUPPORTED
    assert verdict(EQUALS, Prediction(1.0), 1.0, floor=0.2).outcome is OPEN
    assert verdict(EQUALS, Prediction(0.0), 0.0, floor=0.2).outcome is OPEN
    both = Prediction(np.array([0.0, 1e-6]), dims=("i",))
    assert verdict(EQUALS, both, ("i", np.array([0.0, 1e-6])), floor=1e-5).outcome is OPEN


def test_a_resolution_is_no_tolerance():
    assert verdict(EQUALS, Prediction(1.0, resolution=0.5), 1.1).outcome is REFUTED


@given(st.integers(-(2**80), 2**80), st.integers(1, 3))
def test_integers_compare_exactly_at_any_size(value, change):
    def measured(number):
        return np.array(number, dtype=object if abs(number) > 2**62 else np.int64)

    assert verdict(EQUALS, Prediction(value), measured(value)).outcome is SUPPORTED
    assert verdict(EQUALS, Prediction(value), measured(value + change)).outcome is REFUTED


def test_integers_stay_exact_from_the_measurement_to_the_verdict(tmp_path):
    for kind, value in ((np.int64, 2**53), (np.uint64, 2**64 - 2), (np.int64, -(2**62))):
        save(tmp_path / "cell.nc", xr.Dataset({"measured": ("i", np.array([value + 1, value], dtype=kind))}))
        stored = load(tmp_path / "cell.nc")["measured"]
        said = Prediction([value + 1, value], dims=("i",)), Prediction([value, value], dims=("i",))
        assert [verdict(EQUALS, one, stored).outcome for one in said] == [SUPPORTED, REFUTED]


def test_integers_compare_with_fractions_and_floats_exactly():
    assert verdict(EQUALS, Prediction(Fraction(6, 2)), 3).outcome is SUPPORTED
    assert verdict(EQUALS, Prediction(Fraction(1, 3) * 3 + Fraction(1, 10**30)), 1).outcome is REFUTED
    assert verdict(EQUALS, Prediction(float(2**53)), 2**53 + 1).outcome is REFUTED


def test_complex_numbers_keep_their_imaginary_parts():
    assert verdict(EQUALS, Prediction(1 + 2j), np.array(1 + 2j), floor=1e-12).outcome is SUPPORTED
    assert verdict(EQUALS, Prediction(1.0), np.array(1 + 2j), floor=1e-12).outcome is REFUTED
    assert verdict(EQUALS, Prediction(1 + 2j), 1.0, floor=1e-12).outcome is REFUTED
    assert verdict(AT_MOST, Prediction(1.0), np.array(0.95 + 0j)).outcome is OPEN


# --- errors of the claim ----------------------------------------------------------------------------------------------

NAN = float("nan")


@pytest.mark.parametrize(
    ("prediction", "floor"),
    [
        (Prediction(np.ones(3), dims=("j",)), 0.0),
        (Prediction(np.ones(4), dims=("i",)), 0.0),
        (Prediction(np.ones((3, 2)), dims=("i", "j")), 0.0),
        (Prediction(1.0), ("j", np.ones(2))),
    ],
)
def test_axes_that_were_not_measured_are_refused(prediction, floor):
    with pytest.raises(ValueError, match=r"axis|points"):
        verdict(EQUALS, prediction, ("i", np.ones(3)), floor=floor)


def test_a_control_with_a_finding_set_aside_is_not_said_to_fit():
    """The exponent is right and shown; the false constant is not shown: that cell says nothing of the control."""
    found = order(STEPS**2 * (1 + 0.8 * STEPS**0.5), Prediction(2, constant=1.05))
    assert [finding.resolved for finding in found.findings] == [True, False]
    told = control_outcome("a control", "another constant", True, found, ["all"])
    assert told.outcome is OPEN and "says nothing" in told.reason


# --- means ------------------------------------------------------------------------------------------------------------


def means(samples, value, **more) -> Verdict:
    return verdict(EQUALS, Prediction(value, mean="seed", **more), (("i", "seed"), samples))


def test_means_are_judged_from_their_samples():
    samples = 1 + 0.1 * np.random.default_rng(0).standard_normal((5, 64))
    assert means(samples, 1.0).outcome is SUPPORTED
    assert means(samples, 1.5).outcome is REFUTED
    assert means(samples, 1.0).rate == 0.01
    assert means(samples[:, :3], 1.0).outcome is OPEN
    assert means(np.ones((5, 64)), 1.0).outcome is OPEN
    with pytest.raises(ValueError, match="axis"):
        verdict(EQUALS, Prediction(np.ones(64), dims=("seed",), mean="word"), ("i", np.ones(5)))
    assert verdict(EQUALS, Prediction(1.0, mean="word"), ("i", np.ones(5))).outcome is OPEN


def test_few_samples_decide_nothing_about_a_mean():
    """Two that nearly agree have hardly a spread; a coin shows one side alone in all of seven more often than allowed."""
    assert means(np.array([[1.0, 1.0 + 1e-9]]), 1.5).outcome is OPEN
    least = fewest(RATE)
    assert 2.0 ** (1 - least) <= RATE < 2.0 ** (2 - least)
    samples = 1 + 0.01 * np.random.default_rng(0).standard_normal((1, least))
    few = means(samples[:, 1:], 9.0)
    assert few.outcome is OPEN and "fair coin" in few.reason
    assert means(samples, 9.0).outcome is REFUTED
    assert means(np.repeat(samples, 2, axis=0), 9.0).outcome is OPEN  # two points share the rate


def test_what_is_impossible_is_predicted_as_zero():
    with pytest.raises(ValueError, match="the prediction is 0"):
        verdict(Relation.IMPOSSIBLE, Prediction(1), ("trial", np.zeros(459)))


def test_more_points_widen_the_interval_of_each():
    samples = 1 + 0.1 * np.random.default_rng(0).standard_normal((1, 32))
    few, many = means(samples, 1.0), means(np.repeat(samples, 40, axis=0), 1.0)
    assert many.findings[0].budget.sampling > few.findings[0].budget.sampling


@pytest.mark.parametrize("seeds", [16, 32, 256])
@pytest.mark.parametrize("size", [0.5, 1.0, 1.5])
def test_intervals_hold_for_log_normal_samples(seeds, size):
    samples = np.exp(size * np.random.default_rng(1).standard_normal((20_000, seeds)))
    mean, width = interval(xr.DataArray(samples, dims=("i", "seed")), "seed", 0.01)
    missed = float((abs(mean - np.exp(size**2 / 2)) > width).mean())
    assert missed <= 0.01
    naive = critical(seeds, 0.01, skewness=0.0) * samples.std(axis=1, ddof=1) / seeds**0.5
    assert (abs(samples.mean(axis=1) - np.exp(size**2 / 2)) > naive).mean() > missed


@pytest.mark.parametrize("arguments", [(1, 0.01), (32, 0.0), (32, 1.0), (32, 0.01, -1.0), (32, 0.01, NAN)])
def test_critical_refuses_nonsense(arguments):
    with pytest.raises(ValueError):
        critical(*arguments)


def test_samples_that_follow_each_other_alike_decide_nothing():
    rng = np.random.default_rng(0)
    walk = 3 + 0.2 * np.cumsum(rng.standard_normal(64))
    found = means(walk[None], 3.0)
    assert found.outcome is OPEN and "alike" in found.reason and found.hypotheses == ()
    assert "alike" not in means(rng.permutation(walk)[None], 3.0).reason


@pytest.mark.parametrize("samples", [16, 64])
@pytest.mark.parametrize("draw", [lambda r, s: r.standard_normal(s), lambda r, s: (r.random(s) < 0.1) * 1.0])
def test_independent_samples_seldom_seem_alike(samples, draw):
    rng = np.random.default_rng(2)
    rows = [row for row in draw(rng, (400, samples)) if np.ptp(row)]
    assert sum(bool(serial_correlation(row[None], 0.01)) for row in rows) <= 0.025 * len(rows)


def test_the_moments_of_neighbours_are_those_over_all_orders():
    values = np.array([1.0, 1, 2, 5, 7, 7])
    ranks = rankdata(list(itertools.permutations(values)), axis=1) - 3.5
    ranks /= np.sqrt((ranks**2).mean(axis=1, keepdims=True))
    sums, fourth = (ranks[:, 1:] * ranks[:, :-1]).sum(axis=1), (ranks[0] ** 4).mean()
    assert sums.mean() == pytest.approx(-1) and sums.var() == pytest.approx(5 - fourth + (6 - 2 * fourth) / 5)


def test_a_skewness_beyond_the_stated_one_decides_nothing():
    samples = np.exp(np.random.default_rng(0).standard_normal(1024))
    found = means(samples[None], np.exp(0.5), skewness=0.0)
    assert found.outcome is OPEN and "skewness" in found.reason


def test_a_mean_and_seeds_name_what_they_rest_on():
    samples = 1 + 0.1 * np.random.default_rng(0).standard_normal((5, 64))
    (rests,) = means(samples, 1.0).hypotheses
    assert "independent" in rests and "skewed than 15" in rests and "no rare value" in rests
    assert verdict(Relation.TREND, Prediction(1), ("seed", np.ones(9))).hypotheses == ("the seeds are independent",)
    assert verdict(EQUALS, Prediction(1), 1).hypotheses == ()


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_a_family_shares_the_rate_of_refutations_and_each_point_must_be_supported():
    """Seven successes support each of 20 points, but seven failures of one among 20 may be chance."""
    good = np.ones((20, 7))
    assert verdict(Relation.TREND, Prediction(1), (("i", "seed"), good)).outcome is SUPPORTED
    one_bad = good.copy()
    one_bad[3] = 0
    assert verdict(Relation.TREND, Prediction(1), (("i", "seed"), one_bad)).outcome is OPEN
    assert verdict(Relation.TREND, Prediction(1), (("i", "seed"), np.repeat(one_bad, 2, axis=1)[3:4])).outcome is REFUTED


def test_the_rate_of_a_run():
    trained = verdict(Relation.TREND, Prediction(1), ("seed", np.ones(9)))
    exact = verdict(EQUALS, Prediction(1), 1)
    assert (trained.rate, exact.rate) == (0.01, 0.0)
    assert family_rate([trained, exact, trained]) == pytest.approx(0.02)
    assert family_rate([{"rate": 0.01}, {"rate": None}, {}]) == pytest.approx(0.01)
    assert family_rate([trained] * 1000) == 1.0


def test_a_bound_on_sampling_may_state_its_rate():
    data = measured(measured=Quantity(1.0, floor=0.0, sampling=0.1, rate=0.01))
    claim = dataclasses.replace(DATA.claim(EQUALS), slug="toy")
    assert judge(claim, Prediction(1.0), data).rate == 0.01


# --- rankings ---------------------------------------------------------------------------------------------------------


def ranking(times, scores, dims=("seed", "item"), **parts) -> Verdict:
    return verdict(Relation.RANKING, Prediction(scores, dims=("item",)), (dims, times), **parts)


@pytest.mark.parametrize("first", [0, 2**53, 10**30, 10**400])
def test_rankings_compare_integers_of_any_size_exactly(first):
    rows = np.array([[first, first + 1, first + 2]] * 9, dtype=object if first > 2**60 else np.int64)
    assert ranking(rows, [0, 1, 2]).outcome is SUPPORTED
    assert ranking(rows, [first, first + 1, first + 1]).outcome is SUPPORTED
    assert ranking(rows[:, ::-1], [0, 1, 2]).outcome is REFUTED
    assert ranking(rows * 0, [0, 1, 2]).outcome is REFUTED


@pytest.mark.parametrize("dims", list(itertools.permutations(("seed", "item", "width"))))
def test_further_axes_are_no_seeds(dims):
    """Four seeds at five widths are four seeds, and one width out of order is a seed out of order."""
    times = xr.DataArray(np.tile(np.arange(3.0), (12, 5, 1)), dims=("seed", "width", "item"))
    few, all_ = times[:4].transpose(*dims), times.transpose(*dims)
    assert ranking(few.to_numpy(), [0, 1, 2], dims).outcome is OPEN
    assert ranking(all_.to_numpy(), [0, 1, 2], dims).outcome is SUPPORTED
    assert ranking(all_.where(all_.width != 0, 1.0).to_numpy(), [0, 1, 2], dims).outcome is REFUTED


@pytest.mark.parametrize("role", ["floor", "sampling"])
def test_items_within_the_floor_of_each_other_have_no_order(role):
    times = np.tile([0.0, 1.0], (9, 1))
    assert ranking(times, [0, 1], **{role: 0.4}).outcome is SUPPORTED
    assert ranking(times, [1, 0], **{role: 0.4}).outcome is REFUTED
    for scores in ([0, 1], [1, 0]):
        found = ranking(times, scores, **{role: 0.6})
        assert found.outcome is OPEN and "within the floor" in found.reason
    one = np.zeros((40, 1))
    one[3] = 1.0
    assert ranking(np.tile([0.0, 1.0], (40, 1)), [0, 1], **{role: (("seed", "item"), one * [1, 1])}).outcome is SUPPORTED


def test_a_ranking_needs_one_score_for_each_item():
    with pytest.raises(ValueError, match="one score for each item"):
        verdict(Relation.RANKING, Prediction(1), (("seed", "item"), np.ones((9, 2))))


# --- what was handed over ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", [EQUALS, AT_MOST, AT_LEAST])
@pytest.mark.parametrize("change", [-1, 0, 1])
def test_integers_that_no_float_holds_are_compared_exactly(relation, change):
    found = verdict(relation, Prediction(10**400), np.array(10**400 + change, dtype=object))
    wrong = {EQUALS: change != 0, AT_MOST: change > 0, AT_LEAST: change < 0}[relation]
    assert (found.outcome is REFUTED) is wrong
    assert relation is not EQUALS or found.outcome is (REFUTED if change else SUPPORTED)


def test_the_mean_of_complex_samples_is_not_that_of_their_real_parts():
    rng = np.random.default_rng(0)
    samples = 3 + 0.1 * rng.standard_normal((1, 256))
    assert means(samples + 5j, 3.0).outcome is OPEN


def test_a_resolution_without_end_is_for_bounds_only():
    assert verdict(EQUALS, Prediction(1.0, resolution=UNSHARP), 5.0, floor=10.0).outcome is OPEN
    assert order(STEPS**2, Prediction(2, resolution=UNSHARP)).outcome is OPEN


@pytest.mark.parametrize(
    ("relation", "prediction", "match"),
    [
        (ORDER, Prediction(np.full(2, 2), dims=("i",), resolution=np.ones(2)), "one number"),
        (AT_MOST, Prediction(np.ones(2), dims=("i",), resolution=np.ones(2)), "one number"),
        (ORDER, Prediction(np.full(9, 2), dims=("step",)), "a curve has one order"),
        (EQUALS, Prediction(1.0, resolution=np.ones(2)), "expected one number"),
        (EQUALS, Prediction(1.0, truncation=np.ones(2)), "expected one number"),
    ],
)
def test_numbers_that_a_relation_cannot_use_are_refused(relation, prediction, match):
    with pytest.raises(ValueError, match=match):
        verdict(relation, prediction, (("i", "step"), np.tile(STEPS**2, (2, 1))), coords={"step": STEPS})
