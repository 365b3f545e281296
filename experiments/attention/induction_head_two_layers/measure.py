"""Wrong positions after each of two layers, and the residual directions that they need."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from depthjax.instruments.hop_layers import directions_needed
from depthjax.instruments.hops import wrong_by_depth
from depthjax.tasks.hops import hop_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The layer from which on no position is wrong, and the residual directions without which one is."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    words = _words(cell, key)
    return measured(
        **_depth(cell, model, weights, words),
        words=Quantity(len(words), label="words over all letters and over a few"),
        width=_width(cell, _every_letter(cell)),
    )


def _depth(cell: Cell, model: CompiledTransformer, weights: TransformerWeights, words: jax.Array) -> dict[str, Any]:
    by_word = np.asarray(wrong_by_depth(model, weights, words, (1,)))[:, :, 0]
    wrong = by_word.sum(axis=0)
    right = np.flatnonzero(wrong == 0)
    return {
        "layers": np.arange(1, model.depth + 1),
        "wrong_positions": Quantity(wrong, "layers", label="wrong positions after each layer"),
        "wrong_of_rare": Quantity(
            by_word[: cell.samples].sum(axis=0),
            "layers",
            label="wrong positions after each layer, in words without equal neighbours",
        ),
        "depth": Quantity(int(right[0]) + 1 if len(right) else model.depth + 1, label="layers until no position is wrong"),
    }


def _width(cell: Cell, words: jax.Array) -> Quantity:
    model, weights = hop_transformer(1, words.shape[1], cell.alphabet, "causal")
    return Quantity(directions_needed(model, weights, words), label="residual directions that are needed")


def _words(cell: Cell, key: jax.Array) -> jax.Array:
    """Words over all letters, which have few matches, and words over a few letters, which have many."""
    plain, equal = jax.random.split(key)
    few = max(2, cell.alphabet // 8)
    rare = hop_words(plain, cell.alphabet, cell.samples, cell.length)
    return jnp.concatenate([rare, hop_words(equal, few, cell.samples, cell.length, equal_neighbours=True)])


def _every_letter(cell: Cell) -> jax.Array:
    """One word in which every letter comes twice, with another letter behind it: no code of a letter may be lost."""
    once = jnp.arange(cell.alphabet)
    return jnp.concatenate([once, once[::-1], once])[None]


def strict(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The same weights where no position sees itself: the last match may be the position itself."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    return measured(**_depth(cell, dataclasses.replace(model, masks=("strict", "strict")), weights, _words(cell, key)))


def one_letter(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The directions that a word of one letter needs, in which nothing tells letters apart."""
    word = jnp.zeros((1, 3 * cell.alphabet), int)
    model, weights = hop_transformer(1, word.shape[1], cell.alphabet, "causal")
    named = (model.apply(weights, word).argmax(axis=-1) == word).sum()
    return measured(width=_width(cell, word), named=Quantity(int(named), label="positions whose answer is the letter"))
