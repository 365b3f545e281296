"""What the claims on the two routes share: one pass gives the wrong positions for every k after every layer."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.hop import hop_family, hop_transformer
from depthjax.figures.panels import COLOURS
from depthjax.probe.adversary import hardest_words, of_one_layer_each
from depthjax.probe.hops import wrong_by_depth
from depthjax.tasks.hops import alternating_word, hop_words, late_letter_word
from depthjax.verify import UNSHARP, Control, Grid, Hypothesis, Picture, Prediction, Relation, axis
from theory import bounds

ROUTES = ("strict", "causal")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """So many random words by both laws, and as many that a search made hard."""

    alphabet: int = axis(4)
    largest: int = 64
    length: int = 96
    samples: int = 16
    rounds: int = 16


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 4), length=512, samples=1000, rounds=24),
    "paper": Sizes(alphabet=axis(2, 3, 4, 26), length=512, samples=1000, rounds=96),
}


def law(cell: Sizes, mask: str, further: int = 0) -> tuple[Prediction, Prediction]:
    """The depth of every k, and after how many layers which k are right, if `further` layers fewer were enough."""
    ks = np.arange(1, cell.largest + 1)
    fits = Hypothesis("length^2 fits the mantissa of float32", cell.length <= bounds.longest_exact_length(24))
    needed = np.array([int(bounds.hop(int(k), mask).at()) for k in ks]) - further
    deepest = int(needed[-1]) + further
    right = np.stack([(ks <= bounds.hop_reach(layers + further, mask)).astype(int) for layers in range(1, deepest + 1)])
    return (
        Prediction(needed, of="depth", dims=("hops",), hypotheses=(fits,)),
        Prediction(right, of="right", dims=("layers", "hops"), hypotheses=(fits,)),
    )


def predictions(cell: Sizes, mask: str) -> tuple[Prediction, ...]:
    """The law, with no wrong position where it says right and one where it does not; width and sharpness."""
    return (
        *law(cell, mask),
        Prediction(bounds.hop_width(cell.alphabet, mask), of="width"),
        Prediction(
            bounds.sharpness(cell.length).at(),
            of="sharpness",
            resolution=UNSHARP,
            relation=Relation.AT_LEAST,
            formula=r"\ln 4N",
        ),
    )


def measurement(cell: Sizes, key: jax.Array, mask: str, *, plain: bool = False) -> xr.Dataset:
    """Wrong positions at every k after every layer; `plain` gives all layers the causal mask."""
    ks = tuple(range(1, cell.largest + 1))
    single, single_weights = hop_transformer(cell.largest, cell.length, cell.alphabet, mask)
    words = tried_words(key, cell, mask)
    family, weights = hop_family(ks, cell.length, cell.alphabet, mask)
    if plain:
        family = dataclasses.replace(family, masks=("causal",) * family.depth)
    wrong = np.asarray(wrong_by_depth(family, weights, words, ks)).sum(axis=0)
    right = wrong == 0
    # the first depth from which on every deeper cut is right too
    settled = np.flip(np.logical_and.accumulate(np.flip(right, axis=0), axis=0), axis=0)
    depth = np.where(settled[-1], 1 + np.argmax(settled, axis=0), family.depth + 1)
    return xr.Dataset(
        {
            "depth": ("hops", depth, {"long_name": "attention layers that give no wrong position"}),
            "right": (("layers", "hops"), right.astype(int), {"long_name": "no wrong position"}),
            "wrong": (("layers", "hops"), wrong / words.size, {"long_name": "share of wrong positions"}),
            "width": ((), single.width, {"long_name": "residual directions"}),
            "sharpness": ((), float(np.max(np.abs(single_weights.layers[-1].query))) / 2),
            "words": ((), len(words)),
        },
        coords={"hops": list(ks), "layers": list(range(1, family.depth + 1))},
    )


def tried_words(key: jax.Array, cell: Sizes, mask: str) -> jax.Array:
    """Random words by both laws, what a search makes of them, the two words that are known to be hard."""
    plain, equal, search = jax.random.split(key, 3)
    half = cell.samples // 2
    random = jnp.concatenate(
        [
            hop_words(plain, cell.alphabet, half, cell.length),
            hop_words(equal, cell.alphabet, cell.samples - half, cell.length, equal_neighbours=True),
        ]
    )
    model, weights = hop_transformer(cell.largest, cell.length, cell.alphabet, mask)
    hard = hardest_words(
        search, lambda words: of_one_layer_each(model.unrounded(weights, words)), random, cell.alphabet, cell.rounds
    )
    known = jnp.stack([late_letter_word(cell.length), alternating_word(cell.length)])
    return jnp.concatenate([random, hard, known])


def too_shallow(mask: str) -> Control:
    """One layer fewer than the law, for every k."""
    return Control("a layer fewer", "one layer fewer is enough at every k", lambda cell: law(cell, mask, further=1))


def picture(mask: str) -> Picture:
    """Share of wrong positions by k and depth, with both laws."""

    def draw(figure, dataset: xr.Dataset) -> None:
        axes = figure.subplots()
        wrong = dataset["wrong"].isel(cell=0).transpose("layers", "hops").to_numpy()
        ks, layers = dataset["hops"].to_numpy(), dataset["layers"].to_numpy()
        image = axes.pcolormesh(ks, layers, np.where(wrong > 0, wrong, np.nan), cmap="cividis", vmin=0, vmax=1, rasterized=True)
        figure.colorbar(image, ax=axes, label="share of wrong positions")
        for colour, route in zip(COLOURS[1::2], ROUTES, strict=False):
            name = {"strict": "floor(log2 k) + 2", "causal": "ceil(log2 k) + 2"}[route]
            style = "-" if route == mask else "--"
            axes.step(ks, [bounds.hop(int(k), route).at() - 0.5 for k in ks], style, where="mid", color=colour, label=name)
        axes.set_xscale("log", base=2)
        axes.set(xlabel="hops k", ylabel="layers", yticks=layers)
        axes.legend(loc="lower right", fontsize=7.5, frameon=True, facecolor="white", framealpha=0.8)
        axes.set_title(
            f"{mask} mask in layer 1; white: no wrong position in any word; lines: the two laws", loc="left", fontsize=8.5
        )

    return Picture(3.2, draw)
