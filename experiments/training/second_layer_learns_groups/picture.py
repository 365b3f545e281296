"""The picture."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture


def _draw(figure, dataset: xr.Dataset) -> None:
    """Share of new words whose whole product is right, by group and number of layers.

    Small points: seeds; large ones: their median with its 95 % interval. Line: what counts as learned.
    """
    axes = figure.subplots(1, 1)
    cells = dataset.sizes["cell"]
    axes.axhline(float(dataset["level"][0]), **law(label="learned"))
    runs = dataset["share"].transpose("cell", "seed").to_numpy()
    points(axes, np.arange(cells), runs, 0, "trained", every=True)
    named = zip(dataset["group"].to_numpy(), dataset["depth"].to_numpy().tolist(), strict=True)
    axes.set_xticks(range(cells), [f"{group}, {depth} layer{'s' * (depth > 1)}" for group, depth in named])
    axes.set_xlim(-0.5, cells - 0.5)
    axes.set_ylabel("share of words that are right")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(2.8, _draw),)
