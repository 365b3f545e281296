"""Equalities and bounds: the worst point of a cell against its budget."""

import dataclasses
import math

import numpy as np
import xarray as xr

from depthjax.verify.claim import Prediction, Relation
from depthjax.verify.verdict import Budget, Finding, Outcome


@dataclasses.dataclass(frozen=True)
class Quantity:
    """One measured variable of one cell, with its prediction; what every comparison below starts from."""

    prediction: Prediction
    relation: Relation
    cell: int
    measured: xr.DataArray
    floor: xr.DataArray
    sampling: xr.DataArray

    def aligned(self) -> tuple[xr.DataArray, ...]:
        """Predicted, measured, rounding floor and sampling error as floats on the same axes."""
        return xr.broadcast(self.prediction.array(), self.measured.astype(float), self.floor, self.sampling)

    @property
    def label(self) -> str:
        """The relation in words."""
        return f"{self.relation.value} at least" if self.prediction.one_sided else self.relation.value

    def finding(self, **parts) -> Finding:
        """A finding about this quantity; what is not given is not a number."""
        empty = {
            "where": {},
            "predicted": math.nan,
            "measured": math.nan,
            "budget": Budget(),
            "margin": math.nan,
            "tightness": math.nan,
            "power": math.nan,
        }
        return Finding(quantity=self.prediction.of, cell=self.cell, relation=self.label, **(empty | parts))


def equality(quantity: Quantity) -> Finding:
    """Measured equals predicted within the budget, and the budget could have told the nearest rival apart."""
    prediction = quantity.prediction
    predicted, measured, rounding, sampling = quantity.aligned()
    resolution = prediction.resolution
    if resolution is None and quantity.measured.dtype.kind in "iub":
        resolution = 1.0
    total = rounding + sampling + prediction.truncation
    # between integers no tolerance is needed: halfway to the next one is where the answer changes
    tolerance = total.where(total > 0, 0.0 if resolution is None else resolution / 2)
    deviation = abs(measured - predicted)
    with np.errstate(divide="ignore", invalid="ignore"):
        used = xr.where(deviation == 0, 0.0, deviation / tolerance)
    worst = _argmax(used)
    width = float(tolerance[worst])
    holds = float(used[worst]) <= 1
    widest = float(tolerance.max())
    blind = resolution is not None and widest > resolution / 2
    outcome, reason = _outcome(
        holds,
        blind,
        refuted=f"differs by {float(deviation[worst]):.3g}, the budget is {width:.3g}",
        no_power=f"the budget {widest:.3g} is wider than half the distance {resolution} to the nearest rival",
    )
    return quantity.finding(
        where=_coordinates(quantity.measured, measured, worst),
        predicted=float(predicted[worst]),
        measured=float(measured[worst]),
        budget=Budget(float(rounding[worst]), prediction.truncation, float(sampling[worst])),
        margin=1 - float(used[worst]),
        power=width,
        outcome=outcome,
        reason=reason,
        points=measured.size,
    )


def bound(quantity: Quantity) -> Finding:
    """Measured stays on its side of the bound at every point; points whose bound is under the floor are dropped."""
    prediction = quantity.prediction
    sign = 1.0 if quantity.relation is Relation.AT_MOST else -1.0
    predicted, measured, rounding, sampling = quantity.aligned()
    tolerance = rounding + sampling + prediction.truncation
    # a bound that rounding alone could break or hide says nothing; zero is a bound only where nothing is rounded
    visible = (abs(predicted) > tolerance) | (tolerance == 0)
    if not bool(visible.any()):
        return quantity.finding(
            outcome=Outcome.INCONCLUSIVE,
            reason="every bound lies under the rounding floor",
            points=0,
            dropped=measured.size,
        )
    excess = (sign * (measured - predicted)).where(visible, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        used = xr.where(excess <= 0, 0.0, excess / tolerance).where(visible, -np.inf)
        tightness = (measured / predicted).where(visible & (predicted != 0), -sign * np.inf)
    # ties (nothing used) are broken by tightness: the witness is the point closest to the bound
    worst = _argmax(used) if float(used.max()) > 0 else _argmax(sign * tightness)
    slack = -float(excess[worst]) + float(tolerance[worst])
    holds = float(used[worst]) <= 1
    outcome, reason = _outcome(holds, False, refuted=f"passes the bound by {float(excess[worst]):.3g}", no_power="")
    return quantity.finding(
        where=_coordinates(quantity.measured, measured, worst),
        predicted=float(predicted[worst]),
        measured=float(measured[worst]),
        budget=Budget(float(rounding[worst]), prediction.truncation, float(sampling[worst])),
        margin=1 - float(used[worst]),
        tightness=float(measured[worst] / predicted[worst]) if float(predicted[worst]) else math.nan,
        power=max(slack, float(tolerance[worst])),
        outcome=outcome,
        reason=reason,
        points=int(visible.sum()),
        dropped=int((~visible).sum()),
    )


def _outcome(holds: bool, blind: bool, *, refuted: str, no_power: str) -> tuple[Outcome, str]:
    if not holds:
        return Outcome.REFUTED, refuted
    if blind:
        return Outcome.INCONCLUSIVE, no_power
    return Outcome.SUPPORTED, ""


def _argmax(values: xr.DataArray) -> dict:
    index = np.unravel_index(int(np.argmax(values.to_numpy())), values.shape) if values.dims else ()
    return dict(zip(values.dims, index, strict=True))


def _coordinates(original: xr.DataArray, values: xr.DataArray, index: dict) -> dict:
    """The point's labels where the axis has some, else its position."""
    point = values[index]
    return {
        str(dim): original[dim].to_numpy()[position].item() if dim in original.coords else int(position)
        for dim, position in index.items()
        if dim in point.dims or dim in values.dims
    }
