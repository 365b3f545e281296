"""The picture."""

import xarray as xr

from depthjax.verify import Picture
from depthjax.verify.quantity import cell_names
from experiments.studies.curves import curve, metrics
from experiments.studies.figure import HEIGHT, draw_by_depth


def _draw(figure, dataset: xr.Dataset) -> None:
    """Mean square error by depth, at the training length and at twice that.

    Small points: seeds; large ones: their median with its 95 % interval; triangles: the best seed. Bar: the floor of one layer,
    the lower one of two alphabets. One layer stays above it; on words in generators two layers go below.
    """
    cells = {name.replace("=", " "): dataset.isel(cell=index) for index, name in enumerate(cell_names(dataset))}
    floors = dict.fromkeys(metrics("rotation")[:1], float(dataset["order_blind"].mean("position").min()))
    shown = {m: [curve(name, cell, m, floors.get(m)) for name, cell in cells.items()] for m in metrics("rotation")}
    draw_by_depth(figure, shown)


PICTURES = (Picture(HEIGHT, _draw),)
