"""The picture of the claims on the two routes to k hops; a route is the mask of layer 1."""

import xarray as xr

from depthjax.figures.maps import depth_map
from depthjax.verify import Picture
from theory import bounds

__all__ = ["picture"]


def picture(route: str) -> Picture:
    """Draw the share of wrong positions by k and depth, with the laws of both routes."""

    def draw(figure, dataset: xr.Dataset) -> None:
        """Share of wrong positions by number of hops and of layers; white: none.

        Steps: the least number of layers that each mask needs. Above the steps of the drawn mask all is white, and below them
        it is not.
        """
        hops = dataset["hops"].to_numpy()
        names = {"strict": "floor(log2 k) + 2", "causal": "ceil(log2 k) + 2"}
        laws = {name: [bounds.hop(int(k), mask).at() for k in hops] for mask, name in names.items()}
        axes = figure.subplots()
        figure.colorbar(depth_map(axes, dataset["wrong"].isel(cell=0), laws), ax=axes, label="share of wrong positions")
        axes.set_xscale("log", base=2)
        axes.set_ylabel("layers")
        axes.legend(loc="lower right", fontsize=7.5, frameon=True, facecolor="white", framealpha=0.8)
        axes.set_title(f"{route} mask in layer 1; white: no wrong position in any word", loc="left", fontsize=8.5)

    return Picture(3.2, draw)
