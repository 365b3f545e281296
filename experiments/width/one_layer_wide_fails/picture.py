"""Training losses of one wide layer and of two narrow ones."""

import xarray as xr

from depthjax.figures.losses import draw_losses
from depthjax.verify import Picture
from experiments.width.one_layer_wide_fails.common import HOPS


def _draw(place, dataset: xr.Dataset) -> None:
    """Training losses on one and on two hops: every seed thin, the median thick.

    On one hop both networks fall; on two hops the wide layer stays high, and the two narrow ones fall.
    """
    axes = place.subplots(1, len(HOPS), sharey=True)
    for axis, hops in zip(axes, HOPS, strict=True):
        losses = dataset["losses"].isel(cell=0).sel(hops=hops)
        named = {label: losses.sel(layers=n).to_numpy() for n, label in ((1, "one wide layer"), (2, "two narrow layers"))}
        draw_losses(axis, named, f"{hops} hop{'s' if hops > 1 else ''}")
    axes[0].set_ylabel("training loss")
    axes[0].legend()


PICTURES = (Picture(2.8, _draw),)
