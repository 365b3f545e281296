"""The picture."""

import dataclasses

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Grid, Picture
from experiments.width.residual_second_moment.common import RULES
from theory.width import residual


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths 1 .. depth at alpha = 1, 1/sqrt(depth), 1/depth; tied weights are fewer numbers, so there are more of them.

    The law of tied weights is judged to ``tied_depth``: beyond, the bound on the terms left out grows past the law itself. Its
    1/n term is judged at the width ``narrow`` with ``many`` seeds.
    """

    depth: int = 16
    width: int = 128
    seeds: int = 160
    tied_width: int = 256
    tied_seeds: int = 256
    tied_depth: int = 8
    tokens: int = 8
    narrow: int = 16
    many: int = 2**16

    @property
    def scales(self) -> tuple[float, ...]:
        """Values of alpha, by rule."""
        return 1.0, self.depth**-0.5, 1 / self.depth


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
