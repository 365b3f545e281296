"""Results by depth: every seed, the median with its exact interval, the best, and the depth that theory predicts."""

import io
from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.verify.panels import COLOURS, GREY, INK, MARKERS
from depthjax.verify.plots import PAPER
from depthjax.verify.seeds import median_limits

ZERO = 1 / 3  # the mean square error of predicting nothing, for a unit vector in three coordinates


def by_depth(
    cells: Mapping[str, xr.Dataset],
    predicted: Mapping[str, int | None],
    task: str = "words",
    floors: Mapping[int, float] | None = None,
) -> str:
    """Return the figure as SVG text: two panels, accuracy and longest prefix, or errors at one and two lengths.

    Args:
        cells: variables over (depth, seed).
        predicted: the depth that is marked, by cell.
        task: "words" or "rotation".
        floors: of the mean square error, by depth.
    """
    names = ("sequence_1x", "prefix_2x") if task == "words" else ("mse_1x", "mse_2x")
    labels = {
        "sequence_1x": "sequence accuracy, training length",
        "prefix_2x": "letters until fewer than 90 % of words are right",
        "mse_1x": "mean square error, training length",
        "mse_2x": "mean square error, twice the length",
    }
    canvas = Figure(figsize=(7.6, 6.4), layout="constrained", facecolor=PAPER)
    FigureCanvasSVG(canvas)
    for axis, name in zip(canvas.subplots(len(names), 1, sharex=True), names, strict=True):
        for number, (cell, dataset) in enumerate(cells.items()):
            shift = 0.5 * (number + 0.5) / len(cells) - 0.25
            _cell(axis, dataset[name], cell, number, shift, predicted.get(cell), best=max if task == "words" else min)
        if name == "mse_1x":
            axis.axhline(ZERO, color=GREY, ls=":", label="predicting nothing")
            for depth, floor in (floors or {}).items():
                axis.hlines(floor, depth - 0.4, depth + 0.4, color=INK, lw=1.5, label=f"floor at depth {depth}")
        axis.set_ylabel(labels[name])
        axis.spines[["top", "right"]].set_visible(False)
    axis.set_xlabel("depth; dots: seeds, bars: exact interval of the median, triangles: best, dashed: predicted depth")
    axis.xaxis.get_major_locator().set_params(integer=True)
    canvas.axes[0].legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0, 1.0 + 0.09 * (len(cells) + 2)))
    stream = io.StringIO()
    canvas.savefig(stream, format="svg", metadata={"Date": None, "Creator": "depthjax"})
    return stream.getvalue()


def _cell(axis: Axes, values: xr.DataArray, label: str, number: int, shift: float, depth: int | None, best) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    runs = values.transpose("depth", "seed").to_numpy().astype(float)
    depths = values["depth"].to_numpy() + shift
    axis.plot(np.repeat(depths, runs.shape[1]), runs.ravel(), marker, color=colour, ms=3, alpha=0.45, lw=0)
    axis.plot(depths, np.median(runs, axis=1), "-", color=colour, lw=1.3, label=f"{label}: median of {runs.shape[1]}")
    low, high = median_limits(runs)
    known = np.isfinite(low)
    axis.vlines(depths[known], low[known], high[known], color=colour, lw=2, alpha=0.6)
    axis.plot(depths, [best(row) for row in runs], "^" if best is max else "v", color=colour, ms=6, mfc="none", lw=0)
    if depth is not None:
        axis.axvline(depth + shift, color=colour, ls="--", lw=0.9)
