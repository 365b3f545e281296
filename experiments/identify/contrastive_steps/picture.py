"""Steps of plain descent and unit steps, against the squared distance."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, pen
from depthjax.verify import Picture
from theory.identify import contrast as exact


def _draw(figure, dataset: xr.Dataset) -> None:
    """Steps against the squared distance; a straight line is exponential in R^2.

    Filled points: plain descent. Hollow points: unit steps. Lines: predicted. Filled points lie on their lines, and hollow ones
    stay below the bound, which bends over.
    """
    axes, radius = figure.subplots(), dataset["radius"].to_numpy()
    for number, loss in enumerate(dict.fromkeys(dataset["loss"].to_numpy().tolist())):
        colour, marker = pen(number)
        found = dataset.isel(cell=np.flatnonzero(dataset["loss"] == loss))
        squares, label = found["radius"] ** 2, {"nce": "NCE", "ence": "eNCE"}[loss]
        curve = np.linspace(float(found["radius"].min()), float(found["radius"].max()), 12)
        axes.semilogy(squares, found["efold"], marker, color=colour, label=f"{label}, plain: a factor e")
        axes.semilogy(curve**2, [exact.descent_rate(r, loss) for r in curve], **law(number, f"{label}, predicted"))
        axes.semilogy(squares, found["unit_steps"], marker, color=colour, mfc="none", label=f"{label}, unit steps to the level")
    curve = np.linspace(2, radius.max(), 30)
    axes.semilogy(curve**2, curve**4 + curve**6 / 4, **law(2, "bound on unit steps"))
    axes.set(xlabel="R²", ylabel="steps")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.2, _draw),)
