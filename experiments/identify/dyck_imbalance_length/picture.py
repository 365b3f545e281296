"""The length of the first misread prefix, against the violation."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, pen
from depthjax.verify import Picture


def _draw(figure, dataset: xr.Dataset) -> None:
    """Length of the first misread prefix against the violation.

    Points: measured, a marker a table. Line: the law 1/delta. The uniform table lies on it, and other tables run parallel
    below.
    """
    axes, deltas = figure.subplots(), 2.0 ** -dataset["bits"].to_numpy()
    for number, table in enumerate(np.unique(dataset["table"])):
        colour, marker = pen(number)
        found = np.flatnonzero(dataset["table"] == table)
        label = f"random table {table}" if table else "uniform"
        axes.loglog(deltas[found], 2 * dataset["first_failure"].to_numpy()[found, 0] + 1, marker, color=colour, label=label)
    axes.loglog(np.unique(deltas), 1 / np.unique(deltas), **law(label="1/delta"))
    axes.set(xlabel="violation delta of the balance condition", ylabel="length of the first misread prefix")
    axes.legend()


PICTURES = (Picture(2.8, _draw),)
