"""The judge: one pure function from a claim, its predictions and its measurement to a verdict.

A tolerance is derived, never chosen because it passes: budget = rounding floor + next symbolic term + sampling. The rules by
relation live in ``compare`` (equalities, bounds), ``orders`` (exponents) and ``seeds`` (trained runs, the impossible); here is
what they share. ``benchmarks/judge.py`` measures how often the verdicts are wrong.

The measured dataset has a dimension ``cell``; a variable ``x`` may come with ``x_floor`` (its rounding floor) and
``x_sampling`` (a bound on what sampling, or an iteration that was ended, adds; an attribute ``rate`` says how often sampling
passes the bound), whose dimensions are among those of ``x``, and ``x_possible`` (the positive control of an impossibility).
Where a prediction speaks of a mean, ``x`` holds the samples themselves and the judge makes the interval.
"""

import cmath
import dataclasses
import math
import numbers as numbers_abc
from collections.abc import Sequence

import numpy as np
import xarray as xr

from depthjax.verify.claim import Claim, Prediction, Predictions, Relation
from depthjax.verify.compare import Quantity, bound, equality
from depthjax.verify.means import SKEWNESS, interval
from depthjax.verify.orders import order
from depthjax.verify.rates import RATE
from depthjax.verify.seeds import impossible, ranking, trend
from depthjax.verify.verdict import Finding, Outcome, Verdict


def judge(claim: Claim, predictions: Sequence[Predictions | None] | Prediction, measurement: xr.Dataset) -> Verdict:
    """Hold a measurement against the predictions of a claim.

    Args:
        claim: states the relation.
        predictions: one entry for each cell (one prediction, several, or None for a cell that nothing is said of); a single
            prediction stands for a single cell.
        measurement: variables named by the predictions, over the dimension ``cell`` and others.

    Raises:
        ValueError: if cells and predictions differ in number, a predicted variable was not measured, or the axes of a
            prediction, a floor or a sampling error are not among those of the variable.
    """
    if isinstance(predictions, Prediction):
        predictions = [predictions]
    if "cell" not in measurement.dims:
        measurement = measurement.expand_dims("cell")
    if measurement.sizes["cell"] != len(predictions):
        raise ValueError(f"{measurement.sizes['cell']} cells were measured and {len(predictions)} predicted")
    entries = [
        (cell, prediction)
        for cell, entry in enumerate(predictions)
        for prediction in ([entry] if isinstance(entry, Prediction) else entry or ())
    ]
    family = sum(_statistical_points(claim, prediction, measurement) for _, prediction in entries)
    findings: list[Finding] = []
    for cell, prediction in entries:
        findings += _judge_quantity(claim, _quantity(claim, cell, prediction, measurement), measurement, family)
    verdict = Verdict(claim.slug, Outcome.of_all(findings), tuple(findings), skipped=_skipped(findings, measurement))
    worst = verdict.worst
    return dataclasses.replace(verdict, reason="nothing was judged" if worst is None else worst.reason)


def _skipped(findings: Sequence[Finding], measurement: xr.Dataset) -> tuple[str, ...]:
    names = measurement["cell"].to_numpy().tolist() if "cell" in measurement.coords else range(measurement.sizes["cell"])
    lines = []
    for finding in findings:
        if not finding.resolved:
            where = [names[finding.cell], *(f"{k}={v}" for k, v in finding.where.items() if k not in ("step", "constant"))]
            lines.append(f"{finding.quantity} at {', '.join(map(str, where))}: {finding.reason}")
    return tuple(lines)


def _quantity(claim: Claim, cell: int, prediction: Prediction, measurement: xr.Dataset) -> Quantity:
    def part(suffix: str) -> xr.DataArray:
        name = prediction.of + suffix
        values = measurement[name] if name in measurement else xr.DataArray(0.0)
        return values.isel(cell=cell, drop=True) if "cell" in values.dims else values

    relation = prediction.relation or claim.relation
    measured = _measured(claim, prediction, measurement).isel(cell=cell, drop=True)
    sampling = part("_sampling")
    rate = float(sampling.attrs.get("rate", 0.0))
    quantity = Quantity(prediction, relation, cell, measured, part("_floor"), sampling, rate)
    for what, dims in (
        ("the prediction", prediction.dims),
        ("its floor", quantity.floor.dims),
        ("sampling", quantity.sampling.dims),
    ):
        if extra := [str(dim) for dim in dims if dim not in measured.dims]:
            raise ValueError(
                f"{claim.slug}: {what} of {prediction.of!r} has the axis {', '.join(map(repr, extra))}, which the measurement "
                f"lacks: it has {', '.join(map(repr, measured.dims)) or 'none'}"
            )
    for dim, size in prediction.exact().sizes.items():
        if size != measured.sizes[dim]:
            raise ValueError(
                f"{claim.slug}: {prediction.of!r} is predicted at {size} points of {dim!r}, but measured at "
                f"{measured.sizes[dim]}"
            )
    return quantity


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


def _averaged(quantity: Quantity, family: int) -> Quantity:
    """The quantity as a mean over its samples, the half width of whose interval joins what sampling adds."""
    dim = quantity.prediction.mean
    if not dim:
        return quantity
    given = quantity.prediction.skewness
    mean, width = interval(quantity.measured, dim, RATE / family, SKEWNESS if given is None else given)
    floor, sampling = (
        part.mean(dim) if dim in part.dims else part for part in (quantity.floor, quantity.sampling + xr.zeros_like(mean))
    )
    return dataclasses.replace(quantity, measured=mean, floor=floor, sampling=sampling + width, rate=RATE)


def _judge_quantity(claim: Claim, quantity: Quantity, measurement: xr.Dataset, family: int) -> list[Finding]:
    if reason := _unfit(claim, quantity):
        where = {} if quantity.measured.size else {"size": 0}
        return [quantity.finding(where=where, outcome=Outcome.INCONCLUSIVE, reason=reason)]
    quantity = _averaged(quantity, family)
    if bool(quantity.sampling.isnull().any()):
        reason = "all samples of a mean are equal, or there is one only: their spread says nothing of the mean"
        return [quantity.finding(outcome=Outcome.INCONCLUSIVE, reason=reason)]
    match quantity.relation:
        case Relation.EQUALS:
            return [equality(quantity)]
        case Relation.AT_MOST | Relation.AT_LEAST:
            return [bound(quantity)]
        case Relation.ORDER:
            return order(quantity)
        case Relation.RANKING:
            return [ranking(quantity, family)]
        case Relation.TREND:
            return trend(quantity, family)
        case Relation.IMPOSSIBLE:
            name = quantity.prediction.of + "_possible"
            positive = measurement[name].isel(cell=quantity.cell).to_numpy() if name in measurement else np.zeros(0)
            return [impossible(quantity, positive)]


def _unfit(claim: Claim, quantity: Quantity) -> str:
    """Why this quantity cannot be judged at all; empty if it can."""
    prediction, values = quantity.prediction, quantity.measured
    failed = [h.statement for h in prediction.hypotheses if not h.holds]
    if failed:
        return "hypothesis not met: " + "; ".join(failed)
    if values.size == 0:
        return "nothing was measured"
    if claim.needs_float64 and values.dtype.kind in "fc" and values.dtype.itemsize < 8:
        return f"measured in {values.dtype}, but this claim needs float64"
    if prediction.mean and prediction.mean not in values.dims:
        return f"a mean over {prediction.mean!r} is predicted, an axis which the measurement lacks: it has {values.dims}"
    predicted = prediction.exact()
    if quantity.relation in (Relation.AT_MOST, Relation.AT_LEAST):  # an infinite bound on the far side says nothing, and may
        far = math.inf if quantity.relation is Relation.AT_MOST else -math.inf
        predicted = predicted.where(predicted != far, 0.0)
    parts = {
        "the prediction": predicted,
        "the predicted constant": xr.DataArray(0.0 if prediction.constant is None else prediction.constant),
        "the prediction's truncation": prediction.left_out(),
        "the measurement": values,
        "its floor": quantity.floor,
        "its sampling error": quantity.sampling,
    }
    for what, array in parts.items():
        if bad := _not_numbers(what, array):
            return bad
    if any((array.to_numpy() < 0).any() for array in (quantity.floor, quantity.sampling, prediction.left_out())):
        return "a floor, a sampling error or a truncation is negative"
    if quantity.relation is not Relation.EQUALS and (values.dtype.kind == "c" or parts["the prediction"].dtype.kind == "c"):
        return f"complex numbers can be equal, but have no {quantity.label}"
    apart = prediction.apart()
    if not prediction.constant_resolution > 0 or not (apart is None or bool((apart > 0).all())):
        return "a resolution of the prediction is not a positive number"
    return ""


def _not_numbers(what: str, array: xr.DataArray) -> str:
    numbers = array.to_numpy()
    if numbers.dtype.kind == "O":  # integers and fractions of any size are finite
        finite = [isinstance(n, numbers_abc.Rational) or cmath.isfinite(complex(n)) for n in numbers.flat]
        bad = ~np.array(finite, bool).reshape(numbers.shape)
    else:
        bad = ~np.isfinite(numbers) if numbers.dtype.kind in "fc" else np.zeros(numbers.shape, bool)
    if not bad.any():
        return ""
    index = tuple(int(i) for i in np.argwhere(bad)[0]) if numbers.ndim else ()
    where = ", ".join(f"{d}={i}" for d, i in zip(array.dims, index, strict=True)) or "the only point"
    return f"{what} is {numbers[index]} at {where} ({int(bad.sum())} of {numbers.size} points)"
