"""The panels of a figure, one kind for each kind of relation."""

import math
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from depthjax import dtypes
from depthjax.figures import rows
from depthjax.figures.panel import Panel, in_words
from depthjax.figures.pens import GREY, law, pen
from depthjax.figures.ticks import whole_ticks
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Finding

WORDS = ("same", "nothing")  # kinds of panels that are a sentence
MAX_ENTRIES = 17  # of a legend, which is then as high as its panel


def height(panel: Panel) -> float:
    """Inches that the panel takes."""
    if panel.kind == "rows":
        return 0.9 + 0.24 * min(len(panel.predictions), rows.MAX_ROWS)
    if panel.kind == "shares":
        return 0.9 + 0.24 * min(max(len(panel.findings), 1), rows.MAX_ROWS)
    if panel.kind == "same":
        return 0.3 + 0.18 * rows.sentence(panel).count("\n")
    return {"nothing": 0.8, "order": 3.6, "curves": 3.3, "diagonal": 3.3}[panel.kind]


def draw(panel: Panel, axis: Axes) -> None:
    """Draw the panel."""
    kinds = {
        "order": _order,
        "diagonal": _diagonal,
        "rows": rows.rows,
        "curves": _curves,
        "shares": rows.shares,
        "nothing": rows.nothing,
        "same": rows.same,
    }
    kinds[panel.kind](panel, axis)
    numbered = {"rows": (axis.xaxis,), "curves": (axis.yaxis,), "diagonal": (axis.xaxis, axis.yaxis)}.get(panel.kind, ())
    for one in numbered if panel.numbers else ():
        whole_ticks(one, words=panel.numbers is bool)
    if panel.kind == "curves" and dtypes.is_integer(panel.dataset[panel.axis()].dtype):
        whole_ticks(axis.xaxis)


def _order(panel: Panel, axis: Axes) -> None:
    """Draw error against step, and the predicted slope through the finest judged point; dropped points are hollow."""
    lowest, styles, keys = math.inf, {}, {}
    slopes = [finding for finding in panel.findings if "constant" not in finding.where]
    axis.loglog()
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        colour, marker = pen(number)
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
            (judged_points,) = axis.plot(steps[used], errors[used], marker, color=colour)
            rest = positive & ~used
            axis.plot(steps[rest], errors[rest], marker, mfc="none", mec=colour, alpha=0.7)
            keys.setdefault(label, (judged_points,))
            if used.any():
                anchor, exponent = np.flatnonzero(used)[-1], exponents[index]
                style = styles.setdefault(float(exponent), len(styles))  # lines of one slope look the same
                (line,) = axis.plot(steps[used], errors[anchor] * (steps[used] / steps[anchor]) ** exponent, **law(style))
                keys[label] = (line, judged_points)
                if index == 0 and number == 0:
                    _rival_slopes(panel, cell, axis, steps[used], errors[anchor])
            lowest = min(lowest, errors[positive].min(initial=math.inf))
        highest = floor.max(axis=0)
        if (highest > 0).any():
            axis.plot(steps, highest, ":", color=colour, lw=0.9, alpha=0.7)
    if math.isfinite(lowest):
        axis.set_ylim(bottom=lowest / 3)
    axis.set(xlabel=in_words(panel.dataset["step"], "step"), ylabel=textwrap.fill(panel.label, 30))
    axis.set_title("points: measured (hollow: not judged); lines: predicted slope; dotted: floor", **rows.TITLE)
    _legend(axis, keys)


def _judged_stretch(steps: np.ndarray, finding: Finding | None) -> np.ndarray:
    """Return which steps the judge used: the stated number of them, ending where it read the slope."""
    if finding is None or "step" not in finding.where:
        return np.zeros(steps.size, bool)
    last = int(np.argmin(abs(steps - finding.where["step"])))
    return (np.arange(steps.size) <= last) & (np.arange(steps.size) > last - finding.points)


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
            axis.plot(
                steps, anchor * (steps / steps[-1]) ** exponent, "--", color=GREY, lw=1, label=f"rival: {name} ({exponent:g})"
            )


def _diagonal(panel: Panel, axis: Axes) -> None:
    """Draw measured against predicted values; a true statement lies on the diagonal."""
    extent = [0.0]
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        predicted, measured = xr.broadcast(prediction.array(), panel.measured(cell).astype(float))
        # one mark for equal pairs: hundreds on top of each other show nothing more
        x, y = np.unique(np.stack([predicted.to_numpy().ravel(), measured.to_numpy().ravel()]), axis=1)
        colour, marker = pen(number)
        label = f"{panel.cells[cell]} ({predicted.size} points)"
        if (doubt := panel.doubt(cell)) is not None:
            across = doubt.broadcast_like(measured).transpose(*measured.dims)
            axis.errorbar(
                *(part.to_numpy().ravel() for part in (predicted, measured, across)), fmt="none", ecolor=colour, alpha=0.5
            )
        axis.plot(x, y, marker, color=colour, ms=5, mfc="none", mew=1, alpha=0.9, label=label)
        extent += [*x[np.isfinite(x)], *y[np.isfinite(y)]]
    for name, cell, rival in panel.rivals[:8]:
        predicted, measured = xr.broadcast(rival.array(), panel.measured(cell).astype(float))
        axis.plot(
            predicted.to_numpy().ravel(), measured.to_numpy().ravel(), "x", color=GREY, ms=3, label=f"rival: {name}", zorder=1
        )
    low, high = min(extent), max(extent)
    axis.plot([low, high], [low, high], **law(zorder=0))
    if high > 0 and low >= 0 and high / max(min((v for v in extent if v > 0), default=high), 1e-300) > 1e3:
        # what is smaller than the rounding of the largest lies at zero
        smallest = min(v for v in extent if v > high * np.finfo(float).eps)
        axis.set_xscale("symlog", linthresh=smallest)
        axis.set_yscale("symlog", linthresh=smallest)
        axis.set(xlim=(-smallest / 3, None), ylim=(-smallest / 3, None))
    axis.set(xlabel=f"predicted {panel.label}", ylabel="measured")
    axis.set_title("points: measured; line: measured equals predicted", loc="left", fontsize=8.5)
    _legend(axis)


def _curves(panel: Panel, axis: Axes) -> None:
    """Draw the prediction along a numeric dimension as a line, with the measured points and the tightness of each cell.

    The mark of a quantity is a place on that dimension, and becomes a vertical line.
    """
    dim, styles, keys = panel.axis(), {}, {}
    for number, (cell, prediction) in enumerate(panel.predictions.items()):
        colour, marker = pen(number)
        predicted, measured = xr.broadcast(prediction.array(), panel.measured(cell).astype(float))
        x = measured[dim].to_numpy()
        y = measured.transpose(dim, ...).to_numpy().reshape(x.size, -1)
        line = predicted.transpose(dim, ...).to_numpy().reshape(x.size, -1)
        finding = panel.finding(cell)
        note = "" if finding is None or math.isnan(finding.tightness) else f", tightness {finding.tightness:.3g}"
        (found,) = axis.plot(np.repeat(x, y.shape[1]), y.ravel(), marker, color=colour, alpha=0.8)
        if (doubt := panel.doubt(cell)) is not None:
            reach = doubt.broadcast_like(measured).transpose(dim, ...).to_numpy().ravel()
            axis.errorbar(np.repeat(x, y.shape[1]), y.ravel(), reach, fmt="none", ecolor=colour, elinewidth=1, alpha=0.6)
        edge = line.min(axis=1) if panel.relation is Relation.AT_MOST else line.max(axis=1)
        style = styles.setdefault(edge.tobytes(), len(styles))  # one law of several cells is one line
        (drawn,) = axis.plot(x, edge, **law(style))
        keys.setdefault(panel.cells[cell] + note, (drawn, found))
        if (mark := panel.beside("mark", cell)) is not None:
            axis.axvline(float(mark), **law(style, linewidth=0.8))
        for name, _, rival in (entry for entry in panel.rivals if entry[1] == cell and number == 0):
            false = rival.array().broadcast_like(measured).transpose(dim, ...).to_numpy().reshape(x.size, -1)[:, 0]
            axis.plot(x, false, "--", color=GREY, lw=1, label=f"rival: {name}")
    _curve_scale(panel, axis)
    x = np.asarray(panel.dataset[dim].to_numpy(), float)
    if (x > 0).all() and x.max() / x.min() >= 16:
        axis.set_xscale("log", base=2)
    axis.set(xlabel=in_words(panel.dataset[dim], dim), ylabel=textwrap.fill(panel.label, 30))
    said = "predicted" if panel.relation is Relation.EQUALS else f"{panel.relation.value} this"
    marked = "" if all(panel.beside("mark", cell) is None for cell in panel.predictions) else "; upright: marked place"
    axis.set_title(f"points: measured; lines: {said}{marked}", loc="left", fontsize=8.5)
    _legend(axis, keys)


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


def _legend(axis: Axes, keys: Mapping[str, tuple] | None = None) -> None:
    """Beside the axes, where it hides no point. Points and their law, which `keys` names together, share an entry."""
    handles, labels = axis.get_legend_handles_labels()
    unique = dict(keys or {}) | dict(zip(labels, handles, strict=True))
    if len(unique) > 1:
        shown = _few(unique)
        axis.legend(shown.values(), shown.keys(), loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.3)


def _few(entries: Mapping[str, Any]) -> dict[str, Any]:
    """As many entries as stand beside a panel: the first cells, how many more there are, and the rivals."""
    if len(entries) <= MAX_ENTRIES:
        return dict(entries)
    rivals = {name: entry for name, entry in entries.items() if name.startswith("rival")}
    cells = [name for name in entries if name not in rivals]
    kept = cells[: max(MAX_ENTRIES - 1 - len(rivals), 1)]
    more = {f"and {len(cells) - len(kept)} more": Line2D([], [], linestyle="none")}
    return {name: entries[name] for name in kept} | more | rivals
