r"""Orders of decay: local slopes on the finest clean cells, with the drift between neighbours as the allowance for bias.

With errors :math:`e(h) = C h^p (1 + c_1 h + c_2 h^2 + \dots)` on steps :math:`h, h/r, h/r^2, \dots` the local slopes
:math:`s_i = \log(e_i/e_{i+1}) / \log r` obey :math:`s_i - p = a h + b h^2 + \dots`. Neighbours differ by
:math:`\Delta = (r-1) a h + (r^2-1) b h^2` and by :math:`\Delta' = r (r-1) a h + r^2 (r^2-1) b h^2` one step earlier, hence
:math:`\Delta'/r - \Delta = (r-1)(r^2-1) b h^2` isolates the second order, and

.. math:: |s - p| \le \frac{1}{r-1} \Bigl(|\Delta| + \frac{|\Delta'/r - \Delta|}{\min(1, r-1)}\Bigr)

whatever the signs of :math:`a` and :math:`b`. The allowance is twice that, for the orders beyond the second. Where
differences *grow* towards fine steps the cell has not reached its asymptotic range and nothing is concluded: such a curve
is set aside, and said so; the claim rests on those that float64 resolves.

Seeds do not cure this bias, hence no standard error enters. What does is the floor, by rounding or by anything else the
instrument adds: a floor :math:`f` under an error :math:`e` moves a slope by at most :math:`(f_i/e_i + f_{i+1}/e_{i+1})/\log r`;
pairs that this would move by more than a sixteenth of the distance to the rival exponent are dropped, and the finest unbroken
stretch of the others is judged.
"""

import math

import numpy as np

from depthjax.verify.claim import Relation
from depthjax.verify.compare import Quantity
from depthjax.verify.verdict import Budget, Finding, Outcome

SLOPES = 3  # two differences: one for the drift, one to see that it shrinks
ROUNDING_SHARE = 1 / 16


def local_slopes(steps: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Slopes of log error against log step between neighbours, coarse to fine. Shapes ``(n,), (n,) -> (n - 1,)``."""
    return np.diff(np.log(errors)) / np.diff(np.log(steps))


def order(quantity: Quantity) -> list[Finding]:
    """One finding for each curve over the dimension ``step``, and one for its leading constant where one is predicted.

    Raises:
        ValueError: without a dimension ``step`` whose coordinate holds the step sizes.
    """
    measured = quantity.measured
    if "step" not in measured.dims or "step" not in measured.coords:
        raise ValueError(
            f"an order needs a dimension 'step' with its sizes as coordinate; {measured.name!r} has {measured.dims}"
        )
    steps = measured["step"].to_numpy().astype(float)
    fine_last = np.argsort(-steps, kind="stable")
    curves = [dim for dim in measured.dims if dim != "step"]
    floor = quantity.floor.broadcast_like(measured).transpose(*curves, "step").to_numpy()
    errors = measured.transpose(*curves, "step").to_numpy().astype(float)
    exponent = quantity.prediction.array().broadcast_like(measured.isel(step=0)).transpose(*curves).to_numpy()
    findings = []
    for index in np.ndindex(errors.shape[:-1]):
        where = {
            str(dim): measured[dim].to_numpy()[i].item() if dim in measured.coords else i
            for dim, i in zip(curves, index, strict=True)
        }
        curve = errors[index][fine_last], floor[index][fine_last]
        findings += _curve(quantity, where, float(exponent[index]), steps[fine_last], *curve)
    return findings


def _curve(
    quantity: Quantity, where: dict, exponent: float, steps: np.ndarray, errors: np.ndarray, floor: np.ndarray
) -> list[Finding]:
    resolution = quantity.prediction.resolution or 1.0
    share = np.where(errors > floor, floor / np.where(errors > floor, errors, 1.0), np.inf)
    noise = (share[:-1] + share[1:]) / np.log(steps[:-1] / steps[1:])
    stretch = _finest_stretch(noise <= ROUNDING_SHARE * resolution)
    points = stretch.stop - stretch.start
    count = {"points": points, "dropped": errors.size - points}
    if points <= SLOPES:
        reason = f"{points} of {errors.size} steps lie clear of the floor; {SLOPES + 1} are needed"
        return [
            quantity.finding(
                where=where, predicted=exponent, outcome=Outcome.INCONCLUSIVE, reason=reason, resolved=False, **count
            )
        ]
    steps, errors, share, floor = steps[stretch], errors[stretch], share[stretch], floor[stretch]
    slope, budget, growing = _reading(steps, errors, share)
    budget = Budget(budget.rounding, budget.truncation + quantity.prediction.truncation)
    where = where | {"step": float(steps[-1])}
    deviation = exponent - slope if quantity.prediction.one_sided else abs(slope - exponent)
    holds = deviation <= budget.total
    if growing:
        outcome, reason = Outcome.INCONCLUSIVE, "the slope drifts faster towards fine steps: not yet asymptotic"
    elif not holds:
        outcome, reason = Outcome.REFUTED, f"slope {slope:.3f} lies {abs(deviation):.3g} off, the budget is {budget.total:.3g}"
    elif budget.total >= resolution / 2:
        outcome, reason = Outcome.INCONCLUSIVE, f"the budget {budget.total:.3g} reaches the rival exponent, {resolution:g} away"
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    finding = quantity.finding(
        where=where,
        predicted=exponent,
        measured=slope,
        budget=budget,
        margin=1 - max(deviation, 0.0) / budget.total if budget.total else float(holds),
        tightness=slope / exponent if quantity.prediction.one_sided and exponent else math.nan,
        power=budget.total + max(-deviation, 0.0) if quantity.prediction.one_sided else budget.total,
        outcome=outcome,
        reason=reason,
        resolved=outcome is not Outcome.INCONCLUSIVE,
        **count,
    )
    constant = quantity.prediction.constant
    if constant is None or quantity.relation is not Relation.ORDER:
        return [finding]
    return [finding, _constant(quantity, where, constant, steps[-3:], errors[-3:], floor[-3:], exponent, count)]


def _finest_stretch(clean: np.ndarray) -> slice:
    """The points of the finest run of clean pairs that is long enough, else of the longest run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], clean, [False]]).astype(int)))
    runs = [slice(int(start), int(stop) + 1) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    enough = [run for run in runs if run.stop - run.start > SLOPES]
    return enough[-1] if enough else max(runs, key=lambda run: run.stop - run.start, default=slice(0, 0))


def _reading(steps: np.ndarray, errors: np.ndarray, share: np.ndarray) -> tuple[float, Budget, bool]:
    """The finest slope, its budget, and whether it still drifts faster and faster; ``share`` is floor / error."""
    ratio = float(steps[-2] / steps[-1])
    slopes, noise = local_slopes(steps, errors), float(share[-2:].sum() / np.log(ratio))
    bias, growing = _drift(slopes, ratio, noise)
    return float(slopes[-1]), Budget(noise * _amplification(ratio), bias), growing


def _drift(values: np.ndarray, ratio: float, noise: float) -> tuple[float, bool]:
    """What is left to drift behind the last value, and whether the drift grows beyond what rounding explains."""
    differences = np.diff(values)
    last, before = differences[-1], differences[-2]
    growing = abs(last) > np.abs(differences[:-1]).max() + 4 * noise
    left = abs(last) + abs(before / ratio - last) / min(1.0, ratio - 1)
    return float(2 * left / (ratio - 1)), bool(growing)


def _amplification(ratio: float) -> float:
    """Rounding moves a value itself, and the two neighbours from which its drift is read."""
    return (ratio + 1) / (ratio - 1)


def _constant(
    quantity: Quantity,
    where: dict,
    constant: float,
    steps: np.ndarray,
    errors: np.ndarray,
    floor: np.ndarray,
    exponent: float,
    count: dict,
) -> Finding:
    """The ratio error / step**exponent tends to the predicted constant; its own drift is its bias."""
    ratios = errors / steps**exponent
    rounding, ratio = float(floor[-1] / steps[-1] ** exponent), float(steps[-2] / steps[-1])
    bias, growing = _drift(ratios, ratio, rounding)
    budget = Budget(rounding * _amplification(ratio), bias)
    deviation = abs(float(ratios[-1]) - constant)
    # the nearest rival statement is a constant half as large again
    blind = growing or budget.total >= abs(constant) / 4
    if deviation > budget.total and not growing:
        outcome, reason = (
            Outcome.REFUTED,
            f"constant {ratios[-1]:.4g} differs by {deviation:.3g}, the budget is {budget.total:.3g}",
        )
    elif blind:
        outcome, reason = Outcome.INCONCLUSIVE, f"the constant's budget {budget.total:.3g} reaches a rival half as large again"
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    return quantity.finding(
        where=where | {"constant": True},
        predicted=constant,
        measured=float(ratios[-1]),
        budget=budget,
        margin=1 - deviation / budget.total if budget.total else float(deviation == 0),
        tightness=float(ratios[-1]) / constant if constant else math.nan,
        power=budget.total,
        outcome=outcome,
        reason=reason,
        resolved=outcome is not Outcome.INCONCLUSIVE,
        **count,
    )
