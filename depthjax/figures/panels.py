"""The panels of a figure, one kind for each kind of relation."""

import dataclasses
import functools
import math
import textwrap
from typing import cast

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.transforms import blended_transform_factory

from depthjax.verify.prediction import Prediction
from depthjax.verify.quantity import part
from depthjax.verify.relation import Relation
from depthjax.verify.seeds import binomial_limits
from depthjax.verify.verdict import Finding, Outcome

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F00")
MARKERS = "osD^vPX*"
GREY, INK = "#8a8a8a", "#1a1a1b"
MAX_ROWS, SENTENCE = 24, 96  # rows of a panel; characters of a line
WORDS = ("same", "nothing")  # kinds of panels that are a sentence
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
        attributes = self.dataset[self.variable].attrs
        units = attributes.get("units", "")
        return f"{attributes.get('long_name', self.variable)}{f' ({units})' if units else ''}"

    def measured(self, cell: int) -> xr.DataArray:
        """The variable in one cell."""
        values = self.dataset[self.variable]
        return values.isel(cell=cell, drop=True) if "cell" in values.dims else values

    def floor(self, cell: int) -> xr.DataArray:
        """Its rounding floor, zero where none is given."""
        floor = self.beside("floor", cell)
        return (xr.DataArray(0.0) if floor is None else floor).broadcast_like(self.measured(cell))

    def beside(self, role: str, cell: int) -> xr.DataArray | None:
        """What belongs to the variable in this role, in one cell."""
        values = part(self.dataset, self.variable, role)
        return values if values is None or "cell" not in values.dims else values.isel(cell=cell, drop=True)

    @property
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

    def axis(self) -> str:
        """The dimension that a curve is drawn along: numeric coordinates, at least three."""
        values = self.dataset[self.variable]
        for dim in values.dims:
            if dim != "cell" and dim in values.coords and values[dim].dtype.kind in "iuf" and values.sizes[dim] >= 3:
                return str(dim)
        return ""


def height(panel: Panel) -> float:
    """Inches that the panel takes."""
    if panel.kind == "rows":
        return 0.9 + 0.24 * min(len(panel.predictions), MAX_ROWS)
    if panel.kind == "shares":
        return 0.9 + 0.24 * min(max(len(panel.findings), 1), MAX_ROWS)
    if panel.kind == "same":
        return 0.3 + 0.18 * _sentence(panel).count("\n")
    return {"nothing": 0.8, "order": 3.6, "curves": 3.3, "diagonal": 3.3}[panel.kind]


def draw(panel: Panel, axis: Axes) -> None:
    """Draw the panel."""
    kinds = {
        "order": _order,
        "diagonal": _diagonal,
        "rows": _rows,
        "curves": _curves,
        "shares": _shares,
        "nothing": _nothing,
        "same": _same,
    }
    kinds[panel.kind](panel, axis)


def _order(panel: Panel, axis: Axes) -> None:
    """Draw error against step, and the predicted slope through the finest judged point; dropped points are hollow."""
    lowest = math.inf
    slopes = [finding for finding in panel.findings if "constant" not in finding.where]
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        colour, marker = _pen(number)
        measured = panel.measured(cell)
        curves = measured.transpose(..., "step").to_numpy().reshape(-1, measured.sizes["step"])
        floor = panel.floor(cell).transpose(..., "step").to_numpy().reshape(curves.shape)
        steps = measured["step"].to_numpy().astype(float)
        order = np.argsort(-steps)
        steps, curves, floor = steps[order], curves[:, order], floor[:, order]
        exponents = prediction.array().broadcast_like(measured.isel(step=0)).to_numpy().reshape(-1)
        judged = [finding for finding in slopes if finding.cell == cell]
        label = _slopes(panel.cells[cell], judged, exponents)
        for index, errors in enumerate(curves):
            used = _judged_stretch(steps, judged[index] if index < len(judged) else None)
            positive = errors > 0
            axis.loglog(steps[used], errors[used], marker, color=colour, label=label if index == 0 else None)
            rest = positive & ~used
            axis.loglog(steps[rest], errors[rest], marker, mfc="none", mec=colour, alpha=0.7)
            if used.any():
                anchor, exponent = np.flatnonzero(used)[-1], exponents[index]
                axis.loglog(steps[used], errors[anchor] * (steps[used] / steps[anchor]) ** exponent, color=colour)
                if index == 0 and number == 0:
                    _rival_slopes(panel, cell, axis, steps[used], errors[anchor])
            lowest = min(lowest, errors[positive].min(initial=math.inf))
        highest = floor.max(axis=0)
        if (highest > 0).any():
            axis.loglog(steps, highest, ":", color=colour, lw=0.9, alpha=0.7)
    if math.isfinite(lowest):
        axis.set_ylim(bottom=lowest / 3)
    axis.set(xlabel=_text(panel.dataset["step"], "step"), ylabel=textwrap.fill(panel.label, 30))
    axis.set_title("points: measured (hollow: not judged); lines: predicted slope; dotted: floor", loc="left", fontsize=8.5)
    _legend(axis)


def _judged_stretch(steps: np.ndarray, finding: Finding | None) -> np.ndarray:
    """Return which steps the judge used: the stated number of them, ending where it read the slope."""
    if finding is None or "step" not in finding.where:
        return np.zeros(steps.size, bool)
    last = int(np.argmin(abs(steps - finding.where["step"])))
    return (np.arange(steps.size) <= last) & (np.arange(steps.size) > last - finding.points)


def _pen(number: int) -> tuple[str, str]:
    """Colour and marker of the n-th cell; 64 different pairs."""
    return COLOURS[number % len(COLOURS)], MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]


def _slopes(name: str, judged: list[Finding], exponents: np.ndarray) -> str:
    seen = [finding.measured for finding in judged if not math.isnan(finding.measured)]
    if not seen:
        return f"{name}: predicted {exponents[0]:g}, not resolved"
    worst = max(zip(seen, exponents, strict=False), key=lambda pair: abs(pair[0] - pair[1]))
    return f"{name}: predicted {worst[1]:g}, slope {worst[0]:.6g}"


def _rival_slopes(panel: Panel, cell: int, axis: Axes, steps: np.ndarray, anchor: float) -> None:
    """Draw the rivals of one cell; those of more cells would hide the points."""
    for name, where, rival in panel.rivals:
        exponent = np.ravel(rival.array().to_numpy())[0]
        if where == cell and exponent != np.ravel(panel.predictions[cell].array().to_numpy())[0]:
            axis.loglog(
                steps, anchor * (steps / steps[-1]) ** exponent, "--", color=GREY, lw=1, label=f"rival: {name} ({exponent:g})"
            )


def _diagonal(panel: Panel, axis: Axes) -> None:
    """Draw measured against predicted values; a true statement lies on the diagonal."""
    extent = [0.0]
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        predicted, measured = xr.broadcast(prediction.array(), panel.measured(cell).astype(float))
        # one mark for equal pairs: hundreds on top of each other show nothing more
        x, y = np.unique(np.stack([predicted.to_numpy().ravel(), measured.to_numpy().ravel()]), axis=1)
        colour, marker = _pen(number)
        label = f"{panel.cells[cell]} ({predicted.size} points)"
        axis.plot(x, y, marker, color=colour, ms=5, mfc="none", mew=1, alpha=0.9, label=label)
        extent += [*x[np.isfinite(x)], *y[np.isfinite(y)]]
    for name, cell, rival in panel.rivals[:8]:
        predicted, measured = xr.broadcast(rival.array(), panel.measured(cell).astype(float))
        axis.plot(
            predicted.to_numpy().ravel(), measured.to_numpy().ravel(), "x", color=GREY, ms=3, label=f"rival: {name}", zorder=1
        )
    low, high = min(extent), max(extent)
    axis.plot([low, high], [low, high], color=INK, lw=0.8, zorder=0)
    if high > 0 and low >= 0 and high / max(min((v for v in extent if v > 0), default=high), 1e-300) > 1e3:
        smallest = min(v for v in extent if v > 0)
        axis.set_xscale("symlog", linthresh=smallest)
        axis.set_yscale("symlog", linthresh=smallest)
    axis.set(xlabel=f"predicted {panel.label}", ylabel="measured")
    _legend(axis)


def _rows(panel: Panel, axis: Axes) -> None:
    """A row for each cell: measured points, the predicted value as a bar, the rivals' as dashed grey ones."""
    cells = _worst_first(panel)
    bound, values = panel.relation in BOUNDS, []
    for row, cell in enumerate(cells):
        prediction = panel.predictions[cell]
        measured = panel.measured(cell).to_numpy().astype(float).ravel()
        predicted = np.unique(prediction.array().to_numpy())
        finding = next((f for f in panel.findings if f.cell == cell), None)
        budget = finding.budget.total if finding else 0.0
        colour = COLOURS[1] if finding and finding.outcome is Outcome.REFUTED else COLOURS[0]
        spread = None if bound else budget
        axis.errorbar(
            measured, np.full(measured.size, row), xerr=spread, fmt="o", color=colour, ms=4, alpha=0.75, elinewidth=1.5
        )
        axis.vlines(predicted, row - 0.36, row + 0.36, color=INK, lw=2.2)
        for _, _, rival in (entry for entry in panel.rivals if entry[1] == cell):
            false = np.unique(rival.array().to_numpy())[:2]
            axis.vlines(false, row - 0.3, row + 0.3, color=GREY, lw=1.4, linestyles=(0, (2, 1.5)))
            values += list(false)
        _margin_note(axis, row, _note(panel, finding, measured, prediction))
        values += [*measured, *predicted]
    finite = np.array([v for v in values if math.isfinite(v)])
    if finite.size and bool(np.all(finite > 0)) and finite.max() / finite.min() > 50:
        axis.set_xscale("log")
    elif finite.size and finite.max() > 1e3 and finite.min() >= 0:
        axis.set_xscale("symlog", linthresh=1.0)
    elif finite.size and finite.max() == finite.min():
        axis.set_xlim(finite[0] - 1, finite[0] + 1)
    axis.set_yticks(range(len(cells)), [panel.cells[cell] for cell in cells])
    axis.set_ylim(len(cells) - 0.5, -0.5)
    side = {Relation.AT_MOST: "upper bound", Relation.AT_LEAST: "lower bound"}.get(panel.relation, "predicted")
    axis.xaxis.get_offset_text().set_x(1.12)  # clear of the label
    _title_rows(panel, axis, f"dots: measured; bars: {side}; dashed: rivals", len(cells), len(panel.predictions))


def _same(panel: Panel, axis: Axes) -> None:
    """Say what was compared: a picture of one number that is the same everywhere shows no more."""
    axis.set_axis_off()
    page = cast(SubFigure, axis.get_figure(root=False))  # or a whole figure, which has the same coordinates
    place = blended_transform_factory(page.transSubfigure, axis.transAxes)
    axis.text(0.01, 0.5, _sentence(panel), va="center", transform=place, in_layout=False)


def _sentence(panel: Panel) -> str:
    count, cells = sum(panel.measured(cell).size for cell in panel.predictions), len(panel.predictions)
    rivals = np.unique([np.ravel(rival.array().to_numpy())[:1] for *_, rival in panel.rivals])
    words = f"{panel.label}: {panel.same:g} in {f'all {count:,} measurements' if count > 1 else 'the measurement'}"
    words += f" ({cells} cells)" if cells > 1 else ""
    words += ", as predicted" + (f"; rivals say {', '.join(f'{value:g}' for value in rivals[:4])}" if rivals.size else "")
    return textwrap.fill(words, SENTENCE)


def _note(panel: Panel, finding: Finding | None, measured: np.ndarray, prediction: Prediction) -> str:
    if panel.relation in BOUNDS:
        return "" if finding is None or math.isnan(finding.tightness) else f"tightness {finding.tightness:.3g}"
    same = (measured == np.unique(prediction.array().to_numpy())[0]).all()
    points = f"all {measured.size} equal" if measured.size > 1 else "equal"
    return points if same else "" if finding is None else f"within {finding.power:.2g}"


def _curves(panel: Panel, axis: Axes) -> None:
    """Draw the prediction along a numeric dimension as a line, with the measured points and the tightness of each cell.

    The mark of a quantity is a place on that dimension, and becomes a vertical line.
    """
    dim = panel.axis()
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        colour, marker = _pen(number)
        predicted, measured = xr.broadcast(prediction.array(), panel.measured(cell).astype(float))
        x = measured[dim].to_numpy()
        y = measured.transpose(dim, ...).to_numpy().reshape(x.size, -1)
        line = predicted.transpose(dim, ...).to_numpy().reshape(x.size, -1)
        finding = next((f for f in panel.findings if f.cell == cell), None)
        note = "" if finding is None or math.isnan(finding.tightness) else f", tightness {finding.tightness:.3g}"
        axis.plot(np.repeat(x, y.shape[1]), y.ravel(), marker, color=colour, alpha=0.8, label=panel.cells[cell] + note)
        edge = line.min(axis=1) if panel.relation is Relation.AT_MOST else line.max(axis=1)
        axis.plot(x, edge, color=colour)
        if (mark := panel.beside("mark", cell)) is not None:
            axis.axvline(float(mark), color=colour, lw=0.9, ls=(0, (1, 2)))
        for name, _, rival in (entry for entry in panel.rivals if entry[1] == cell and number == 0):
            false = rival.array().broadcast_like(measured).transpose(dim, ...).to_numpy().reshape(x.size, -1)[:, 0]
            axis.plot(x, false, "--", color=GREY, lw=1, label=f"rival: {name}")
    _curve_scale(panel, axis)
    x = np.asarray(panel.dataset[dim].to_numpy(), float)
    if (x > 0).all() and x.max() / x.min() >= 16:
        axis.set_xscale("log", base=2)
    axis.set(xlabel=_text(panel.dataset[dim], dim), ylabel=textwrap.fill(panel.label, 30))
    said = "predicted" if panel.relation is Relation.EQUALS else f"{panel.relation.value} this"
    marked = "" if all(panel.beside("mark", cell) is None for cell in panel.predictions) else "; dotted: marked place"
    axis.set_title(f"points: measured; lines: {said}{marked}", loc="left", fontsize=8.5)
    _legend(axis)


def _curve_scale(panel: Panel, axis: Axes) -> None:
    """Choose the scale: logarithmic for positive numbers that span a decade under a bound, or decades under an equality."""
    measured = np.concatenate([panel.measured(cell).to_numpy().ravel().astype(float) for cell in panel.predictions])
    if panel.relation is not Relation.EQUALS:
        positive = all((panel.measured(cell).to_numpy() > 0).any() for cell in panel.predictions)
        seen = measured[measured > 0]
        axis.set_yscale("log" if positive and seen.max() > 10 * seen.min() else "linear")
        return
    low, high = measured.min(), measured.max()
    decades = bool(low > 0 and high / low > 50)
    axis.set_yscale("log" if decades else "linear")
    room = 0.1 * (high - low) or 1.0
    axis.set_ylim((low / 2, high * 2) if decades else (low - room, high + room))


def _shares(panel: Panel, axis: Axes) -> None:
    """Draw a row for each judged point: the share of successful seeds, its exact interval, the predicted side of 1/2."""
    least = sorted(panel.findings, key=lambda f: -math.inf if math.isnan(f.margin) else f.margin)[:MAX_ROWS]
    judged = [finding for finding in panel.findings if finding in least]
    for row, finding in enumerate(judged):
        share, low, high = _interval(panel.relation, finding)
        colour = COLOURS[1] if finding.outcome is Outcome.REFUTED else COLOURS[0]
        axis.hlines(row, low, high, color=colour)
        axis.plot(share, row, "o", color=colour, mfc="none" if finding.outcome is Outcome.INCONCLUSIVE else colour)
        axis.fill_between([0.5, 1] if finding.predicted > 0.5 else [0, 0.5], row - 0.4, row + 0.4, color=GREY, alpha=0.15, lw=0)
        _margin_note(axis, row, f"{finding.points} trials")
    axis.axvline(0.5, color=GREY, lw=0.8)
    where = [", ".join([panel.cells[f.cell], *(f"{name} {value}" for name, value in f.where.items())]) for f in judged]
    axis.set_yticks(range(len(judged)), where)
    axis.set_ylim(len(judged) - 0.5, -0.5)
    axis.set_xlim(-0.02, 1.02)
    text = "dots: share that succeeds, with its exact interval; shaded: predicted side"
    _title_rows(panel, axis, text, len(judged), len(panel.findings))


def _interval(relation: Relation, finding: Finding) -> tuple[float, float, float]:
    """Share and its limits; the judge's own, which its margin and sampling width encode."""
    if relation is Relation.IMPOSSIBLE:
        return finding.measured / finding.points, *binomial_limits(int(finding.measured), finding.points)
    width = finding.budget.sampling
    low = 0.5 + finding.margin * width if finding.predicted > 0.5 else 0.5 - finding.margin * width - 2 * width
    return finding.measured, low, low + 2 * width


def _margin_note(axis: Axes, row: int, text: str) -> None:
    axis.text(1.01, row, text, transform=axis.get_yaxis_transform(), va="center", fontsize=7.5)


def _nothing(panel: Panel, axis: Axes) -> None:
    """No number could be judged: say why."""
    reason = next((finding.reason for finding in panel.findings if finding.reason), "no reason given")
    axis.set_axis_off()
    axis.text(0, 0.5, f"{panel.label}: not judged. {reason}", va="center", wrap=True)


def _worst_first(panel: Panel) -> list[int]:
    """Return the cells to show, in their order; if there are too many, those with the least margin."""
    margin = {cell: math.inf for cell in panel.predictions}
    for finding in panel.findings:
        margin[finding.cell] = min(
            margin.get(finding.cell, math.inf), finding.margin if not math.isnan(finding.margin) else -math.inf
        )
    return sorted(sorted(panel.predictions, key=lambda cell: margin[cell])[:MAX_ROWS])


def _title_rows(panel: Panel, axis: Axes, text: str, shown: int, total: int) -> None:
    axis.set_xlabel(panel.label)
    axis.grid(axis="x", color=GREY, alpha=0.25, lw=0.6)
    axis.set_title(text + (f" ({shown} of {total}: the least margins)" if shown < total else ""), loc="left", fontsize=8.5)


def _legend(axis: Axes) -> None:
    """Beside the axes, where it hides no point."""
    handles, labels = axis.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    if len(unique) > 1:
        axis.legend(unique.values(), unique.keys(), loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.3)


def _text(values: xr.DataArray, fallback: str) -> str:
    units = values.attrs.get("units", "")
    return f"{values.attrs.get('long_name', fallback)}{f' ({units})' if units else ''}"
