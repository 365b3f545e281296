"""The judge: one pure function from a claim, its predictions and its measurement to a verdict.

A tolerance is derived, never chosen because it passes: budget = rounding floor + next symbolic term + sampling. The rules by
relation live in ``compare`` (equalities, bounds), ``orders`` (exponents) and ``seeds`` (trained runs, the impossible); here is
what they share. ``benchmarks/judge.py`` measures how often the verdicts are wrong.

The measured dataset (`depthjax.verify.measured`) has a dimension ``cell``, and each quantity names its rounding floor, its
sampling error and its positive control. Where a prediction speaks of a mean, the quantity holds the samples themselves and the
judge makes the interval.
"""

import cmath
import dataclasses
import math
import numbers as numbers_abc
from collections.abc import Sequence

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.verify.claim import Claim
from depthjax.verify.compare import Comparison, bound, equality
from depthjax.verify.means import ALARM, fewest, interval, unlike
from depthjax.verify.orders import order
from depthjax.verify.prediction import Prediction, Predictions
from depthjax.verify.quantity import cell_names, part
from depthjax.verify.rates import RATE
from depthjax.verify.relation import Relation
from depthjax.verify.seeds import impossible, ranking, trend
from depthjax.verify.verdict import Finding, Outcome, Verdict

DISTANCES = (Relation.EQUALS, Relation.AT_MOST, Relation.AT_LEAST, Relation.ORDER)  # judged against a rounding floor


def judge(
    claim: Claim, predictions: Sequence[Predictions | None] | Prediction, measurement: xr.Dataset, *further: xr.Dataset
) -> Verdict:
    """Hold a measurement against the predictions of a claim.

    Args:
        claim: states the relation.
        predictions: one entry for each cell (one prediction, several, or None for a cell that nothing is said of); a single
            prediction stands for a single cell.
        measurement: variables named by the predictions, over the dimension ``cell`` and others.
        further: measurements of the cells that follow, whose axes may be other ones or have other lengths.

    Raises:
        ValueError: if cells and predictions differ in number, a predicted variable was not measured, or the axes of a
            prediction, a floor or a sampling error are not among those of the variable.

    >>> from depthjax.verify import Quantity, claim, measured
    >>> data = measured(depth=Quantity([2, 3], "group"))
    >>> print(judge(claim(Relation.EQUALS), Prediction([2, 3], of="depth", dims=("group",)), data))
    SUPPORTED: depth is 2, predicted 2
    >>> print(judge(claim(Relation.EQUALS), Prediction([2, 4], of="depth", dims=("group",)), data))
    REFUTED: depth is 3, predicted 4: differs by 1, the budget is 0
    """
    if isinstance(predictions, Prediction):
        predictions = [predictions]
    parts = [one if "cell" in one.dims else one.expand_dims("cell") for one in (measurement, *further)]
    places = [(one, cell) for one in parts for cell in range(one.sizes["cell"])]
    if len(places) != len(predictions):
        raise ValueError(f"{len(places)} cells were measured and {len(predictions)} predicted")
    entries = [
        (index, prediction)
        for index, entry in enumerate(predictions)
        for prediction in ([entry] if isinstance(entry, Prediction) else entry or ())
    ]
    family = sum(_statistical_points(claim, prediction, places[index][0]) for index, prediction in entries)
    findings: list[Finding] = []
    for index, prediction in entries:
        one, cell = places[index]
        found = _judge(claim, _comparison(claim, cell, prediction, one), one, family)
        findings += (dataclasses.replace(finding, cell=index) for finding in found)
    names = [name for one in parts for name in cell_names(one)]
    verdict = Verdict(claim.slug, Outcome.of_all(findings), tuple(findings), skipped=_skipped(findings, names))
    worst = verdict.worst
    return dataclasses.replace(verdict, reason="nothing was judged" if worst is None else worst.reason)


def _skipped(findings: Sequence[Finding], names: Sequence[str]) -> tuple[str, ...]:
    lines = []
    for finding in findings:
        if not finding.resolved:
            where = [names[finding.cell], *(f"{k}={v}" for k, v in finding.where.items() if k not in ("step", "constant"))]
            lines.append(f"{finding.quantity} at {', '.join(map(str, where))}: {finding.reason}")
    return tuple(lines)


def _comparison(claim: Claim, cell: int, prediction: Prediction, measurement: xr.Dataset) -> Comparison:
    relation = prediction.relation or claim.relation
    measured = _measured(claim, prediction, measurement).isel(cell=cell, drop=True)

    def beside(role: str) -> xr.DataArray:
        values = part(measurement, prediction.of, role)
        if values is None:
            return xr.DataArray(0.0)
        values = values.copy(data=dtypes.wide(values.to_numpy()))  # a narrow type would round sums of budgets
        return values.isel(cell=cell, drop=True) if "cell" in values.dims else values

    sampling = beside("sampling")
    if relation in DISTANCES and dtypes.is_inexact(measured.dtype) and not prediction.mean and not sampling.attrs:
        if part(measurement, prediction.of, "floor") is None:
            raise ValueError(
                f"{claim.slug}: the quantity {prediction.of!r} holds rounded numbers and has no rounding floor: "
                "measure it as Quantity(..., floor=...), with floor=0.0 where nothing is rounded"
            )
    rate = float(sampling.attrs.get("rate", 0.0))
    comparison = Comparison(prediction, relation, cell, measured, beside("floor"), sampling, rate)
    for what, dims in (
        ("the prediction", prediction.dims),
        ("its floor", comparison.floor.dims),
        ("sampling", comparison.sampling.dims),
    ):
        if extra := [str(dim) for dim in dims if dim not in measured.dims]:
            raise ValueError(
                f"{claim.slug}: {what} of {prediction.of!r} has the axis {', '.join(map(repr, extra))}, which the measurement "
                f"lacks: it has {', '.join(map(repr, measured.dims)) or 'none'}"
            )
    apart = prediction.apart()
    if relation is not Relation.EQUALS and apart is not None and apart.ndim:
        raise ValueError(
            f"{claim.slug}: the resolution of {prediction.of!r} is an array: {relation.value!r} is told by one number"
        )
    said = prediction.exact()
    if relation is Relation.IMPOSSIBLE and bool(((said == said) & (said != 0)).any()):  # NaN is left open below
        raise ValueError(f"{claim.slug}: {prediction.of!r} is said to be impossible, so the prediction is 0: no run succeeds")
    if relation is Relation.ORDER and "step" in prediction.dims:
        raise ValueError(f"{claim.slug}: the order of {prediction.of!r} is predicted over 'step': a curve has one order")
    for dim, size in said.sizes.items():
        if size != measured.sizes[dim]:
            raise ValueError(
                f"{claim.slug}: {prediction.of!r} is predicted at {size} points of {dim!r}, but measured at "
                f"{measured.sizes[dim]}"
            )
    return comparison


def _measured(claim: Claim, prediction: Prediction, measurement: xr.Dataset) -> xr.DataArray:
    if prediction.of not in measurement:
        raise ValueError(
            f"{claim.slug} predicts {prediction.of!r}, which was not measured; there are {sorted(map(str, measurement))}"
        )
    values = measurement[prediction.of]
    return values if "cell" in values.dims else values.expand_dims(cell=measurement.sizes["cell"])


def _statistical_points(claim: Claim, prediction: Prediction, measurement: xr.Dataset) -> int:
    """How many judgements of this prediction share the rate of false refutations."""
    values = _measured(claim, prediction, measurement)
    relation = prediction.relation or claim.relation
    over = "seed" if relation is Relation.TREND else prediction.mean
    if relation is Relation.RANKING:
        return 1
    return math.prod(size for dim, size in values.sizes.items() if dim not in ("cell", over)) if over else 0


def _averaged(comparison: Comparison, family: int) -> Comparison:
    """The comparison as a mean over its samples, the half width of whose interval joins what sampling adds."""
    dim = comparison.prediction.mean
    if not dim:
        return comparison
    mean, width = interval(comparison.measured, dim, RATE / family, comparison.skewness)
    floor, sampling = (
        part.mean(dim) if dim in part.dims else part for part in (comparison.floor, comparison.sampling + xr.zeros_like(mean))
    )
    return dataclasses.replace(comparison, measured=mean, floor=floor, sampling=sampling + width, rate=RATE)


def _judge(claim: Claim, comparison: Comparison, measurement: xr.Dataset, family: int) -> list[Finding]:
    if reason := _unfit(claim, comparison):
        where = {} if comparison.measured.size else {"size": 0}
        return [comparison.finding(where=where, outcome=Outcome.INCONCLUSIVE, reason=reason)]
    if (dim := comparison.prediction.mean) and (
        reason := unlike(comparison.measured, dim, comparison.skewness, ALARM / family)
    ):
        return [comparison.finding(outcome=Outcome.INCONCLUSIVE, reason=reason)]
    if dim and comparison.measured.sizes[dim] < (needed := fewest(RATE / family)):
        reason = f"a mean of {comparison.measured.sizes[dim]} samples: it takes {needed} to show both sides of a fair coin"
        return [comparison.finding(outcome=Outcome.INCONCLUSIVE, reason=reason)]
    comparison = _averaged(comparison, family)
    if bool(comparison.sampling.isnull().any()):
        reason = "all samples of a mean are equal: their spread says nothing of the mean"
        return [comparison.finding(outcome=Outcome.INCONCLUSIVE, reason=reason)]
    match comparison.relation:
        case Relation.EQUALS:
            return [equality(comparison)]
        case Relation.AT_MOST | Relation.AT_LEAST:
            return [bound(comparison)]
        case Relation.ORDER:
            return order(comparison)
        case Relation.RANKING:
            return [ranking(comparison, family)]
        case Relation.TREND:
            return trend(comparison, family)
        case Relation.IMPOSSIBLE:
            positive = part(measurement, comparison.prediction.of, "possible")
            return [impossible(comparison, np.zeros(0) if positive is None else positive.isel(cell=comparison.cell).to_numpy())]


def _unfit(claim: Claim, comparison: Comparison) -> str:
    """Why this comparison cannot be judged at all; empty if it can."""
    prediction, values = comparison.prediction, comparison.measured
    failed = [h.statement for h in prediction.hypotheses if not h.holds]
    if failed:
        return "hypothesis not met: " + "; ".join(failed)
    if values.size == 0:
        return "nothing was measured"
    if claim.needs_float64 and dtypes.is_inexact(values.dtype) and dtypes.eps(values.dtype) > dtypes.eps(float):
        return f"measured in {values.dtype}, but this claim needs float64"
    if prediction.mean and prediction.mean not in values.dims:
        return f"a mean over {prediction.mean!r} is predicted, an axis which the measurement lacks: it has {values.dims}"
    predicted = prediction.exact()
    if comparison.relation in (Relation.AT_MOST, Relation.AT_LEAST):  # an infinite bound on the far side says nothing, and may
        far = math.inf if comparison.relation is Relation.AT_MOST else -math.inf
        predicted = predicted.where(predicted != far, 0.0)
    parts = {
        "the prediction": predicted,
        "the predicted constant": xr.DataArray(0.0 if prediction.constant is None else prediction.constant),
        "the prediction's truncation": prediction.left_out(),
        "the measurement": values,
        "its floor": comparison.floor,
        "its sampling error": comparison.sampling,
    }
    for what, array in parts.items():
        if bad := _not_numbers(what, array):
            return bad
    if any(_is_complex(array) for array in (comparison.floor, comparison.sampling)):
        return "a floor or a sampling error is complex: it is a distance, a real number"
    if any((array.to_numpy() < 0).any() for array in (comparison.floor, comparison.sampling, prediction.left_out())):
        return "a floor, a sampling error or a truncation is negative"
    if comparison.relation is not Relation.EQUALS and any(_is_complex(array) for array in (values, predicted)):
        return f"complex numbers can be equal, but have no {comparison.label}"
    if comparison.relation in (Relation.TREND, Relation.IMPOSSIBLE) and bool((other := (values != 0) & (values != 1)).any()):
        return f"a success is 1 and a failure 0, but the measurement holds {values.to_numpy()[other.to_numpy()][0]}"
    if prediction.mean and _is_complex(values):
        return "a mean of complex numbers has no order, nor an interval: give their real and imaginary parts"
    apart = prediction.apart()
    if not prediction.constant_resolution > 0 or not (apart is None or bool((apart > 0).all())):
        return "a resolution of the prediction is not a positive number"
    if comparison.relation in (Relation.EQUALS, Relation.ORDER) and apart is not None and not bool(np.isfinite(apart).all()):
        return "a resolution of the prediction is infinite: only bounds may have no rival"
    return ""


def _not_numbers(what: str, array: xr.DataArray) -> str:
    numbers = dtypes.wide(array.to_numpy())
    if dtypes.is_inexact(numbers.dtype):
        bad = ~np.isfinite(numbers)
    elif dtypes.is_exact(numbers.dtype):
        return ""
    else:  # objects: integers and fractions of any size are finite
        bad = ~np.array([_finite(entry) for entry in numbers.flat], bool).reshape(numbers.shape)
    if not bad.any():
        return ""
    index = tuple(int(i) for i in np.argwhere(bad)[0]) if numbers.ndim else ()
    where = ", ".join(f"{d}={i}" for d, i in zip(array.dims, index, strict=True)) or "the only point"
    return f"{what} is {numbers[index]} at {where} ({int(bad.sum())} of {numbers.size} points)"


def _finite(entry: object) -> bool:
    """Whether an object is a finite number; what is no number is not."""
    try:
        return isinstance(entry, numbers_abc.Rational) or cmath.isfinite(complex(entry))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _is_complex(array: xr.DataArray) -> bool:
    numbers = array.to_numpy()
    if numbers.dtype == object:
        return any(not isinstance(entry, numbers_abc.Real) and isinstance(entry, complex) for entry in numbers.flat)
    return dtypes.is_complex(numbers.dtype)
