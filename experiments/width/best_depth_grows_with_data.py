r"""The number of layers that pays grows with the training set: from one layer to as many as the hops need.

Statement: Transformers are trained on N words of hop_1, ..., hop_K. Let D_k(N) be the least number of layers whose errors on
    new words exceed those of the best number by at most 8 in 100. For the typical seed D_k is 1 if words are few: the deepest
    networks know them by heart and err in half of new ones or more. D_k is the number that the strict construction needs if no
    word is repeated, and does not fall between them.
    $$ D_k(\text{few}) = 1, \qquad D_k(\infty) = \lfloor \log_2 k \rfloor + 2, \qquad N < M \implies D_k(N) \le D_k(M) $$
Hypotheses: training sees at most one in fifty of all words (checked); all runs have equally many steps.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Section 5 and
    the figures of training on 1000 and 3000 words, from which the order alone is taken.
Refuted by: a typical seed that gains from a second layer on few words or answers new ones, that gains from fewer or more layers
    than the construction needs on endless words, or whose number falls from one training set to a larger one.
Cost: quick a minute on one core, full about 10 min; paper days on a GPU.

Enough layers find the rule from some hundred words on, and fewer layers do not find it. A larger training set of a seed holds
the smaller ones, and all depths see the same words. Words have no equal neighbours. In attention no position sees itself.

Sizes were fixed before judging, after runs from two other keys: all of 24 seeds had D_k = 1 at 16 words and, on endless ones,
2 for one hop and 3 for two, where two layers erred in 10 to 20 of 100 answers. Of the 12 seeds one may fail in each statement.
At first the claim did not judge whether few words are known by heart: it missed a mutant that tested on training words.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.probe.repeated_words import ENDLESS, train_on_words
from depthjax.probe.trained_hops import hop_recipe
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds

CLAIM = claim(Relation.TREND, trains=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and heads; numbers of training words; depths 1 to `depths`, hops 1 to `largest`; words, recipe, `margin`."""

    width: int = axis(32)
    heads: int = 8
    mlp: bool = False
    words: str = "16 256"
    depths: int = 3
    largest: int = 2
    alphabet: int = 4
    length: int = 12
    batch: int = 16
    steps: int = 400
    rate: float = 0.02
    seeds: int = 12
    margin: float = 0.08
    tests: int = 512


EVERY = range(1, 10)  # the hops that any size judges
FULL = {"words": "8 64 256 1024 4096", "largest": 3, "length": 20, "steps": 1200}
PAPER = {"mlp": True, "depths": 5, "largest": 9, "length": 98, "batch": 32, "steps": 100_000, "rate": 1e-4, "seeds": 16}
GRIDS = {
    "test": Sizes(width=axis(16), steps=20, tests=32, seeds=10),
    "quick": Sizes(),
    "full": Sizes(**FULL, tests=1024),
    "paper": Sizes(width=axis(128), words="16 1000 3000 10000 100000", **PAPER, tests=2048),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """One layer on few words, the layers of the strict construction on endless ones, and no fall between them."""
    every = cell.alphabet * (cell.alphabet - 1) ** (cell.length - 1)
    new = Hypothesis("training sees at most one in fifty of all words", 50 * cell.steps * cell.batch <= every)
    ones = [part for name in ("one_layer", "by_heart", "rises") for part in _typical(cell, name, 1)]
    return tuple(dataclasses.replace(part, hypotheses=(new,)) for part in (*_enough(cell, _needed), *ones))


def _needed(hops: int) -> int:
    return int(bounds.hop(hops, "strict").at())


def _enough(cell: Sizes, needed: Callable[[int], int]) -> tuple[Prediction, ...]:
    """Which depths are as good as the best on endless words, if k hops need `needed(k)` layers."""
    layers = range(1, cell.depths + 1)
    return tuple(
        Prediction([int(n >= needed(k)) for n in layers], of=f"enough_{k}", dims=("layers",)) for k in EVERY[: cell.largest]
    )


def _typical(cell: Sizes, name: str, value: int) -> tuple[Prediction, ...]:
    return tuple(Prediction(value, of=f"{name}_{k}") for k in EVERY[: cell.largest])


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Errors of every depth, training set and seed on new words, and which depths are as good as the best."""
    layers, counts = range(1, cell.depths + 1), (*map(int, cell.words.split()), ENDLESS)
    sizes: dict[str, Any] = {"alphabet": cell.alphabet, "length": cell.length, "largest": cell.largest, "batch": cell.batch}
    sizes |= {"width": cell.width, "heads": cell.heads, "mlp": cell.mlp, "seeds": cell.seeds, "tests": cell.tests}
    runs = [train_on_words(key, hop_recipe(cell.steps, cell.rate), counts, depth=depth, **sizes) for depth in layers]
    errors, seen, mixed = (np.stack(part) for part in zip(*runs, strict=True))
    enough, blind = (error <= error.min(axis=0) + cell.margin for error in (errors, mixed))
    least = 1 + enough.argmax(axis=0)
    growth, by_heart = np.diff(least, axis=0), (seen[-1] <= cell.margin) & (errors[-1] >= 0.5)
    judged = {
        "enough": (enough[:, -1], "layers seed", "endless words: as good as the best depth"),
        "blind": (blind[:, -1], "layers seed", "the same by the answers of other words"),
        "one_layer": (enough[0, 0], "seed", "few words: one layer is as good as the best depth"),
        "one_layer_endless": (enough[0, -1], "seed", "endless words: one layer is as good as the best depth"),
        "by_heart": (by_heart[0], "seed", "few words: known by heart"),
        "by_heart_endless": (by_heart[-1], "seed", "endless words: known by heart"),
        "rises": ((growth >= 0).all(axis=0), "seed", "the number of layers that is enough does not fall"),
        "falls": ((growth <= 0).all(axis=0), "seed", "the number of layers that is enough does not rise"),
    }
    return measured(
        layers=np.array(layers),
        words=Quantity(np.array(counts), "words", label="training words"),
        hops=np.array(EVERY[: cell.largest]),
        error=Quantity(errors, "layers words seed hops", label="share of wrong answers on new words"),
        least=Quantity(least, "words seed hops", label="layers that are enough"),
        **{
            f"{name}_{k}": Quantity(those[..., k - 1].astype(int), dims, label=f"hop_{k}, {label}")
            for name, (those, dims, label) in judged.items()
            for k in EVERY[: cell.largest]
        },
    )


CONTROLS = (
    control(
        "answers of other words",
        "the same depths are as good as the best by the answers of other words",
        instead={f"enough_{k}": f"blind_{k}" for k in EVERY},
    ),
    control(
        "words without end",
        "one layer is as good as the best depth, or words are known by heart, if as many steps see words that are not repeated",
        instead={f"{name}_{k}": f"{name}_endless_{k}" for name in ("one_layer", "by_heart") for k in EVERY},
    ),
    control(
        "the training sets backwards",
        "the number of layers does not rise either",
        instead={f"rises_{k}": f"falls_{k}" for k in EVERY},
    ),
)
RIVALS = (
    rival("depth never pays", lambda cell: _enough(cell, lambda k: 1), "one layer is enough on endless words"),
    rival("a layer fewer", lambda cell: _enough(cell, lambda k: _needed(k) - 1), "k hops need floor(log2 k) + 1 layers"),
    rival("a layer more", lambda cell: _enough(cell, lambda k: _needed(k) + 1), "k hops need floor(log2 k) + 3 layers"),
    rival("depth always pays", lambda cell: _typical(cell, "one_layer", 0), "one layer is not enough on few words"),
    rival("the best depth falls", lambda cell: _typical(cell, "rises", 0), "more words make up for layers"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Errors on new words by number of training words and of layers; below, the least number of layers that is enough.

    Points: medians with 95 % intervals. Lines: one layer for few words, and the layers of the construction for endless ones.
    The errors part as words become many, and the points below climb from one line to the other.
    """
    cell = dataset.isel(cell=0)
    counts, places = cell["words"].to_numpy(), np.arange(cell.sizes["words"])
    panels = figure.subplots(2, cell.sizes["hops"], sharex=True, sharey="row", squeeze=False)
    for k, (above, below) in zip(cell["hops"].to_numpy(), panels.T, strict=True):
        runs = cell.sel(hops=k).transpose(..., "words", "seed")
        for number, depth in enumerate(cell["layers"].to_numpy()):
            points(above, places + 0.1 * (number - 1), runs["error"].sel(layers=depth), number, f"layers: {depth}")
        for number, (height, label) in enumerate([(1, "predicted, few words"), (_needed(int(k)), "predicted, endless words")]):
            below.axhline(height, **law(number, label))
        points(below, places, runs["least"], 4)
        below.set_yticks(cell["layers"].to_numpy())
        above.set_title(f"hop_{k}", loc="left", fontsize=8.5)
        below.set_xticks(places, [*map(str, counts[:-1]), "endless"], rotation=45)
        below.set_xlabel("training words N")
    for row, label in zip(panels, ("share of wrong answers", "layers that are enough"), strict=True):
        row[0].set_ylabel(label)
        row[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


PICTURES = (Picture(3.8, _draw),)
