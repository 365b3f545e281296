"""Maps of colours: errors by depth and by a size of the task with the predicted depths over them, and attention patterns."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import FigureBase

from depthjax.figures.pens import law
from depthjax.figures.ticks import whole_ticks

PALE = 2 / 3  # of the highest error: colours from here on are light, and black is read on them


def depth_map(
    axes: Axes, errors: xr.DataArray, laws: Mapping[str, Sequence[float]], highest: float = 1.0, *, numbers: bool = False
) -> QuadMesh:
    """Draw errors over a size of the task and the number of layers; return the coloured mesh, which a colour bar needs.

    Args:
        axes: Axes to draw on.
        errors: Errors over the dimension ``layers`` and one other, whose coordinate is the size of the task.
        laws: Predicted number of layers at every size, by the name for the legend.
        highest: Error of the brightest colour; the darkest stands for 0.
        numbers: Write the errors into the map; otherwise errors of exactly 0 are left white.
    """
    errors = errors.transpose("layers", ...)
    size = str(errors.dims[1])
    sizes, layers, values = errors[size].to_numpy(), errors["layers"].to_numpy(), errors.to_numpy()
    shown = values if numbers else np.where(values > 0, values, np.nan)
    mesh = axes.pcolormesh(sizes, layers, shown, cmap="cividis", vmin=0, vmax=highest, rasterized=True)
    if numbers:
        for (row, column), value in np.ndenumerate(values):
            place, ink = (float(sizes[column]), float(layers[row])), "black" if value > PALE * highest else "white"
            axes.text(*place, f"{value:.3f}", ha="center", va="center", fontsize=7, color=ink)
    for number, (name, depths) in enumerate(laws.items()):
        axes.step(sizes, np.asarray(depths) - 0.5, where="mid", **law(number, name, linewidth=2.0))
    axes.set(xlabel=str(errors[size].attrs.get("long_name", size)), yticks=layers, ylim=(layers[0] - 0.5, layers[-1] + 0.5))
    whole_ticks(axes.xaxis)
    return mesh


def pattern_table(figure: FigureBase, patterns: xr.DataArray, titles: Sequence[str]) -> None:
    """Draw attention patterns as a table: a row for each model, a column for each layer.

    Args:
        figure: Figure to draw on.
        patterns: Weights over the dimensions ``model``, whose coordinates name the rows, ``layer``, ``row`` and ``column``.
        titles: What each layer should look at.
    """
    patterns = patterns.transpose("model", "layer", "row", "column")
    table = figure.subplots(*patterns.shape[:2], squeeze=False, sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(table):
        axes.imshow(patterns[row, column].to_numpy(), cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
        whole_ticks(axes.xaxis)
        whole_ticks(axes.yaxis)
    for axes, name in zip(table[:, 0], patterns["model"].to_numpy(), strict=True):
        axes.set_ylabel(str(name))
    for number, (axes, title) in enumerate(zip(table[0], titles, strict=True), 1):
        axes.set_title(f"layer {number}: {title}", fontsize=8.5)
