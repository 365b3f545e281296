"""Equalities and bounds: the worst point of a cell against its budget.

Integers and fractions compare exactly at any size, complex numbers as complex ones; floats compare within their budget, which
must be narrower than half the distance to the nearest rival. A bound is supported where nothing passes it and something comes
near: a bound that all data stay far from would stand if it were false.
"""

import dataclasses
import math
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.verify.means import SKEWNESS, hypothesis
from depthjax.verify.prediction import Prediction
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Budget, Finding, Outcome

RIVAL = 1.5  # an equality of floats tells a value from its rivals 1.5 times as large and as small, unless it says otherwise
NEAR = 0.1  # a bound is supported where data come within this share of it, unless it says otherwise


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One measured variable of one cell, with its prediction; what every comparison below starts from.

    Where the prediction speaks of a mean, ``measured`` is the mean of the samples and ``sampling`` contains the half width of
    its interval at the error rate ``rate``.
    """

    prediction: Prediction
    relation: Relation
    cell: int
    measured: xr.DataArray
    floor: xr.DataArray
    sampling: xr.DataArray
    rate: float = 0.0

    def aligned(self) -> tuple[xr.DataArray, ...]:
        """Predicted, measured, rounding floor, sampling error and truncation as floats on the same axes."""
        kind = (
            complex
            if any(dtypes.is_complex(_numbers(side).dtype) for side in (self.measured, self.prediction.exact()))
            else float
        )
        parts = self.floor.astype(float), self.sampling.astype(float), self.prediction.left_out()
        return xr.broadcast(*(_rounded(side, kind) for side in (self.prediction.exact(), self.measured)), *parts)

    @property
    def label(self) -> str:
        """The relation in words."""
        return f"{self.relation.value} at least" if self.prediction.one_sided else self.relation.value

    @property
    def hypothesis(self) -> str:
        """What a statistical rule rests on that no data show; empty where none decides."""
        if self.relation in (Relation.TREND, Relation.RANKING):
            return "the seeds are independent"
        if self.relation is Relation.IMPOSSIBLE:
            return "the trials are independent"
        if self.prediction.mean:
            return hypothesis(self.prediction.mean, self.skewness)
        return "the samples behind the stated sampling error are independent" if self.rate else ""

    @property
    def skewness(self) -> float:
        """The skewness that is allowed for where the prediction speaks of a mean."""
        return SKEWNESS if self.prediction.skewness is None else self.prediction.skewness

    def finding(self, **parts) -> Finding:
        """A finding about this comparison; what is not given is not a number."""
        empty = {
            "where": {},
            "predicted": math.nan,
            "measured": math.nan,
            "budget": Budget(),
            "margin": math.nan,
            "tightness": math.nan,
            "power": math.nan,
            "rate": self.rate,
            "hypothesis": self.hypothesis,
        }
        return Finding(quantity=self.prediction.of, cell=self.cell, relation=self.label, **(empty | parts))


def equality(comparison: Comparison) -> Finding:
    """Measured equals predicted within the budget, and the budget could have told the nearest rival apart."""
    predicted, measured, rounding, sampling, truncation = comparison.aligned()
    tolerance = rounding + sampling + truncation
    deviation = _deviation(comparison, predicted, measured)
    resolution = _resolution(comparison, predicted)
    with np.errstate(divide="ignore", invalid="ignore"):
        used = xr.where(deviation == 0, 0.0, deviation / tolerance)
    worst = _argmax(used)
    width = float(tolerance[worst])
    blindest = _argmax(tolerance - resolution / 2)
    if float(used[worst]) > 1:
        outcome, reason = Outcome.REFUTED, f"differs by {float(deviation[worst]):.3g}, the budget is {width:.3g}"
    elif float(tolerance[blindest]) > float(resolution[blindest]) / 2:
        outcome, reason = (
            Outcome.INCONCLUSIVE,
            f"the budget {float(tolerance[blindest]):.3g} is wider than half the distance {float(resolution[blindest]):.3g} "
            "to the nearest rival",
        )
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    return comparison.finding(
        where=_coordinates(comparison.measured, measured, worst),
        predicted=_shown(predicted[worst]),
        measured=_shown(measured[worst]),
        budget=Budget(float(rounding[worst]), float(truncation[worst]), float(sampling[worst])),
        margin=1 - float(used[worst]),
        power=width or (float(resolution[worst]) / 2 if _integer(comparison.measured) else width),
        outcome=outcome,
        reason=reason,
        points=measured.size,
    )


def _deviation(comparison: Comparison, predicted: xr.DataArray, measured: xr.DataArray) -> xr.DataArray:
    """Distances as floats; between exact numbers zero only where they are equal."""
    if dtypes.is_complex(predicted.dtype) or not _rational(comparison.measured):
        return abs(measured - predicted)
    return abs(_difference(comparison))


def _difference(comparison: Comparison) -> xr.DataArray:
    """Measured integers or fractions minus predicted numbers, subtracted exactly and rounded once."""
    left, right = xr.broadcast(comparison.prediction.exact(), comparison.measured)
    exact = [_float(_exact(b) - _exact(a)) for a, b in zip(left.to_numpy().flat, right.to_numpy().flat, strict=True)]
    return left.copy(data=np.array(exact).reshape(left.shape))


def _rounded(values: xr.DataArray, kind: type) -> xr.DataArray:
    """Numbers as floats; exact ones that no float holds are infinite."""
    if kind is complex or values.dtype != object:
        return values.astype(kind)
    return values.copy(data=np.array([_float(value) for value in values.to_numpy().flat]).reshape(values.shape))


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _exact(value) -> Any:
    """A number that Python subtracts without rounding."""
    value = value.item() if isinstance(value, np.generic) else value
    return Fraction(value) if isinstance(value, float) and math.isfinite(value) else value


def _integer(values: xr.DataArray) -> bool:
    return _all_are(Integral, values)


def _rational(values: xr.DataArray) -> bool:
    """Whether all numbers are exact: integers or fractions."""
    return _all_are(Rational, values)


def _all_are(kind: type, values: xr.DataArray) -> bool:
    return dtypes.is_exact(_numbers(values).dtype) or (
        values.dtype == object and all(isinstance(value, kind) for value in values.to_numpy().flat)
    )


def _numbers(values: xr.DataArray) -> np.ndarray:
    """Numbers in the type that fits them, where they were given as Python objects."""
    array = values.to_numpy()
    return np.array(array.tolist()) if array.dtype == object and array.size else array


def _resolution(comparison: Comparison, predicted: xr.DataArray) -> xr.DataArray:
    stated = comparison.prediction.apart()
    if stated is None and _integer(comparison.measured):
        stated = xr.DataArray(1.0)
    if stated is not None:
        return stated.broadcast_like(predicted)
    size = abs(predicted)
    return xr.where(size > 0, size, float(size.max()) or 1.0) * (1 - 1 / RIVAL)


def bound(comparison: Comparison) -> Finding:
    """Measured stays on its side of the bound at every point, and comes near somewhere.

    Points whose budget could not tell the bound from a rival, such as bounds under the floor, are dropped where the measurement
    is within the budget of the bound; they still refute where it is not.
    """
    sign = 1.0 if comparison.relation is Relation.AT_MOST else -1.0
    predicted, measured, rounding, sampling, truncation = comparison.aligned()
    tolerance = rounding + sampling + truncation
    # a budget must tell the bound from one 1.5 times as far; zero is a bound only where nothing is rounded
    visible = ((tolerance <= (1 - 1 / RIVAL) / 2 * abs(predicted)) | (tolerance == 0)) & np.isfinite(predicted)
    excess = sign * (measured - predicted)
    if _rational(comparison.measured):
        excess = sign * _difference(comparison)
    with np.errstate(divide="ignore", invalid="ignore"):
        used = xr.where(excess <= 0, 0.0, excess / tolerance)
        # how near data come is a share of the bound; zero has no shares
        shared = visible & (predicted != 0)
        reach = (excess / abs(predicted)).where(shared, -np.inf) if bool(shared.any()) else excess.where(visible, -np.inf)
    broken = float(used.max()) > 1
    if not broken and not bool(visible.any()):
        return comparison.finding(
            outcome=Outcome.INCONCLUSIVE,
            reason=f"the budget cannot tell any bound from one {RIVAL} times as far: bounds lie under the floor, or near",
            points=0,
            dropped=measured.size,
        )
    judged = used if broken else used.where(visible, -np.inf)
    # ties (nothing used) are broken by tightness: the witness is the point closest to the bound
    worst = _argmax(judged) if float(judged.max()) > 0 else _argmax(reach)
    gap, width = -float(excess[worst]), float(tolerance[worst])
    apart = comparison.prediction.apart()
    stated = NEAR if apart is None else float(apart)
    near = bool((visible & (-excess <= min(stated, NEAR) * abs(predicted) + tolerance)).any())
    allowed = near or bool((visible & (-excess <= stated * abs(predicted) + tolerance)).any()) or math.isinf(stated)
    if broken:
        outcome, reason = Outcome.REFUTED, f"passes the bound by {-gap:.3g}, the budget is {width:.3g}"
    elif not allowed:
        outcome = Outcome.INCONCLUSIVE
        reason = (
            f"loose: nothing passes the bound, and nothing comes nearer than {gap:.3g}: a tighter bound would stand as well"
        )
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    return comparison.finding(
        where=_coordinates(comparison.measured, measured, worst),
        predicted=float(predicted[worst]),
        measured=float(measured[worst]),
        budget=Budget(float(rounding[worst]), float(truncation[worst]), float(sampling[worst])),
        margin=1 - float(used[worst]),
        tightness=float(measured[worst] / predicted[worst]) if float(predicted[worst]) else math.nan,
        power=max(gap + width, width),
        outcome=outcome,
        reason=reason,
        points=int(visible.sum()),
        dropped=int((~visible).sum()),
        resolved=outcome is not Outcome.INCONCLUSIVE,
        loose=not near and not broken,
    )


def _shown(value: xr.DataArray) -> float:
    """A number for the reader: complex ones by their modulus."""
    return float(abs(value)) if dtypes.is_complex(value.dtype) else float(value)


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
