"""A panel of a figure: one quantity and what is said of it."""

import dataclasses
import functools
import math

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.verify.prediction import Prediction
from depthjax.verify.quantity import part
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Finding

__all__ = ["BOUNDS", "Panel", "in_words"]

BOUNDS = (Relation.AT_MOST, Relation.AT_LEAST)


@dataclasses.dataclass
class Panel:
    """One quantity and what is said of it.

    Attributes:
        variable: in the dataset.
        relation: between measured and predicted.
        cells: names.
        dataset: measured, over ``cell``.
        predictions: by cell.
        findings: the judge's, of this quantity and relation.
        rivals: control's name, cell, its prediction of the same measurement.
    """

    variable: str
    relation: Relation
    cells: list[str]
    dataset: xr.Dataset
    predictions: dict[int, Prediction]
    findings: list[Finding]
    rivals: list[tuple[str, int, Prediction]]

    @property
    def label(self) -> str:
        """Name and units, as the measurement gives them."""
        return in_words(self.dataset[self.variable], self.variable)

    def measured(self, cell: int) -> xr.DataArray:
        """The variable in one cell."""
        values = self.dataset[self.variable]
        return values.isel(cell=cell, drop=True) if "cell" in values.dims else values

    def floor(self, cell: int) -> xr.DataArray:
        """Its rounding floor, zero where none is given."""
        floor = self.beside("floor", cell)
        return (xr.DataArray(0.0) if floor is None else floor).broadcast_like(self.measured(cell))

    def doubt(self, cell: int) -> xr.DataArray | None:
        """Half the width of the intervals of the variable in one cell, on its axes; None where nothing is sampled."""
        found, measured = self.beside("sampling", cell), self.measured(cell)
        if found is None or not {*found.dims} <= {*measured.dims}:
            return None
        return found.where(np.isfinite(found), 0.0).broadcast_like(measured).transpose(*measured.dims)

    def beside(self, role: str, cell: int) -> xr.DataArray | None:
        """What belongs to the variable in this role, in one cell."""
        values = part(self.dataset, self.variable, role)
        return values if values is None or "cell" not in values.dims else values.isel(cell=cell, drop=True)

    @functools.cached_property
    def kind(self) -> str:
        """How it is drawn."""
        if all(math.isnan(finding.measured) for finding in self.findings):
            return "nothing"
        if self.relation is Relation.ORDER:
            return "order"
        if self.relation is Relation.EQUALS:
            if self.same is not None:
                return "same"
            several = any(np.unique(p.array().to_numpy()).size > 2 for p in self.predictions.values())
            one_line = self.axis() and set(self.dataset[self.variable].dims) <= {"cell", self.axis()}
            return ("curves" if one_line else "diagonal") if several else "rows"
        if self.relation in BOUNDS:
            return "curves" if self.axis() else "rows"
        return "shares"

    @functools.cached_property
    def same(self) -> float | None:
        """The number that is predicted and measured everywhere; None where there are several."""
        shown = [(p.array().to_numpy(), self.measured(cell).to_numpy()) for cell, p in self.predictions.items()]
        values = np.unique(np.concatenate([np.ravel(numbers).astype(float) for pair in shown for numbers in pair]))
        return float(values[0]) if values.size == 1 and math.isfinite(values[0]) else None

    @functools.cached_property
    def numbers(self) -> type | None:
        """What is drawn: ``bool`` for truth values, ``int`` if nothing but whole numbers is shown, else None."""
        kind = dtypes.number(self.dataset[self.variable].dtype)
        shown = [part for cell, one in self.predictions.items() for part in (one.array(), self.measured(cell))]
        values = np.concatenate([np.ravel(part.to_numpy()).astype(float) for part in shown] or [np.zeros(0)])
        values = values[np.isfinite(values)]
        if kind is complex or not values.size or (values != np.round(values)).any():
            return None
        return bool if kind is bool and np.isin(values, (0, 1)).all() else int

    def said(self, cell: int, prediction: Prediction) -> None:
        """Take a prediction. Of several bounds on one cell the tightest is drawn at each point, of other ones the first."""
        first = self.predictions.setdefault(cell, prediction)
        if first is not prediction and self.relation in BOUNDS and first.dims == prediction.dims:
            nearer = np.fmin if self.relation is Relation.AT_MOST else np.fmax
            values = nearer(first.array().to_numpy(), prediction.array().to_numpy())
            self.predictions[cell] = dataclasses.replace(first, value=values)

    def finding(self, cell: int) -> Finding | None:
        """The finding of a cell with the least margin; None where there is none."""
        judged = [finding for finding in self.findings if finding.cell == cell]
        return min(judged, key=lambda one: -math.inf if math.isnan(one.margin) else one.margin, default=None)

    def axis(self) -> str:
        """The dimension that a curve is drawn along: numeric coordinates, at least three."""
        values = self.dataset[self.variable]
        for dim in values.dims:
            if (
                dim != "cell"
                and dim in values.coords
                and dtypes.number(values[dim].dtype) in (int, float)
                and values.sizes[dim] >= 3
            ):
                return str(dim)
        return ""


def in_words(values: xr.DataArray, fallback: str) -> str:
    """Label and units of a variable, for an axis."""
    units = values.attrs.get("units", "")
    return f"{values.attrs.get('long_name', fallback)}{f' ({units})' if units else ''}"
