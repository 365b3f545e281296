"""What people of this field look at: the staircase of the loss, power by irrep, the order of learning, width against length."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from depthjax.figures.panels import COLOURS, GREY, INK
from depthjax.verify import Grid
from depthjax.verify.experiment import Picture
from experiments.composition._learning import Flows, learning_task
from theory import groups
from theory.composition import activation_time, linear_loss, plateau_levels, score, two_layer_width


def _cells(grid: Grid, dataset: xr.Dataset) -> Iterable[tuple[Grid, xr.Dataset]]:
    named = {cell.name: cell for cell in grid.cells()}
    for i, name in enumerate(dataset["cell"].to_numpy()):
        yield named[str(name)], dataset.isel(cell=i)


def _staircase(figure, dataset: xr.Dataset) -> None:
    """Losses of all seeds over time, the predicted levels and times; below, the power that the network has of each irrep."""
    axes = figure.subplots(2, dataset.sizes["cell"], squeeze=False, sharex="col")
    for (cell, data), (upper, lower) in zip(_cells(Flows(), dataset), axes.T, strict=True):
        assert isinstance(cell, Flows)
        task, time = learning_task(cell), data["time"].to_numpy()
        for loss in data["loss"].transpose("seed", ...).to_numpy():
            upper.plot(time, loss, color=COLOURS[0], lw=0.6, alpha=0.5)
        for level in plateau_levels(task.every, cell.length, len(task.table)):
            upper.axhline(float(level), color=INK, lw=0.8, ls="--")
        for number, component in enumerate(task.components):
            power = 2 * (2 if component.kind == "complex" else 1) * float(linear_loss([component], len(task.table)))
            jump = float(activation_time(component, cell.length, len(task.table)))
            upper.axvline(jump, color=COLOURS[number + 1], lw=0.8, ls=":")
            lower.axvline(jump, color=COLOURS[number + 1], lw=0.8, ls=":")
            lower.axhline(power, color=COLOURS[number + 1], lw=0.6, ls="--")
            share = data["share"].isel(irrep=number).to_numpy()
            lower.plot(time, power * share, color=COLOURS[number + 1], label=f"{component.kind}, dim {component.dimension}")
        upper.set_title(f"{cell.group}, k = {cell.length}", fontsize=8.5)
        lower.legend(fontsize=6, loc="upper left")
        lower.set_xlabel("time")
    axes[0, 0].set_ylabel("loss; dashed: predicted")
    axes[1, 0].set_ylabel("power learned, by irrep")


def _order(figure, dataset: xr.Dataset) -> None:
    """When an irrep is learned against its score, and against its power, which misorders."""
    axes = figure.subplots(1, 2, sharey=True)
    for number, (cell, data) in enumerate(_cells(Flows(), dataset)):
        assert isinstance(cell, Flows)
        task, colour = learning_task(cell), COLOURS[number]
        times = data["time"].transpose("seed", "irrep").to_numpy()[:, : len(task.components)]
        scores = [float(score(c, cell.length)) for c in task.components]
        powers = [(2 if c.kind == "complex" else 1) * 2 * float(linear_loss([c], len(task.table))) for c in task.components]
        for axis, values in zip(axes, (scores, powers), strict=True):
            order = np.argsort(values)
            middle = np.median(times, axis=0)
            axis.errorbar(
                np.array(values)[order],
                middle[order],
                yerr=np.abs(np.quantile(times, [0.25, 0.75], axis=0) - middle)[:, order],
                marker="o",
                color=colour,
                label=f"{cell.group}, k = {cell.length}",
            )
    axes[0].set(yscale="log", xlabel="score", ylabel="time of the jump\n(median, quartiles)")
    axes[0].yaxis.set_major_formatter("{x:g}")
    axes[0].yaxis.set_minor_formatter("{x:g}")
    axes[1].set(xlabel="power")
    axes[0].set_title("falls with the score", loc="left", fontsize=8.5)
    axes[1].set_title("not with the power", loc="left", fontsize=8.5)
    axes[0].legend(fontsize=7)


def widths(grid: Grid) -> Picture:
    """Width of the constructed networks against the length, on the formula's lines."""

    def draw(figure, dataset: xr.Dataset) -> None:
        axis = figure.subplots()
        found: dict[str, list[tuple[int, float]]] = {}
        for cell, data in _cells(grid, dataset):
            found.setdefault(cell.group, []).append((cell.length, float(data["width"])))  # type: ignore[attr-defined]
        lengths = np.arange(2, 1 + max(length for points in found.values() for length, _ in points))
        for number, (name, points) in enumerate(found.items()):
            irreps, colour = groups.group(name).irreps()[1:], COLOURS[number % len(COLOURS)]
            axis.plot(lengths, [two_layer_width(irreps, int(k)) for k in lengths], color=colour, lw=1, label=name)
            axis.plot(*np.array(points).T, "o", color=colour)
        axis.plot(lengths, 2.0 ** (lengths - 1), color=GREY, ls="--", lw=1, label=r"$2^{k-1}$")
        axis.set(yscale="log", xlabel="length k", ylabel="hidden units", xticks=lengths)
        axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.02))
        axis.set_title("dots: constructed and exact; lines: formula", loc="left", fontsize=8.5)

    return Picture(3.0, draw)


STAIRCASE = Picture(4.2, _staircase)
ORDER = Picture(3.0, _order)
