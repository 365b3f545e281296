"""The picture."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.figures.plots import spoken
from depthjax.verify import Picture


def _draw(figure, dataset: xr.Dataset) -> None:
    """Letters until fewer than nine of ten words are right, by network and depth.

    Small points: seeds; large ones: their median with its 95 % interval. Line: whole words. Medians reach it where the class
    has weights, and on resets.
    """
    axes = figure.subplots(1, 1)
    prefixes = [name for name in map(str, dataset) if name.startswith("prefix_")]
    axes.axhline(max(float(dataset[name].max()) for name in prefixes), **law(label="solved"))
    for number, name in enumerate(prefixes):
        runs = dataset[name].transpose("cell", "seed").to_numpy()
        points(axes, np.arange(len(runs)) + 0.2 * number - 0.3, runs, number, name[7:], every=True)
    kinds, depths = (dataset[name].to_numpy() for name in ("model", "depth"))
    first = [spoken(str(kind)) if n == 0 or kind != kinds[n - 1] else "" for n, kind in enumerate(kinds)]
    axes.set_xticks(range(len(kinds)), [f"{depth}\n{kind}" for depth, kind in zip(depths, first, strict=True)], fontsize=7)
    axes.set_xlabel("layers of each kind of network")
    axes.set_ylabel("letters until < 90 % of words are right")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.0, _draw),)
