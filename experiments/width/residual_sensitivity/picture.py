"""The distance between two runs against the layer, for every placement of the norm."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.width.residual_sensitivity.common import NORMS
from theory.width import residual


def _draw(place, dataset: xr.Dataset) -> None:
    """Distance between two runs against the layer, for three places of the norm.

    Points: the mean of the seeds with its 95 % interval. Lines: the laws for wide layers, along which the points run.
    """
    axis = place.subplots()
    depth, rho = dataset["depth"].to_numpy(), float(dataset["correlation"].to_numpy().ravel()[0])
    axis.loglog(base=2)
    for number, norm in enumerate(NORMS):
        values = dataset["moved"].isel(cell=0).sel(norm=norm).transpose(..., "seed").to_numpy()
        axis.plot(depth, [1 - one.limit for one in residual.agreement(norm, len(depth), rho)[1:]], **law(number))
        points(axis, depth, values, number, norm, of="mean")
    axis.set(xlabel="layer", ylabel="1 - cos between the runs")
    axis.legend()


PICTURES = (Picture(3.0, _draw),)
