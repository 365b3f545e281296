"""The picture of all: what networks of each depth reach, constructed and trained, beside what theory predicts of that depth."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.pens import GREY, law, pen, points
from depthjax.figures.plots import WIDTH, styled, svg
from depthjax.verify.quantity import part

__all__ = ["CLAIMS", "headline"]

CLAIMS = ("rotation_depth", "hop_depth_strict", "hop_training_depth")
TITLE = "What a network of each depth reaches: predicted, constructed and trained"
CAPTION = (
    "Left: mean square error on the rotation task. Bar: the predicted floor of one layer. Square: its best guess, measured. "
    "Points: trained networks, the median with its 95 % interval. One layer stays on or above the bar; two go below.\n"
    "Right: the largest number of hops that a network follows. Line: predicted, 2^(L - 1) - 1 hops with L layers. "
    "Squares: explicit weights, measured, on the line for every alphabet. Points: trained networks, on it for the width, the "
    "letters and the steps of this run."
)
CONSTRUCTED, TRAINED = 1, 0  # pens


def headline(rotation: xr.Dataset, constructed: xr.Dataset, trained: xr.Dataset) -> str:
    """Return the picture as SVG text.

    Args:
        rotation: Measured by the claim `rotation_depth`.
        constructed: By `hop_depth_strict`.
        trained: By `hop_training_depth`.
    """
    with styled("headline"):
        canvas = Figure(figsize=(WIDTH, 3.2), layout="constrained")
        FigureCanvasSVG(canvas)
        left, right = canvas.subplots(1, 2)
        _errors(left, rotation.isel(cell=0))
        _reach(right, constructed.isel(cell=0), trained.isel(cell=0))
        return svg(canvas, TITLE, CAPTION)


def _errors(axis: Axes, data: xr.Dataset) -> None:
    """Errors by depth, the floor of one layer, and the error of the best guess without order."""
    predicted = part(data, "order_blind", "prediction")
    assert predicted is not None  # the claim predicts it
    floor, (colour, marker) = float(predicted.mean()), pen(CONSTRUCTED)
    axis.hlines(floor, 0.6, 1.4, **law(label="floor of one layer", linewidth=2.2))
    axis.plot(1.12, float(data["order_blind"].mean()), marker, color=colour, label="best guess of one layer")
    points(axis, data["depth"] - 0.06, data["mse_1x"].transpose("depth", "seed"), TRAINED, "trained")
    axis.axhline(1 / 3, color=GREY, ls=":", lw=1, label="predicting nothing")
    axis.set(
        xlabel="layers",
        ylabel="mean square error, rotation",
        xticks=data["depth"],
        ylim=(0, 0.38),
        xlim=(0.5, data["depth"].max() + 0.5),
    )
    axis.legend(fontsize=7.5, loc="upper right", bbox_to_anchor=(1.0, 0.86))


def _reach(axis: Axes, constructed: xr.Dataset, trained: xr.Dataset) -> None:
    """Hops by depth: predicted, of explicit weights, and trained."""
    needed = part(constructed, "depth", "prediction")
    assert needed is not None
    layers, (colour, marker) = constructed["layers"].to_numpy(), pen(CONSTRUCTED)
    wrong = constructed["wrong"].transpose("layers", "hops").to_numpy() > 0
    predicted = np.array([(needed <= depth).sum() for depth in layers])
    reached = np.where(wrong.any(axis=1), wrong.argmax(axis=1), wrong.shape[1])  # hops before the first that is wrong
    inside = predicted < wrong.shape[1]  # the grid ends at more hops
    axis.plot(layers[inside], predicted[inside], **law(label="predicted"))
    axis.plot(layers[inside], reached[inside], marker, color=colour, ms=7, mfc="none", label="constructed")
    points(axis, trained["layers"], trained["reach"].transpose("layers", "seed"), TRAINED, "trained")
    axis.set_yscale("symlog", base=2, linthresh=1)
    ticks = [0, *(2 ** np.arange(1, inside.sum()) - 1).tolist()]
    axis.set_yticks(ticks, map(str, ticks))
    axis.minorticks_off()
    axis.set(xlabel="layers", ylabel="hops followed", xticks=layers[inside], ylim=(-0.3, None))
    axis.legend(fontsize=7.5, loc="upper left")
