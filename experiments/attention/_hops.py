"""What the claims on the two routes share: the cells by depth, the words, and the count of wrong positions."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.hop import hop_transformer
from depthjax.measure.adversary import hardest_words
from depthjax.models.attention import Attention, Weights
from depthjax.tasks.hops import hop_labels, hop_words
from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis
from theory import bounds


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """A cell is a depth: all k that need it. Half of the words are random, half are what a search for hard words finds."""

    layers: int = axis(2, 3, 4, 5, 6, 7, 8)
    largest: int = 64
    length: int = 120
    alphabet: int = 4
    samples: int = 16
    rounds: int = 24


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(length=512, samples=1000, rounds=64),
    "paper": Sizes(length=512, samples=1000, rounds=256),
}


def hops_of(cell: Sizes, mask: str) -> range:
    """All k whose depth by the law is this cell's."""
    return range(bounds.hop_reach(cell.layers - 1, mask) + 1, min(bounds.hop_reach(cell.layers, mask), cell.largest) + 1)


def predictions(cell: Sizes, mask: str) -> tuple[Prediction, ...]:
    """No wrong position for any k of this depth; the depth of the first and of the last of them; the width."""
    ks = hops_of(cell, mask)
    threshold = bounds.sharpness(cell.length).at()
    fits = Hypothesis("length^2 fits the mantissa of float32", cell.length <= bounds.longest_exact_length(24))
    return (
        Prediction(0, of="wrong_positions", hypotheses=(fits,)),
        Prediction(tuple(int(bounds.hop(k, mask).at()) for k in (ks[0], ks[-1])), of="depth", dims=("end",)),
        Prediction(bounds.hop_width(cell.alphabet, mask), of="width"),
        Prediction(threshold, of="sharpness", relation=Relation.AT_LEAST, formula=r"\ln 4N"),
    )


def measurement(cell: Sizes, key: jax.Array, ks: range, mask: str, *, removed: int = 0, plain: bool = False) -> xr.Dataset:
    """Wrong positions over all words and all these k, and at how many k there is one.

    `removed` layers are taken off the end; `plain` gives every layer the causal mask.
    """
    models = [
        hop_transformer(k, cell.length, cell.alphabet, mask, layers=cell.layers - removed if removed else None) for k in ks
    ]
    if not ks:
        return xr.Dataset({"wrong_positions": ((), 0)})
    if plain:
        models = [(dataclasses.replace(model, masks=("causal",) * model.depth), weights) for model, weights in models]
    words = both_kinds(key, cell, *hop_transformer(cell.largest, cell.length, cell.alphabet, mask))
    wrong = [int(wrong_positions(model, weights, words, k)) for k, (model, weights) in zip(ks, models, strict=True)]
    first, last = models[0][0], models[-1][0]
    sharpness = np.max(np.abs(models[0][1].layers[-1].query)) / 2
    return xr.Dataset(
        {
            "wrong_positions": ((), sum(wrong), {"long_name": "wrong positions"}),
            "failing": ((), sum(count > 0 for count in wrong), {"long_name": "k with a wrong position"}),
            "depth": ("end", np.array([first.depth, last.depth]), {"long_name": "attention layers"}),
            "width": ((), first.width, {"long_name": "residual directions"}),
            "sharpness": ((), float(sharpness)),
        },
        coords={"end": ["first k", "last k"]},
    )


def both_kinds(key: jax.Array, cell: Sizes, model: Attention, weights: Weights) -> jax.Array:
    """Random words by both laws, and words made hard for this model by a search."""
    plain, equal, search = jax.random.split(key, 3)
    half = cell.samples // 2
    random = jnp.concatenate(
        [
            hop_words(plain, cell.alphabet, half, cell.length),
            hop_words(equal, cell.alphabet, cell.samples - half, cell.length, equal_neighbours=True),
        ]
    )
    hard = hardest_words(search, partial(model.unrounded, weights), random, cell.alphabet, cell.rounds)
    return jnp.concatenate([random, hard])


def wrong_positions(model: Attention, weights: Weights, words: jax.Array, hops: int) -> jax.Array:
    """How many positions of these words the model gets wrong."""
    return _wrong(model, weights, words, jnp.asarray(hops))


@partial(jax.jit, static_argnums=0)
def _wrong(model: Attention, weights: Weights, words: jax.Array, hops: jax.Array) -> jax.Array:
    answers = jnp.argmax(model.apply(weights, words), axis=-1)
    return (answers != hop_labels(words, model.alphabet, hops)).sum()
