"""Panels with a row for each cell, and panels that are a sentence."""

import dataclasses
import math
import textwrap
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.transforms import blended_transform_factory

from depthjax.figures.panel import BOUNDS, Panel
from depthjax.figures.pens import GREY, LAW, law, pen
from depthjax.verify.prediction import Prediction
from depthjax.verify.relation import Relation
from depthjax.verify.seeds import binomial_limits
from depthjax.verify.verdict import Finding, Outcome

__all__ = ["MAX_ROWS", "TITLE", "nothing", "rows", "same", "sentence", "shares"]

MEASURED = pen(0)[0]
TITLE: dict[str, Any] = {"loc": "left", "fontsize": 8.5, "y": 1.0}  # for axes without an offset in its way
MAX_ROWS, SENTENCE = 24, 96  # rows of a panel; characters of a line


def rows(panel: Panel, axis: Axes) -> None:
    """A row for each cell: measured points, the predicted value as a bar, the rivals' as dashed grey ones."""
    cells = _worst_first(panel)
    bound, bars, dots, dashes = panel.relation in BOUNDS, _Marks(), _Marks(), _Marks()
    for row, cell in enumerate(cells):
        prediction = panel.predictions[cell]
        measured = panel.measured(cell).to_numpy().astype(float).ravel()
        finding = panel.finding(cell)
        bars.add(row, np.unique(prediction.array().to_numpy()))
        dots.add(row, np.unique(measured), finding.budget.total if finding else 0.0)
        for _, _, rival in (entry for entry in panel.rivals if entry[1] == cell):
            dashes.add(row, np.unique(rival.array().to_numpy())[:2])
        _margin_note(axis, row, finding, _note(panel, finding, panel.measured(cell), prediction))
    for marks, reach, look in (
        (bars, 0.36, law(linewidth=2.2)),
        (dashes, 0.3, {"color": GREY, "lw": 1.4, "linestyles": (0, (2, 1.5))}),
    ):
        heights = np.array(marks.rows)
        axis.vlines(marks.values, heights - reach, heights + reach, **look)
    spread = None if bound else dots.spreads
    axis.errorbar(dots.values, dots.rows, xerr=spread, fmt="o", color=MEASURED, ms=4, alpha=0.75, elinewidth=1.5)
    values = [*bars.values, *dots.values, *dashes.values]
    finite = np.array([v for v in values if math.isfinite(v)])
    if finite.size and bool(np.all(finite > 0)) and finite.max() / finite.min() > 50:
        axis.set_xscale("log")
    elif finite.size and finite.max() > 1e3 and finite.min() >= 0:
        axis.set_xscale("symlog", linthresh=1.0)
    elif finite.size and finite.max() == finite.min():
        axis.set_xlim(finite[0] - 1, finite[0] + 1)
    elif not panel.numbers:
        axis.locator_params(axis="x", nbins=6)  # long numbers stand beside each other
    axis.set_yticks(range(len(cells)), [panel.cells[cell] for cell in cells])
    axis.set_ylim(len(cells) - 0.5, -0.5)
    side = {Relation.AT_MOST: "upper bound", Relation.AT_LEAST: "lower bound"}.get(panel.relation, "predicted")
    axis.xaxis.get_offset_text().set_x(1.12)  # clear of the label
    rivals = "; dashed: rivals" if dashes.rows else ""
    _title(panel, axis, f"dots: measured; bars: {side}{rivals}", len(cells), len(panel.predictions))


@dataclasses.dataclass
class _Marks:
    """Marks of one look in all rows, drawn at once: a call of matplotlib costs the same for one mark and for many."""

    rows: list[int] = dataclasses.field(default_factory=list)
    values: list[float] = dataclasses.field(default_factory=list)
    spreads: list[float] = dataclasses.field(default_factory=list)

    def add(self, row: int, values: np.ndarray, spread: float = 0.0) -> None:
        self.rows += [row] * values.size
        self.values += [float(value) for value in values]
        self.spreads += [spread] * values.size


def same(panel: Panel, axis: Axes) -> None:
    """Say what was compared: a picture of one number that is the same everywhere shows no more."""
    axis.set_axis_off()
    page = cast(SubFigure, axis.get_figure(root=False))  # or a whole figure, which has the same coordinates
    place = blended_transform_factory(page.transSubfigure, axis.transAxes)
    axis.text(0.01, 0.5, sentence(panel), va="center", transform=place, in_layout=False)


def sentence(panel: Panel) -> str:
    """What was compared, in words."""
    count, cells = sum(panel.measured(cell).size for cell in panel.predictions), len(panel.predictions)
    rivals = np.unique([np.ravel(rival.array().to_numpy())[:1] for *_, rival in panel.rivals])
    words = f"{panel.label}: {panel.same:g} in {f'all {count:,} measurements' if count > 1 else 'the measurement'}"
    words += f" ({cells} cells)" if cells > 1 else ""
    words += ", as predicted" + (f"; rivals say {', '.join(f'{value:g}' for value in rivals[:4])}" if rivals.size else "")
    return textwrap.fill(words, SENTENCE)


def _note(panel: Panel, finding: Finding | None, values: xr.DataArray, prediction: Prediction) -> str:
    if panel.relation in BOUNDS:
        return "" if finding is None or math.isnan(finding.tightness) else f"tightness {finding.tightness:.3g}"
    measured, predicted = (part.to_numpy() for part in xr.broadcast(values.astype(float), prediction.array()))
    off = float(np.max(abs(measured - predicted)))
    if not off:
        return f"all {measured.size} equal" if measured.size > 1 else "equal"
    if panel.numbers:
        return f"off by {off:g}"
    return "" if finding is None else f"within {finding.power:.2g}"


def shares(panel: Panel, axis: Axes) -> None:
    """Draw a row for each judged point: the share of successful seeds, its exact interval, the predicted side of 1/2."""
    least = sorted(panel.findings, key=lambda f: -math.inf if math.isnan(f.margin) else f.margin)[:MAX_ROWS]
    judged = [finding for finding in panel.findings if finding in least]
    high_side = np.array([finding.predicted > 0.5 for finding in judged])
    axis.barh(range(len(judged)), 0.5, 0.8, left=np.where(high_side, 0.5, 0.0), color=LAW, alpha=0.2, lw=0)
    middle, low, high = np.array([_interval(panel.relation, finding) for finding in judged]).T
    axis.hlines(range(len(judged)), low, high, color=MEASURED)
    for row, finding in enumerate(judged):
        face = "none" if finding.outcome is Outcome.INCONCLUSIVE else MEASURED
        axis.plot(middle[row], row, "o", color=MEASURED, mfc=face)
        _margin_note(axis, row, finding, f"{finding.points} trials")
    axis.axvline(0.5, color=GREY, lw=0.8)
    where = [", ".join([panel.cells[f.cell], *(f"{name} {value}" for name, value in f.where.items())]) for f in judged]
    axis.set_yticks(range(len(judged)), where)
    axis.set_ylim(len(judged) - 0.5, -0.5)
    axis.set_xlim(-0.02, 1.02)
    text = "dots: share that succeeds, with its exact interval; shaded: predicted side"
    _title(panel, axis, text, len(judged), len(panel.findings))


def _interval(relation: Relation, finding: Finding) -> tuple[float, float, float]:
    """Share and its limits; the judge's own, which its margin and sampling width encode."""
    if relation is Relation.IMPOSSIBLE and math.isfinite(finding.measured):
        return finding.measured / finding.points, *binomial_limits(int(finding.measured), finding.points)
    width = finding.budget.sampling
    low = 0.5 + finding.margin * width if finding.predicted > 0.5 else 0.5 - finding.margin * width - 2 * width
    return finding.measured, low, low + 2 * width


def _margin_note(axis: Axes, row: int, finding: Finding | None, text: str) -> None:
    refuted = "refuted, " if finding and finding.outcome is Outcome.REFUTED else ""
    axis.text(1.01, row, refuted + text, transform=axis.get_yaxis_transform(), va="center", fontsize=7.5)


def nothing(panel: Panel, axis: Axes) -> None:
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


def _title(panel: Panel, axis: Axes, text: str, shown: int, total: int) -> None:
    axis.set_xlabel(panel.label)
    axis.grid(axis="x", color=GREY, alpha=0.25, lw=0.6)
    axis.set_title(text + (f" ({shown} of {total}: the least margins)" if shown < total else ""), **TITLE)
