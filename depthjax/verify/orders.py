r"""Orders of decay: local slopes, the limit they tend to on the finest clean steps, and the leading constant.

With errors :math:`e(h) = C h^p (1 + c_1 h^{\alpha} + \dots)` the local slopes :math:`s_i = \log(e_i/e_{i+1}) / \log r` tend to
:math:`p` and the ratios :math:`e_i / h_i^p` to :math:`C`, both as ``limits`` describes. A slope is judged against the rivals
at the distance ``resolution`` of the exponent, a constant, once its exponent is supported, against those at the relative
distance ``constant_resolution``.

More seeds do not remove bias, so no standard error enters. The floor does, whether it comes from rounding, from sampling or
from the instrument: a floor :math:`f` under an error :math:`e` moves a slope by at most
:math:`(f_i/e_i + f_{i+1}/e_{i+1})/\log r`. Pairs that this would move by more than a sixteenth of the distance to the rival
exponent are dropped, and the finest unbroken stretch of the others is judged. Undeclared noise of one part in a hundred is
tolerated: no verdict rests on it.

A hidden lower order moves the differences of slopes by :math:`(1 - 1/r)^2` times its share of the error. On steps that shrink
little this is too small to be seen. So where :math:`r < \sqrt 2`, only every second, third, ... step is judged, the finest
clean one among them. A curve is judged if six or more of its steps are clean and span a factor of sixteen: over less, three
powers look like one.

A curve with too few clean steps, or one that is not yet asymptotic, is set aside and listed, and the other curves decide. So is
a curve that goes to what is predicted as slowly as a logarithm does (`logarithms`): it neither supports nor refutes. Where a
logarithm could hide under noise, floor or tails, a supported exponent rests on there being none, and its finding says so.

A term of a lower order is a larger share of the error at finer steps. Where it could lie under the floor at all of them:

- *It shows* if no powers from the order on, and no errors within the floor, explain the data without it. Then nothing is said.
- *It may hide* under a floor that is a share of every error, however many steps there are, so more steps alone could never
  decide. But the more they span, the smaller a share it is of the error at the coarsest one. Nothing is said until it is a
  trace there, and then the finding says that it rests on there being none.
"""

import math

import numpy as np
from scipy.optimize import linprog

from depthjax import dtypes
from depthjax.verify.compare import Comparison
from depthjax.verify.limits import POINTS, TRACE, Limit, limit
from depthjax.verify.logarithms import logarithm
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Budget, Finding, Outcome

ROUNDING_SHARE = 1 / 16
LEAST_RATIO = math.sqrt(2)  # of neighbouring steps that are judged
RANGE = 16.0  # that the clean steps of a curve span: over less, sums of three powers look like one power
HIDDEN = 0.1  # power of a logarithm from which on the finding says that it rests on there being none
SLOWLY = "{} as slowly as with a power of log h beside it"
NO_LOGARITHM = "no power of log h stands beside the order"
UNDER_THE_FLOOR = "no term of a lower order lies under the floor"
FORGIVEN = 0.02  # two deviations of undeclared relative noise of one part in a hundred
_LOUD = 1 / 8  # of the resolution: the largest noise, read off alternating slopes, that is taken for noise


def local_slopes(steps: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Slopes of log error against log step between neighbours, coarse to fine. Shapes ``(n,), (n,) -> (n - 1,)``."""
    return np.diff(np.log(errors)) / np.diff(np.log(steps))


def order(comparison: Comparison) -> list[Finding]:
    """Return one finding for each curve over the dimension ``step``, and one for its leading constant if that is predicted.

    Raises:
        ValueError: without a dimension ``step`` whose coordinate holds the step sizes, or where these are not positive,
            distinct and geometric.
    """
    measured = comparison.measured
    if "step" not in measured.dims or "step" not in measured.coords:
        raise ValueError(
            f"an order needs a dimension 'step' with its sizes as coordinate; {measured.name!r} has {measured.dims}"
        )
    steps = measured["step"].to_numpy().astype(float)
    fine_last = np.argsort(-steps, kind="stable")
    _check_steps(steps[fine_last])
    steps = steps[fine_last]
    curves = [dim for dim in measured.dims if dim != "step"]

    def by_curve(values) -> np.ndarray:
        return values.broadcast_like(measured).transpose(*curves, "step").to_numpy().astype(float)[..., fine_last]

    errors, floor = by_curve(measured), by_curve(comparison.floor + comparison.sampling)
    unit = dtypes.eps(measured.dtype if dtypes.is_floating(measured.dtype) else float)
    floor = np.maximum(floor, 4 * unit * np.abs(errors))  # no float is known better
    exponent = comparison.prediction.array().broadcast_like(measured.isel(step=0)).transpose(*curves).to_numpy()
    findings = []
    for index in np.ndindex(errors.shape[:-1]):
        where = {
            str(dim): measured[dim].to_numpy()[i].item() if dim in measured.coords else i
            for dim, i in zip(curves, index, strict=True)
        }
        findings += _curve(comparison, where, float(exponent[index]), steps, errors[index], floor[index])
    return findings


def _check_steps(steps: np.ndarray) -> None:
    if not (np.isfinite(steps).all() and (steps > 0).all()):
        raise ValueError(f"steps must be positive numbers, and are {steps.tolist()}")
    distinct = bool((np.diff(steps) < 0).all())
    # ratios of near steps may seem alike and add up to unlike ones
    ratios = [steps[:-every] / steps[every:] for every in (1, _intervals(LEAST_RATIO, steps))] if distinct else []
    if not distinct or any(one.size and one.max() > 1.01 * one.min() for one in ratios):
        raise ValueError(f"steps must shrink by one ratio, as h, h/2, h/4, ... do, and are {steps.tolist()}")


def _points_needed(steps: np.ndarray) -> int:
    return max(POINTS, 1 + _intervals(RANGE, steps))


def _intervals(shrinking: float, steps: np.ndarray) -> int:
    """After how many steps they have shrunk so much, up to two percent: ratios of one percent apart are one ratio."""
    if len(steps) < 2:
        return 1
    ratio = math.log(steps[0] / steps[-1]) / (len(steps) - 1)
    return max(math.ceil((math.log(shrinking) - 0.02) / ratio), 1)


def _curve(
    comparison: Comparison, where: dict, exponent: float, steps: np.ndarray, errors: np.ndarray, floor: np.ndarray
) -> list[Finding]:
    """Findings of one curve."""
    apart = comparison.prediction.apart()
    resolution = 1.0 if apart is None else float(apart)
    share = np.where(errors > floor, floor / np.where(errors > floor, errors, 1.0), np.inf)
    stretch, needed = _judged_steps(steps, share, ROUNDING_SHARE * resolution)
    given, points = len(steps), len(steps[stretch])
    count = {"points": points, "dropped": given - points}
    constant = comparison.prediction.constant if comparison.relation is Relation.ORDER else None
    if points < needed:
        reason = (
            f"{points} of {given} steps lie clear of the floor and a factor of {LEAST_RATIO:.3g} or more apart; "
            f"{needed} are needed to see a hidden lower order, over a factor of {RANGE:.3g} in all"
        )
        return _aside(comparison, where, exponent, constant, reason, count)
    steps, errors, floor, share = steps[stretch], errors[stretch], floor[stretch], share[stretch]
    slopes, ratio, noise = local_slopes(steps, errors), float(steps[-2] / steps[-1]), _slope_noise(steps, share)
    found = limit(slopes, ratio, noise, TRACE * resolution, _LOUD * resolution)
    forgiven = min(2 * FORGIVEN / math.log(ratio), _LOUD * resolution)
    budget = Budget(found.rounding + forgiven, found.drift + float(comparison.prediction.left_out().max()))
    where = where | {"step": float(steps[-1])}
    deviation = exponent - found.value if comparison.prediction.one_sided else abs(found.value - exponent)
    outcome, reason = _exponent(found, slopes, exponent, deviation, budget.total, resolution)
    power = logarithm(slopes - exponent, noise, ratio)
    if outcome is Outcome.REFUTED and power:
        outcome, reason = Outcome.INCONCLUSIVE, SLOWLY.format(f"the slope goes to {exponent:g}")
    beneath = False
    if outcome is Outcome.SUPPORTED or (outcome is Outcome.REFUTED and exponent < found.value):  # the others need no such term
        shown = exponent + resolution * round((found.value - exponent) / resolution)
        lower = exponent - resolution if outcome is Outcome.SUPPORTED else min(exponent, shown - resolution)
        beneath, why = _lower_order(steps, errors, floor, shown, lower)
        outcome, reason = (Outcome.INCONCLUSIVE, why) if why else (outcome, reason)
    rests = [comparison.hypothesis] if comparison.hypothesis else []
    rests += [NO_LOGARITHM] if outcome is Outcome.SUPPORTED and power >= HIDDEN else []
    rests += [UNDER_THE_FLOOR] if beneath and outcome is not Outcome.INCONCLUSIVE else []
    finding = comparison.finding(
        where=where,
        predicted=exponent,
        measured=found.value,
        budget=budget,
        margin=_margin(outcome, deviation, budget.total, resolution),
        tightness=found.value / exponent if comparison.prediction.one_sided and exponent else math.nan,
        power=budget.total + max(-deviation, 0.0) if comparison.prediction.one_sided else budget.total,
        outcome=outcome,
        reason=reason,
        resolved=outcome is not Outcome.INCONCLUSIVE,
        hypothesis=", and ".join(rests),
        **count,
    )
    if constant is None:
        return [finding]
    if outcome is not Outcome.SUPPORTED:
        says = "is refuted" if outcome is Outcome.REFUTED else "is open"
        return [finding, *_aside(comparison, where | {"constant": True}, constant, None, f"its exponent {says}", count)]
    return [finding, _constant(comparison, where, constant, steps, errors, floor, exponent, count)]


def _aside(
    comparison: Comparison, where: dict, predicted: float, constant: float | None, reason: str, count: dict
) -> list[Finding]:
    """Findings, of an exponent and of its constant, that say nothing."""
    parts = [(where, predicted)] + ([] if constant is None else [(where | {"constant": True}, constant)])
    return [
        comparison.finding(where=place, predicted=value, outcome=Outcome.INCONCLUSIVE, reason=reason, resolved=False, **count)
        for place, value in parts
    ]


def _exponent(
    found: Limit, slopes: np.ndarray, exponent: float, deviation: float, budget: float, resolution: float
) -> tuple[Outcome, str]:
    if found.reason:
        return Outcome.INCONCLUSIVE, f"the slope has not settled ({found.reason}): not yet asymptotic, or noise above the floor"
    if found.slow and abs(deviation) <= budget + found.slow:
        return Outcome.INCONCLUSIVE, SLOWLY.format(f"the slope goes to {exponent:g}")
    if deviation > budget:
        # where the error stops falling, an undeclared floor and order zero look alike
        if exponent and abs(found.value) <= max(budget, resolution / 8) and np.abs(slopes).max() > resolution / 4:
            return Outcome.INCONCLUSIVE, "the error stops falling: order zero, or a floor that is not declared"
        return Outcome.REFUTED, f"slope {found.value:.3f} lies {abs(deviation):.3g} off, the budget is {budget:.3g}"
    if budget >= resolution / 2:
        return Outcome.INCONCLUSIVE, f"the budget {budget:.3g} reaches the rival exponent, {resolution:g} away"
    return Outcome.SUPPORTED, ""


def _margin(outcome: Outcome, deviation: float, budget: float, resolution: float) -> float:
    """How far the nearest rival lies beyond the budget, as a share of its distance; for a refutation, the excess in budgets.

    The budget of an order follows the curve's own drift, so a deviation in units of this budget would say nothing.
    """
    if outcome is Outcome.REFUTED:
        return 1 - deviation / budget if budget else -math.inf
    return 1 - (max(deviation, 0.0) + budget) / resolution


def _judged_steps(steps: np.ndarray, share: np.ndarray, most: float) -> tuple[slice, int]:
    """Steps far enough apart between which the floor moves no slope by more, and how many are needed.

    Of near steps every so many are taken, beginning with any of the first: those whose finest stretch that is long enough
    reaches farthest, else the longest stretch.
    """
    every = _intervals(LEAST_RATIO, steps)
    needed = max(_points_needed(steps[start::every]) for start in range(every))
    runs = []
    for start in range(every):
        run = _finest_stretch(_slope_noise(steps[start::every], share[start::every]) <= most, needed)
        runs.append(slice(start + every * run.start, start + every * run.stop, every))
    enough = [run for run in runs if len(steps[run]) >= needed]
    return max(enough, key=lambda run: run.stop) if enough else max(runs, key=lambda run: len(steps[run])), needed


def _slope_noise(steps: np.ndarray, share: np.ndarray) -> np.ndarray:
    """How far a floor, given as shares of the errors, moves each slope."""
    return (share[:-1] + share[1:]) / np.log(steps[:-1] / steps[1:])


def _finest_stretch(clean: np.ndarray, needed: int) -> slice:
    """The points of the finest run of clean pairs that is long enough, else of the longest run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], clean, [False]]).astype(int)))
    runs = [slice(int(start), int(stop) + 1) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    enough = [run for run in runs if run.stop - run.start >= needed]
    return enough[-1] if enough else max(runs, key=lambda run: run.stop - run.start, default=slice(0, 0))


def _lower_order(steps: np.ndarray, errors: np.ndarray, floor: np.ndarray, shown: float, lower: float) -> tuple[bool, str]:
    """Whether a term of a lower order than the shown one could hide under the floor, and why it leaves the exponent open.

    The shares of the term that the data allow, beside the shown order and tails in h^(1/2), h and h^2, are an interval, found
    by linear programming.
    """
    fine = steps / steps[-1]
    unseen = float((floor / errors * fine ** (shown - lower)).min())  # the largest share at the finest step
    if unseen <= TRACE:
        return False, ""
    columns = np.stack([fine ** (lower - shown), *((fine / fine[0]) ** power for power in (0, 0.5, 1, 2))], axis=1)
    scale = errors[-1] * fine**shown
    rows, sides = np.concatenate([columns, -columns]), np.concatenate([(errors + floor) / scale, (floor - errors) / scale])
    least, most = (linprog([sign, 0, 0, 0, 0], rows, sides, bounds=(None, None)) for sign in (1, -1))
    if least.success and most.success and (least.fun > TRACE or -most.fun < -TRACE):
        size = min(abs(least.fun), abs(most.fun))
        return True, f"a term of order {lower:g} shows: it is {size:.2g} of the error at the finest step, or more"
    if unseen * (steps[-1] / steps[0]) ** (shown - lower) > TRACE:
        return True, f"the steps span too little for this floor: a term of order {lower:g} could lie under it at all of them"
    return True, ""


def _constant(
    comparison: Comparison,
    where: dict,
    constant: float,
    steps: np.ndarray,
    errors: np.ndarray,
    floor: np.ndarray,
    exponent: float,
    count: dict,
) -> Finding:
    """The ratio error / step**exponent tends to the predicted constant."""
    scale, share = steps**exponent, comparison.prediction.constant_resolution
    ratios, size = errors / scale, abs(constant)
    resolution = share / (1 + share) * size  # to the nearest rivals, constant * (1 + share) and constant / (1 + share)
    found = limit(ratios, float(steps[-2] / steps[-1]), floor / scale, TRACE * abs(float(ratios[-1])), 0.4 * resolution)
    forgiven = min(FORGIVEN * size, 0.4 * resolution, 2 * found.roughness)
    budget = Budget(found.rounding + forgiven, found.drift)
    deviation = abs(found.value - constant)
    away = np.abs(ratios - constant)
    late = size and away[-1] < away[-2] and logarithm(ratios / constant - 1, floor / scale / size, float(steps[-2] / steps[-1]))
    if found.reason:
        outcome, reason = Outcome.INCONCLUSIVE, f"the constant has not settled ({found.reason}): not yet asymptotic, or noise"
    elif deviation <= budget.total + found.slow if found.slow else deviation > budget.total and late:
        outcome, reason = Outcome.INCONCLUSIVE, SLOWLY.format(f"the constant goes to {constant:g}")
    elif deviation > budget.total:
        outcome, reason = (
            Outcome.REFUTED,
            f"constant {found.value:.4g} differs by {deviation:.3g}, the budget is {budget.total:.3g}",
        )
    elif budget.total >= resolution / 2:
        outcome, reason = Outcome.INCONCLUSIVE, f"the constant's budget {budget.total:.3g} reaches a rival {share:.0%} away"
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    return comparison.finding(
        where=where | {"constant": True},
        predicted=constant,
        measured=found.value,
        budget=budget,
        margin=_margin(outcome, deviation, budget.total, resolution),
        tightness=found.value / constant if constant else math.nan,
        power=budget.total,
        outcome=outcome,
        reason=reason,
        resolved=outcome is not Outcome.INCONCLUSIVE,
        **count,
    )
