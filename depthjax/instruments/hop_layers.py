"""After how many layers constructed attention answers every number of hops, on random words and on words made hard."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from depthjax.constructions.directions.hop import hop_family, hop_transformer
from depthjax.constructions.directions.layer import Layer
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from depthjax.instruments.evolutionary_search import hardest_words, of_one_layer_each
from depthjax.instruments.hops import wrong_by_depth
from depthjax.tasks.hops import alternating_word, hop_table, hop_words, late_letter_word


class HopLayers(NamedTuple):
    """The wrong answers of one construction, cut after each of its layers.

    Attributes:
        right: Number of right positions after each layer, in all words, for k = 1, ..., `largest` hops; shape (depth, largest).
        wrong: Share of wrong positions; the same shape.
        depth: First layer from which on no position is wrong, by k; depth + 1 where the whole construction errs.
        words: Number of words that were tried.
        answered: Number of k for which some random word without equal neighbours has an answer.
        harder: Whether the search brought the layers nearer to a wrong rounding, on average over its words.
    """

    right: np.ndarray
    wrong: np.ndarray
    depth: np.ndarray
    words: int
    answered: int
    harder: bool


def hop_layers(
    key: Key[Array, ""],
    route: str,
    largest: int,
    length: int,
    alphabet: int,
    *,
    samples: int,
    rounds: int,
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

    Raises:
        ValueError: a value outside its range, as in `hop_family`.

    Cost: one pass of depth * length^2 scores a word for all k together, and `rounds` passes of the search.
    """
    random, words, harder = _words(key, route, largest, length, alphabet, samples, rounds)
    hops = tuple(range(1, largest + 1))
    family, numbers = hop_family(hops, length, alphabet, route)
    wrong = np.asarray(wrong_by_depth(family, numbers, words, hops))
    right, wrong = (length - wrong).sum(axis=0), wrong.sum(axis=0)
    settled = np.flip(np.logical_and.accumulate(np.flip(wrong == 0, axis=0), axis=0), axis=0)
    depth = np.where(settled[-1], 1 + np.argmax(settled, axis=0), family.depth + 1)
    answered = np.asarray(hop_table(random, alphabet, largest) < alphabet).any(axis=(1, 2)).sum()
    return HopLayers(right, wrong / words.size, depth, len(words), int(answered), harder)


def known_words_right(
    route: str, largest: int, length: int, alphabet: int, *, sharpness: float | None = None, mask: str | None = None
) -> Int[np.ndarray, "2 largest"]:
    """Return the right positions of two words that are known as hard, 0 ... 0 1 0 and 0 1 0 1 ..., by number of hops.

    Args:
        route: Mask of layer 1, "strict" or "causal".
        largest: Largest number of hops.
        length: Letters of a word.
        alphabet: Number of letters.
        sharpness: Factor on the scores; None takes the construction's own.
        mask: Mask that all layers are given instead of their own; None changes nothing.

    Raises:
        ValueError: a value outside its range, as in `hop_family`.
    """
    hops = tuple(range(1, largest + 1))
    family, numbers = hop_family(hops, length, alphabet, route, sharpness=sharpness)
    if mask is not None:
        family = dataclasses.replace(family, masks=(mask,) * family.depth)
    return length - np.asarray(wrong_by_depth(family, numbers, _known(length), hops))[:, -1]


def directions_needed(model: CompiledTransformer, weights: TransformerWeights, words: Int[Array, "batch length"]) -> int:
    """Return the number of residual directions without which some answer to these words is another.

    A direction is taken away by writing nothing to it, neither in the embedding nor in any layer.

    Cost: one pass over the words for each direction.
    """

    def answers(kept: np.ndarray) -> np.ndarray:
        mask = jax.device_put(kept.astype(weights.letters.dtype)[None, :])
        layers = tuple(
            Layer(
                dataclasses.replace(one.heads, output=one.heads.output * mask),
                dataclasses.replace(one.units, write=one.units.write * mask),
            )
            for one in weights.layers
        )
        cut = dataclasses.replace(weights, letters=weights.letters * mask, positions=weights.positions * mask, layers=layers)
        return np.asarray(jnp.argmax(model.apply(cut, words), axis=-1))

    whole = answers(np.ones(model.width))
    return sum(int((answers(1 - row) != whole).any()) for row in np.eye(model.width))


def _words(
    key: Array, route: str, largest: int, length: int, alphabet: int, samples: int, rounds: int
) -> tuple[Int[Array, "samples length"], Int[Array, "batch length"], bool]:
    """Random words of the published law; with equal neighbours; found by search and known as hard; `harder`."""
    plain, equal, search = jax.random.split(key, 3)
    half = samples // 2
    repeated = hop_words(equal, alphabet, samples - half, length, equal_neighbours=True)
    published = hop_words(plain, alphabet, half, length)
    random = jnp.concatenate([published, repeated])
    model, weights = hop_transformer(largest, length, alphabet, route)

    def score(words: Array) -> Array:
        return of_one_layer_each(model.unrounded(weights, words))

    found = hardest_words(search, score, random, alphabet, rounds)
    return published, jnp.concatenate([random, found, _known(length)]), bool(score(found).mean() > score(random).mean())


def _known(length: int) -> Int[Array, "2 length"]:
    return jnp.stack([late_letter_word(length), alternating_word(length)])
