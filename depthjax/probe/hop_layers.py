"""After how many layers constructed attention answers every number of hops, on random words and on words made hard."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from depthjax.constructions.hop import hop_family, hop_transformer
from depthjax.probe.adversary import hardest_words, of_one_layer_each
from depthjax.probe.hops import wrong_by_depth
from depthjax.tasks.hops import alternating_word, hop_words, late_letter_word


class HopLayers(NamedTuple):
    """The wrong answers of one construction, cut after each of its layers.

    Attributes:
        wrong: Share of wrong positions after each layer, for k = 1, ..., `largest` hops; shape (depth, largest).
        depth: First layer from which on no position is wrong, by k; depth + 1 where the whole construction errs.
        words: Number of words that were tried.
        width: Directions of the residual stream of the construction for `largest` hops alone.
        sharpness: Factor on the scores of its lookups.
    """

    wrong: np.ndarray
    depth: np.ndarray
    words: int
    width: int
    sharpness: float


def hop_layers(
    key: Key[Array, ""],
    route: str,
    largest: int,
    length: int,
    alphabet: int,
    *,
    samples: int,
    rounds: int,
    sharpness: float | None = None,
    mask: str | None = None,
) -> HopLayers:
    """Return the wrong positions of `hop_family` on one route, for every number of hops after every layer.

    Args:
        key: Key of the words.
        route: Mask of layer 1, "strict" or "causal".
        largest: Largest number of hops.
        length: Letters of a word.
        alphabet: Number of letters.
        samples: Number of random words; as many again are made hard by a search.
        rounds: Rounds of that search.
        sharpness: Factor on the scores; None takes the construction's own.
        mask: Mask that all layers are given instead of their own; None changes nothing.

    Raises:
        ValueError: a value outside its range, as in `hop_family`.

    Cost: one pass of depth * length^2 scores a word for all k together, and `rounds` passes of the search.
    """
    model, weights = hop_transformer(largest, length, alphabet, route, sharpness=sharpness)
    words = _words(key, route, largest, length, alphabet, samples, rounds)
    hops = tuple(range(1, largest + 1))
    family, numbers = hop_family(hops, length, alphabet, route, sharpness=sharpness)
    if mask is not None:
        family = dataclasses.replace(family, masks=(mask,) * family.depth)
    wrong = np.asarray(wrong_by_depth(family, numbers, words, hops)).sum(axis=0)
    settled = np.flip(np.logical_and.accumulate(np.flip(wrong == 0, axis=0), axis=0), axis=0)
    depth = np.where(settled[-1], 1 + np.argmax(settled, axis=0), family.depth + 1)
    beta = float(np.max(np.abs(weights.layers[-1].query))) / 2
    return HopLayers(wrong / words.size, depth, len(words), model.width, beta)


def _words(
    key: Array, route: str, largest: int, length: int, alphabet: int, samples: int, rounds: int
) -> Int[Array, "batch length"]:
    """Random words with and without equal neighbours, what a search makes of them, and two words that are known to be hard."""
    plain, equal, search = jax.random.split(key, 3)
    half = samples // 2
    repeated = hop_words(equal, alphabet, samples - half, length, equal_neighbours=True)
    random = jnp.concatenate([hop_words(plain, alphabet, half, length), repeated])
    model, weights = hop_transformer(largest, length, alphabet, route)

    def score(words: Array) -> Array:
        return of_one_layer_each(model.unrounded(weights, words))

    known = jnp.stack([late_letter_word(length), alternating_word(length)])
    return jnp.concatenate([random, hardest_words(search, score, random, alphabet, rounds), known])
