"""The share of the target that every trained network leaves, beside the floor of one hidden layer."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture


def _draw(figure, dataset: xr.Dataset) -> None:
    """Share of the target that trained networks leave, of the same number of units.

    Crosses: the least share of one hidden layer, whatever its weights. Points are seeds, the larger one is their median.
    """
    axes, places = figure.subplots(1, 1), np.arange(dataset.sizes["cell"])
    axes.plot(places, dataset["floor"].to_numpy(), **law(label="floor of one layer", linestyle="", marker="x", ms=9))
    for number, (name, label) in enumerate((("deep_left", "recurrence or tree"), ("one_layer_left", "one hidden layer"))):
        points(
            axes,
            places + 0.12 * (2 * number - 1),
            dataset[name].transpose("cell", "seed").to_numpy(),
            number,
            label,
            every=True,
        )
    names = [f"{each['network'].item()}\n{each['length'].item()} letters" for _, each in dataset.groupby("cell")]
    axes.set(xticks=places, xticklabels=names, xlim=(-0.5, len(places) - 0.5), ylim=(0, 1.3), ylabel="share left")
    axes.legend(loc="upper center", ncols=3)


PICTURES = (Picture(3.0, _draw),)
