"""Results by depth: every seed, the median with its exact interval, the best, and the depth that theory predicts."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, FigureBase

from depthjax.figures.pens import GREY, law, pen, points
from depthjax.figures.plots import WIDTH, styled, svg

ZERO = 1 / 3  # the mean square error of predicting nothing, for a unit vector in three coordinates


LABELS = {
    "sequence_1x": "sequence accuracy, training length",
    "prefix_2x": "letters until < 90 % of words are right",
    "mse_1x": "mean square error, training length",
    "mse_2x": "mean square error, twice the length",
}
HEIGHT = 6.0


def by_depth(cells: Mapping[str, xr.Dataset], predicted: Mapping[str, int | None], task: str) -> str:
    """Return `draw_by_depth` alone, as SVG text."""
    with styled(task):
        canvas = Figure(figsize=(WIDTH, HEIGHT + 0.12 * len(cells)), layout="constrained")
        FigureCanvasSVG(canvas)
        draw_by_depth(canvas, cells, predicted, task)
        return svg(canvas, f"{task} by depth")


def draw_by_depth(
    figure: FigureBase,
    cells: Mapping[str, xr.Dataset],
    predicted: Mapping[str, int | None],
    task: str,
    floors: Mapping[int, float] | None = None,
) -> None:
    """Draw two panels: accuracy and longest prefix, or errors at one and two lengths.

    Args:
        figure: to draw on.
        cells: variables over (depth, seed).
        predicted: the depth that is marked, by cell.
        task: of the sweep; "rotation" alone has errors in place of accuracies.
        floors: of the mean square error, by depth.
    """
    names = ("mse_1x", "mse_2x") if task == "rotation" else ("sequence_1x", "prefix_2x")
    axes = figure.subplots(len(names), 1, sharex=True)
    for axis, name in zip(axes, names, strict=True):
        for number, (cell, dataset) in enumerate(cells.items()):
            shift = 0.5 * (number + 0.5) / len(cells) - 0.25
            _cell(axis, dataset[name], cell, number, shift, predicted.get(cell), best=min if task == "rotation" else max)
        if name == "mse_1x":
            axis.axhline(ZERO, color=GREY, ls=":", label="predicting nothing")
            for depth, floor in (floors or {}).items():
                axis.hlines(floor, depth - 0.4, depth + 0.4, **law(label=f"floor at depth {depth}"))
        axis.set_ylabel(LABELS[name])
    axes[-1].set_xlabel(
        "depth; small points: seeds, large: median with its interval, triangles: best, upright: predicted depth"
    )
    axes[-1].xaxis.get_major_locator().set_params(integer=True)
    axes[0].legend(fontsize=7, loc="lower left", bbox_to_anchor=(0, 1.0))


def _cell(axis: Axes, values: xr.DataArray, label: str, number: int, shift: float, depth: int | None, best) -> None:
    colour, _ = pen(number)
    runs = values.transpose("depth", "seed").to_numpy().astype(float)
    depths = values["depth"].to_numpy() + shift
    points(axis, depths, runs, number, f"{label}: median of {runs.shape[1]}", every=True)
    axis.plot(depths, [best(row) for row in runs], "^" if best is max else "v", color=colour, ms=6, mfc="none", lw=0)
    if depth is not None:
        axis.axvline(depth + shift, **law(number))
