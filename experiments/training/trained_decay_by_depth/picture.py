"""The picture."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import GREY, law, pen, points
from depthjax.verify import Picture
from depthjax.verify.quantity import cell_names
from experiments.training.trained_decay_by_depth.common import KINDS, READERS

LOWEST = 1e-9  # of the error axis: below it towers go on


def _draw(figure, dataset: xr.Dataset) -> None:
    """Mean square error by depth, logarithmic: of trained stacks, of the tower, and what is left to readers of simpler images.

    Small points: seeds; large ones: their median with its 95 % interval; triangles: the best seed. Line: the tower of as many
    layers. Broken line: the floor of one layer. Dotted lines: what images in free nilpotent groups of
    class 1, 2 and 3 leave. Trained stacks lie on the floor with one layer and below it with two; the tower falls faster.
    """
    named = [dict(part.split("=") for part in name.split(",")) for name in cell_names(dataset)]
    trained = [number for number, _ in enumerate(named) if np.isfinite(dataset["trained"].isel(cell=number)).any()]
    turns = list(dict.fromkeys(named[number]["turn"] for number in trained))
    places = figure.subplots(1, len(turns), squeeze=False)[0]
    for place, turn in zip(places, turns, strict=True):
        cells = [number for number in trained if named[number]["turn"] == turn]
        _panel(place, dataset.isel(cell=cells[0]), turn)
        for number in cells:
            kind = named[number]["kind"]
            data = dataset["trained"].isel(cell=number).transpose("depth", "seed").to_numpy()
            look = KINDS.index(kind)
            depths = dataset["depth"].to_numpy() + 0.06 * (look - len(cells) // 2 if len(cells) > 1 else 0)
            points(place, depths, data, look, kind, every=len(cells) == 1)
            place.plot(depths, data.min(axis=1), "^", color=pen(look)[0], ms=6, mfc="none", zorder=3)
        place.legend(fontsize=7, loc="lower left")


def _panel(place, data: xr.Dataset, turn: str) -> None:
    depths, tower = data["depth"].to_numpy(), np.maximum(data["tower"].to_numpy(), LOWEST / 100)
    place.semilogy(depths, tower, **law(label="tower of as many layers", marker="x"))
    place.axhline(float(data["layer_floor"].mean("position")), **law(1, label="floor of one layer"))
    for number, name in enumerate(READERS[:3]):
        left = float(data["left"].isel(reader=number))
        if left > LOWEST:
            place.axhline(left, color=GREY, lw=0.9, ls=":")
            place.annotate(name, (depths[-1] + 0.35, left), fontsize=6.5, color=GREY, ha="right", va="bottom")
    place.set(yscale="log", ylim=(LOWEST, 1), xticks=depths, xlim=(depths[0] - 0.4, depths[-1] + 0.4), xlabel="layers")
    place.set(ylabel="mean square error", title=f"{'small' if '/' in turn else 'large'} turns, eps = {turn}")


PICTURES = (Picture(3.4, _draw),)
