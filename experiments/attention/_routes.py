"""Sizes, predictions and quantities that the claims on the two routes to k hops share; a route is the mask of layer 1."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.figures.maps import depth_map
from depthjax.probe.hop_layers import directions_needed, hop_layers
from depthjax.tasks.hops import hop_table, hop_words
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, axis, measured
from theory import bounds
from theory.attention.hops import hop_reach, hop_width, longest_exact_length

PROBES = 4  # words that tell which directions are needed


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; hops 1 to `largest`; layers to cut after; length and number of random words; rounds of search for hard ones."""

    alphabet: int = axis(3)
    largest: int = 64
    layers: int = 8
    length: int = 176
    samples: int = 16
    rounds: int = 16


GRIDS = {
    "test": Sizes(largest=5, layers=5, length=24, samples=4, rounds=2),
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 4), length=512, samples=500, rounds=24),
    "paper": Sizes(alphabet=axis(2, 3, 4, 26), length=512, samples=1000, rounds=96),
}


def law(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the depth of every k, and which k are right after how many layers."""
    hops, layers = range(1, cell.largest + 1), range(1, cell.layers + 1)
    fits = (Hypothesis("length^2 fits the mantissa of float32", cell.length <= longest_exact_length(24)),)
    depth = [int(bounds.hop(k, route).at()) for k in hops]
    right = np.array([[int(k <= hop_reach(n, route)) for k in hops] for n in layers])
    return (
        Prediction(depth, of="depth", dims=("hops",), hypotheses=fits),
        Prediction(right, of="right", dims=("layers", "hops"), hypotheses=fits),
    )


def predictions(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the law, the width of the residual stream, and that every k has an answer in some word of the published law."""
    return (
        *law(cell, route),
        Prediction(hop_width(cell.alphabet, route), of="width"),
        Prediction(cell.largest, of="answered"),
    )


def measurement(cell: Sizes, key: jax.Array, route: str, **damage) -> xr.Dataset:
    """Return wrong positions by layer and k; a construction with fewer layers rests after its last one."""
    tried, needed = jax.random.split(key)
    found = hop_layers(
        tried, route, cell.largest, cell.length, cell.alphabet, samples=cell.samples, rounds=cell.rounds, **damage
    )
    wrong = found.wrong[np.minimum(np.arange(cell.layers), len(found.wrong) - 1)]
    return measured(
        hops=Quantity(np.arange(1, cell.largest + 1), "hops", label="hops k"),
        layers=np.arange(1, cell.layers + 1),
        depth=Quantity(found.depth, "hops", label="layers from which on no position is wrong"),
        right=Quantity((wrong == 0).astype(int), "layers hops", label="no wrong position"),
        wrong=Quantity(wrong, "layers hops", label="share of wrong positions"),
        width=_width(cell, hop_words(needed, cell.alphabet, PROBES, cell.length, equal_neighbours=True), route),
        answered=Quantity(found.answered, label="hops that some random word has"),
        words=Quantity(found.words, label="words tried"),
    )


def poor_words(cell: Sizes, key: jax.Array, route: str) -> xr.Dataset:
    """Return the directions that words over one letter need, and the hops that words of `largest` letters have."""
    short = hop_words(key, cell.alphabet, cell.samples, cell.largest)
    answered = np.asarray(hop_table(short, cell.alphabet, cell.largest) < cell.alphabet).any(axis=(1, 2)).sum()
    return measured(width=_width(cell, jnp.zeros((PROBES, cell.length), int), route), answered=Quantity(int(answered)))


def _width(cell: Sizes, words: jax.Array, route: str) -> Quantity:
    """Directions of the residual stream of the construction for `largest` hops that these words need."""
    model, weights = hop_transformer(cell.largest, cell.length, cell.alphabet, route)
    return Quantity(directions_needed(model, weights, words), label="residual directions that are needed")


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
