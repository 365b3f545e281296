"""The picture."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.training.drift_of_trained_networks.common import KINDS


def _draw(figure, dataset: xr.Dataset) -> None:
    """What is left of an error, and letters until the first mistake, of networks without and with a tanh.

    Left: the mean square share after random kicks, in squares of a kick, against letters t; the line is t. Right: letters
    before the first mistake; small points are seeds. Affine networks follow the line and err; with a tanh they do neither.
    """
    (left, right), data = figure.subplots(1, 2), dataset.isel(cell=0)
    left.loglog(times := data["time"].to_numpy(), times, **law(label="t"))
    for number, kind in enumerate(KINDS):
        points(left, times, data[f"kicked_{kind}"].transpose("time", "sample").to_numpy(), number, kind, of="mean")
        points(right, [number], data[f"prefix_{kind}"].to_numpy()[None], number, every=True)
    left.minorticks_off()
    left.set(xticks=times, xticklabels=times, xlabel="letters", ylabel="mean square share / square of a kick")
    left.legend(loc="upper left")
    right.set(yscale="log", xticks=range(2), xticklabels=KINDS, xlim=(-0.5, 1.5), ylabel="letters until the first mistake")


PICTURES = (Picture(3.0, _draw),)
