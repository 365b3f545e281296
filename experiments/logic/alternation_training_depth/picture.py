"""What networks of each depth get right on longer and longer words."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.logic.alternation_training_depth.common import WHOLE


def _draw(place, dataset: xr.Dataset) -> None:
    """Share of words wholly right against the multiple of the training lengths, a panel for each k.

    Small points: seeds; large ones: their median with its 95 % interval. Line: the share that counts as learned. Enough layers
    stay above it at every multiple; for three and four blocks one layer fewer falls below it for longer words.
    """
    blocks, multiples = dataset["k"].to_numpy().tolist(), dataset["multiple"].to_numpy()
    axes = place.subplots(1, len(blocks), sharey=True, squeeze=False)[0]
    for cell, (axis_, k) in enumerate(zip(axes, blocks, strict=True)):
        shares = dataset["sequence"].isel(cell=cell).transpose("above", "seed", "multiple").to_numpy()
        for number, (above, found) in enumerate(zip(dataset["above"].to_numpy().tolist(), shares, strict=True)):
            points(axis_, multiples, found.T, number, f"{k - 2 + above} layers", every=True)
        axis_.axhline(WHOLE, **law())
        axis_.set(title=f"L_{k}", xticks=multiples, ylim=(-0.03, 1.03))
        axis_.legend()
    axes[0].set_ylabel("share of words wholly right")
    place.supxlabel("length / training length", fontsize="medium")


PICTURES = (Picture(2.8, _draw),)
