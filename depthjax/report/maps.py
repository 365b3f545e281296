"""Errors by depth and by a size of the task, as a map of colours with the predicted depths drawn over it."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh

from depthjax.report.panels import COLOURS

STYLES = ("-", "--", ":")


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
            axes.text(sizes[column], layers[row], f"{value:.3f}", ha="center", va="center", fontsize=7, color="white")
    for (name, law), colour, style in zip(laws.items(), COLOURS[1::2], STYLES, strict=False):
        axes.step(sizes, np.asarray(law) - 0.5, style, where="mid", color=colour, label=name)
    axes.set(xlabel=str(errors[size].attrs.get("long_name", size)), yticks=layers, ylim=(layers[0] - 0.5, layers[-1] + 0.5))
    return mesh
