"""Errors on new words, and the least number of layers that is enough, against the number of training words."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.width.best_depth_grows_with_data.claim import needed_layers


def _draw(figure, dataset: xr.Dataset) -> None:
    """Errors on new words by number of training words and of layers; below, the least number of layers that is enough.

    Points: medians with 95 % intervals. Lines: one layer for few words, and the layers of the construction for endless ones.
    The errors part as words become many, and the points below climb from one line to the other.
    """
    cell = dataset.isel(cell=0)
    counts, places = cell["words"].to_numpy(), np.arange(cell.sizes["words"])
    panels = figure.subplots(2, cell.sizes["hops"], sharex=True, sharey="row", squeeze=False)
    for k, (above, below) in zip(cell["hops"].to_numpy(), panels.T, strict=True):
        runs = cell.sel(hops=k).transpose(..., "words", "seed")
        for number, depth in enumerate(cell["layers"].to_numpy()):
            points(above, places + 0.1 * (number - 1), runs["error"].sel(layers=depth), number, f"layers: {depth}")
        for number, (height, label) in enumerate(
            [(1, "predicted, few words"), (needed_layers(int(k)), "predicted, endless words")]
        ):
            below.axhline(height, **law(number, label))
        points(below, places, runs["least"], 4)
        below.set_yticks(cell["layers"].to_numpy())
        above.set_title(f"hop_{k}", loc="left", fontsize=8.5)
        below.set_xticks(places, [*map(str, counts[:-1]), "endless"], rotation=45)
        below.set_xlabel("training words N")
    for row, label in zip(panels, ("share of wrong answers", "layers that are enough"), strict=True):
        row[0].set_ylabel(label)
        row[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


PICTURES = (Picture(3.8, _draw),)
