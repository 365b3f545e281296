"""Mean squared norms of residual streams by layer, with fresh weights and with tied ones."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.width.residual_second_moment.claim import Sizes
from experiments.width.residual_second_moment.common import RULES
from theory.width import residual


def _draw(place, dataset: xr.Dataset) -> None:
    """Mean squared norm by layer, with its 95 % interval. Lines: the laws for wide layers, on which the points lie."""
    axes = place.subplots(1, 2, sharey=True)
    depth = dataset["depth"].to_numpy()
    for axis, weights, seeds in zip(axes, ("fresh", "tied"), ("seed", "tied_seed"), strict=True):
        growths = dataset[weights].isel(cell=0).transpose("scale", "depth", seeds).to_numpy()
        for number, (growth, rule, scale) in enumerate(zip(growths, RULES, Sizes(depth=depth[-1]).scales, strict=True)):
            fresh = weights == "fresh"
            limit = [residual.fresh_growth(d, scale) if fresh else residual.tied_growth(d, scale).limit for d in depth]
            axis.semilogy(depth, limit, **law(number))
            points(axis, depth, growth, number, f"α = {rule}", of="mean")
        axis.set(title=f"{weights} weights", xlabel="layer")
    axes[0].set_ylabel("mean squared norm")
    axes[0].legend()


PICTURES = (Picture(2.8, _draw),)
