"""Results by depth: a panel for each task, with every seed, the median and its interval, the best and the predicted depth."""

from collections.abc import Mapping, Sequence

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, FigureBase

from depthjax.figures.pens import GREY, law, pen, points
from depthjax.figures.plots import WIDTH, styled, svg
from experiments.studies.curves import Curve, curves, metrics, sign

ZERO = 1 / 3  # the mean square error of predicting nothing, for a unit vector in three coordinates
LABELS = {
    "token_1x": "letters that are right,\ntraining length",
    "sequence_1x": "sequence accuracy,\ntraining length",
    "prefix_2x": "letters until < 90 %\nof words are right",
    "mse_1x": "mean square error,\ntraining length",
    "mse_2x": "mean square error,\ntwice the length",
    "error_1x": "wrong answers,\ntraining length",
    "error_2x": "wrong answers,\ntwice the length",
    "left_1x": "share of the target left,\ntraining length",
    "sequence_2x": "words that are right,\ntwice the length",
    "token_2x": "letters that are right,\ntwice the length",
    "prefix_1x": "letters until < 90 % of words\nare right, training length",
}
SAID = "depth; small points: seeds, large: median of {} with its interval, triangles: best"
HEIGHT, COLUMNS = 6.0, 3
SPREAD = 0.8  # of the distance between two depths


def by_depth(
    cells: Mapping[str, xr.Dataset],
    predicted: Mapping[str, int | None],
    task: str,
    floors: Mapping[str, float] | None = None,
    metric: str = "",
) -> str:
    """Return the figure of a sweep as SVG text.

    Args:
        cells: Variables over (depth, seed), by the names of a sweep.
        predicted: The depth that is marked, by cell.
        task: Of the sweep.
        floors: What one layer errs at least in the first metric, by cell.
        metric: The one that is shown; those of the task if empty.
    """
    first, *longer = (metric,) if metric else metrics(task)
    shown = {first: curves(cells, first, predicted, floors=floors)} | {name: curves(cells, name, predicted) for name in longer}
    shown = {name: found for name, found in shown.items() if found}
    tasks = len({curve.task for curve in next(iter(shown.values()))})
    height = HEIGHT if tasks == 1 else 0.7 + 3.2 * -(-tasks // COLUMNS)
    with styled(task):
        canvas = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(canvas)
        draw_by_depth(canvas, shown)
        return svg(canvas, f"{task} by depth")


def draw_by_depth(figure: FigureBase, shown: Mapping[str, Sequence[Curve]]) -> None:
    """Draw one panel for each metric and task; three tasks stand side by side, their metrics below each other.

    Args:
        figure: To draw on.
        shown: The curves of each metric, which have the same tasks. The lowest of the floors of a task is drawn.
    """
    every = [curve for found in shown.values() for curve in found]
    tasks = list(dict.fromkeys(curve.task for curve in every))
    networks = {curve.network: curve.depths for curve in every}
    columns = min(COLUMNS, len(tasks))
    places = figure.subplots(-(-len(tasks) // columns) * len(shown), columns, sharex=True, squeeze=False)
    for axis in places[-len(shown) :, len(tasks) % columns or columns :].flat:  # of the last tasks
        axis.remove()
    for number, task in enumerate(tasks):
        block, column = divmod(number, columns)
        for below, (metric, found) in enumerate(shown.items()):
            axis: Axes = places[block * len(shown) + below, column]
            axis.sharey(places[below, 0])
            _panel(axis, [curve for curve in found if curve.task == task], networks)
            axis.tick_params(labelleft=column == 0)
            axis.set_ylabel("" if column else LABELS[metric])
            if below == 0:
                axis.set_title(task)
    upright = ", upright: predicted depth" if any(curve.predicted in curve.depths for curve in every) else ""
    figure.supxlabel(SAID.format(every[0].values.shape[1]) + upright, fontsize=8)
    drawn: list[Axes] = figure.axes  # type: ignore[assignment]
    known = {label: line for axis in drawn for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(known.values(), known.keys(), loc="outside upper left", ncols=4, fontsize=7.5)


def _panel(axis: Axes, found: Sequence[Curve], networks: Mapping[str, Sequence[int]]) -> None:
    """Kinds of network beside each other at every depth that they have; depths are equally far apart."""
    metric, kinds = found[0].metric, list(networks)
    depths = sorted({depth for own in networks.values() for depth in own})

    def place_of(kind: str, depth: int) -> float:
        here = [one for one in kinds if depth in networks[one]]
        return depths.index(depth) + SPREAD * ((here.index(kind) + 0.5) / len(here) - 0.5)

    for curve in found:
        number = kinds.index(curve.network)
        places = [place_of(curve.network, depth) for depth in curve.depths]
        points(axis, places, curve.values, number, curve.network, every=True)
        best = (sign(metric) * (sign(metric) * curve.values).max(axis=1)).tolist()
        axis.plot(places, best, "^" if sign(metric) > 0 else "v", color=pen(number)[0], ms=6, mfc="none", lw=0)
        if curve.predicted in curve.depths:
            axis.axvline(place_of(curve.network, curve.predicted), **law(linewidth=0.9))
    axis.set(xticks=range(len(depths)), xticklabels=map(str, depths), xlim=(-0.6, len(depths) - 0.4))
    for place in range(1, len(depths)):
        axis.axvline(place - 0.5, color=GREY, lw=0.4, alpha=0.5)
    if metric == "mse_1x":
        axis.axhline(ZERO, color=GREY, ls=":", label="predicting nothing")
    if floors := [curve.floor for curve in found if curve.floor is not None]:
        place = depths.index(1)
        axis.hlines(min(floors), place - 0.4, place + 0.4, **law(label="floor at depth 1"))
