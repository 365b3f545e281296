"""Errors by number of hops and of layers, and attention patterns beside those of the construction."""

import xarray as xr

from depthjax.figures.maps import depth_map, pattern_table
from depthjax.verify import Picture
from theory import bounds


def _draw_errors(figure, dataset: xr.Dataset) -> None:
    """Error of the median and of the best trained seed, by number of hops and of layers.

    Steps: the layers that weights need. The error is small above the steps and large below.
    """
    errors = dataset["error"].isel(cell=0)
    laws = {"floor(log2 k) + 2": [bounds.hop(int(k), "strict").at() for k in errors["hops"].to_numpy()]}
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, values in zip(panels, ("median", "best"), (errors.median("seed"), errors.min("seed")), strict=True):
        depth_map(axes, values, laws, 0.75, numbers=True)
        axes.set_title(f"error of the {name} seed", loc="left", fontsize=8.5)
    panels[0].set_ylabel("layers")
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


def _draw_patterns(figure, dataset: xr.Dataset) -> None:
    """Where each layer looks: a row looks at a column.

    Top: the rule and the construction. Below: the trained heads most like them. The patterns of a column resemble each other
    where training found the construction.
    """
    patterns = dataset["pattern"].isel(cell=0)
    steps = [f"find^{2**j}" for j in range(patterns.sizes["layer"] - 1)]
    pattern_table(figure, patterns, ["the last match", *steps])


PICTURES = (Picture(2.6, _draw_errors), Picture(5.0, _draw_patterns))
