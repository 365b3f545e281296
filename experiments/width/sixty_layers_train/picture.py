"""Training losses of all stacks."""

import xarray as xr

from depthjax.figures.losses import draw_losses
from depthjax.verify import Picture


def _draw(place, dataset: xr.Dataset) -> None:
    """Training losses of stacks of layers: every seed thin, the median thick.

    What trains falls to the bottom, and what does not stays where it began.
    """
    panel = place.subplots(1, 1)
    losses = dataset["losses"].isel(cell=0)
    draw_losses(
        panel, {str(name): losses.sel(stack=name).to_numpy() for name in losses["stack"].to_numpy()}, "stacks of layers"
    )
    panel.set_ylabel("training loss")
    panel.legend()


PICTURES = (Picture(2.8, _draw),)
