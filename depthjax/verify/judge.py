"""The judge: one pure function from a claim, its predictions and its measurement to a verdict.

A tolerance is derived, never chosen because it passes: budget = rounding floor + next symbolic term + sampling. The rules by
relation live in ``compare`` (equalities, bounds), ``orders`` (exponents) and ``seeds`` (trained runs, the impossible); here is
what they share.

The measured dataset has a dimension ``cell``; a variable ``x`` may come with ``x_floor`` (its rounding floor) and
``x_sampling`` (half width of its sampling interval), which broadcast against it, and ``x_possible`` (the positive control of an
impossibility).
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
import xarray as xr

from depthjax.verify.claim import Claim, Prediction, Predictions, Relation
from depthjax.verify.compare import Quantity, bound, equality
from depthjax.verify.orders import order
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
        ValueError: if cells and predictions differ in number, or a predicted variable was not measured.
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
    findings: list[Finding] = []
    for cell, prediction in entries:
        findings += _judge_quantity(claim, _quantity(claim, cell, prediction, measurement), measurement, len(entries))
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
    if prediction.of not in measurement:
        raise ValueError(
            f"{claim.slug} predicts {prediction.of!r}, which was not measured; there are {sorted(map(str, measurement))}"
        )

    def part(suffix: str) -> xr.DataArray:
        name = prediction.of + suffix
        values = measurement[name] if name in measurement else xr.DataArray(0.0)
        return values.isel(cell=cell, drop=True) if "cell" in values.dims else values

    relation = prediction.relation or claim.relation
    return Quantity(prediction, relation, cell, part(""), part("_floor"), part("_sampling"))


def _judge_quantity(claim: Claim, quantity: Quantity, measurement: xr.Dataset, family: int) -> list[Finding]:
    if reason := _unfit(claim, quantity):
        where = {} if quantity.measured.size else {"size": 0}
        return [quantity.finding(where=where, outcome=Outcome.INCONCLUSIVE, reason=reason)]
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
    failed = [h.statement for h in quantity.prediction.hypotheses if not h.holds]
    if failed:
        return "hypothesis not met: " + "; ".join(failed)
    values = quantity.measured
    if values.size == 0:
        return "nothing was measured"
    if claim.needs_float64 and values.dtype.kind in "fc" and values.dtype.itemsize < 8:
        return f"measured in {values.dtype}, but this claim needs float64"
    for what, array in (("the measurement", values), ("its floor", quantity.floor), ("its sampling error", quantity.sampling)):
        numbers = array.to_numpy()
        bad = ~np.isfinite(numbers) if numbers.dtype.kind in "fc" else np.zeros(numbers.shape, bool)
        if bad.any():
            index = tuple(int(i) for i in np.argwhere(bad)[0]) if numbers.ndim else ()
            where = ", ".join(f"{d}={i}" for d, i in zip(array.dims, index, strict=True)) or "the only point"
            return f"{what} is {numbers[index]} at {where} ({int(bad.sum())} of {numbers.size} points)"
    return ""
