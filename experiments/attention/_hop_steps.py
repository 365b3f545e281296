"""What the claims on the two routes to k hops measure; a route is the mask of layer 1."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.instruments.hop_layers import directions_needed, hop_layers, known_words_right
from depthjax.tasks.hops import alternating_word, hop_table, hop_words
from depthjax.verify import Cell, Quantity, measured

__all__ = ["measurement", "on_one_letter"]

ALPHABETS = (8,)  # of which the width is measured beside that of the cell's own
FAR = 100, 127, 128, 129, 1000, 2047, 2048, 2049  # hops that are not answered: the layers of their constructions are counted
PROBES = 4  # words that tell which directions are needed
FEW = 3  # letters where lookups are blunt: of five or more, weights that leak also bring in the number that means no letter
SMALL = 3, 32  # hops and letters of a word where only the width is asked for, which depends on neither


def measurement(cell: Cell, key: jax.Array, route: str) -> xr.Dataset:
    """Return wrong positions by layer and k; a construction with fewer layers rests after its last one."""
    tried, needed = jax.random.split(key)
    sizes = route, cell.largest, cell.length, cell.alphabet
    found = hop_layers(tried, *sizes, samples=cell.samples, rounds=cell.rounds)
    short = hop_table(alternating_word(cell.largest)[None], cell.alphabet, cell.largest)
    wrong = found.wrong[np.minimum(np.arange(cell.layers), len(found.wrong) - 1)]
    return measured(
        hops=Quantity(np.arange(1, cell.largest + 1), "hops", label="hops k"),
        layers=np.arange(1, cell.layers + 1),
        depth=Quantity(found.depth, "hops", label="layers from which on no position is wrong"),
        right=Quantity((wrong == 0).astype(int), "layers hops", label="no wrong position"),
        wrong=Quantity(wrong, "layers hops", label="share of wrong positions"),
        right_positions=Quantity(found.right[-1], "hops", label="right positions of all words after all layers"),
        known=_known(*sizes),
        known_blunt=_known(*sizes[:-1], FEW, sharpness=2.0),
        known_not_strict=_known(*sizes, mask="causal"),
        far=Quantity([hop_transformer(k, k, 2, route)[0].depth for k in FAR], "far_hops", label="layers of the construction"),
        width=_width(cell, hop_words(needed, cell.alphabet, PROBES, cell.length, equal_neighbours=True), route),
        widths=Quantity(
            [_small_width(needed, letters, route) for letters in ALPHABETS], "letters", label="the same by alphabet"
        ),
        answered=Quantity(found.answered, label="hops that some random word has"),
        answered_by_short=Quantity(int((short < cell.alphabet).any(axis=(1, 2)).sum()), label="hops that a short word has"),
        harder=Quantity(int(found.harder), label="words that a search made harder"),
        words=Quantity(found.words, label="words tried"),
    )


def on_one_letter(cell: Cell, route: str) -> xr.Dataset:
    """Return the directions that words over one letter need, and at how many positions the letter is the answer."""
    words = jnp.zeros((PROBES, cell.length), int)
    model, weights = hop_transformer(cell.largest, cell.length, cell.alphabet, route)
    named = (model.apply(weights, words).argmax(axis=-1) == words).sum()
    return measured(width=_width(cell, words, route), named=Quantity(int(named), label="positions whose answer is the letter"))


def _known(*sizes, **damage) -> Quantity:
    """Right positions of the two words that are known as hard, 0 ... 0 1 0 and 0 1 0 1 ..., after all layers."""
    return Quantity(known_words_right(*sizes, **damage), "known_word hops", label="right positions of a known word")


def _width(cell: Cell, words: jax.Array, route: str) -> Quantity:
    """Directions of the residual stream of the construction for `largest` hops that these words need."""
    model, weights = hop_transformer(cell.largest, cell.length, cell.alphabet, route)
    return Quantity(directions_needed(model, weights, words), label="residual directions that are needed")


def _small_width(key: jax.Array, alphabet: int, route: str) -> int:
    """The same directions for few hops on short words over an alphabet."""
    hops, length = SMALL
    model, weights = hop_transformer(hops, length, alphabet, route)
    return directions_needed(model, weights, hop_words(key, alphabet, PROBES, length, equal_neighbours=True))
