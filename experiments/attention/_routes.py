"""Sizes, predictions and quantities that the claims on the two routes to k hops share; a route is the mask of layer 1."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.figures.maps import depth_map
from depthjax.probe.hop_layers import hop_layers
from depthjax.verify import UNSHARP, Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, measured
from theory import bounds


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; hops 1 to `largest`; layers to cut after; length and number of random words; rounds of search for hard ones."""

    alphabet: int = axis(4)
    largest: int = 64
    layers: int = 8
    length: int = 96
    samples: int = 16
    rounds: int = 16


GRIDS = {
    "test": Sizes(largest=5, layers=5, length=24, samples=4, rounds=2),
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 4), length=512, samples=1000, rounds=24),
    "paper": Sizes(alphabet=axis(2, 3, 4, 26), length=512, samples=1000, rounds=96),
}


def law(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the depth of every k, and which k are right after how many layers."""
    hops, layers = range(1, cell.largest + 1), range(1, cell.layers + 1)
    fits = (Hypothesis("length^2 fits the mantissa of float32", cell.length <= bounds.longest_exact_length(24)),)
    depth = [int(bounds.hop(k, route).at()) for k in hops]
    right = np.array([[int(k <= bounds.hop_reach(n, route)) for k in hops] for n in layers])
    return (
        Prediction(depth, of="depth", dims=("hops",), hypotheses=fits),
        Prediction(right, of="right", dims=("layers", "hops"), hypotheses=fits),
    )


def predictions(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the law, the width of the residual stream, and the least sharpness."""
    least = bounds.sharpness(cell.length).at()
    return (
        *law(cell, route),
        Prediction(bounds.hop_width(cell.alphabet, route), of="width"),
        Prediction(least, of="sharpness", relation=Relation.AT_LEAST, resolution=UNSHARP, formula=r"\ln 4N"),
    )


def measurement(cell: Sizes, key: jax.Array, route: str, **damage) -> xr.Dataset:
    """Return wrong positions by layer and k; a construction with fewer layers rests after its last one."""
    found = hop_layers(key, route, cell.largest, cell.length, cell.alphabet, samples=cell.samples, rounds=cell.rounds, **damage)
    wrong = found.wrong[np.minimum(np.arange(cell.layers), len(found.wrong) - 1)]
    return measured(
        hops=Quantity(np.arange(1, cell.largest + 1), "hops", label="hops k"),
        layers=np.arange(1, cell.layers + 1),
        depth=Quantity(found.depth, "hops", label="layers from which on no position is wrong"),
        right=Quantity((wrong == 0).astype(int), "layers hops", label="no wrong position"),
        wrong=Quantity(wrong, "layers hops", label="share of wrong positions"),
        width=Quantity(found.width, label="residual directions"),
        sharpness=Quantity(found.sharpness, floor=0.0, label="sharpness of the lookups"),
        words=Quantity(found.words, label="words tried"),
    )


def picture(route: str) -> Picture:
    """Draw the share of wrong positions by k and depth, with the laws of both routes."""

    def draw(figure, dataset: xr.Dataset) -> None:
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
