"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.lie.words_that_layers_confuse.common import CASCADE, LAYERS, LONGEST
from experiments.lie.words_that_layers_confuse.states import (
    apart,
    final_states,
    reduced_words,
    shared_layers,
    undoing,
    words_alike,
)


def measure(cell: Cell, key: jax.Array, given: list[np.ndarray]) -> xr.Dataset:
    """Short words that share the states of the lowest layers, three of them, and the layers that confuse pairs of words."""
    increments = undoing(cell.letters)
    return measured(**_short_words(cell, key, increments), shared=_shared(cell, key, given, increments))


def nothing_undone(cell: Cell, key: jax.Array, given: list[np.ndarray]) -> xr.Dataset:
    """The same pairs of words, where the inverse of a letter is a letter of its own."""
    return measured(shared=_shared(cell, key, given, apart(cell.letters)))


def half_undone(cell: Cell, key: jax.Array, given: list[np.ndarray]) -> xr.Dataset:
    """The same short words, where an inverse undoes half a letter."""
    return measured(**_short_words(cell, key, undoing(cell.letters, 0.5)))


def _short_words(cell: Cell, key: jax.Array, increments: np.ndarray) -> dict[str, Quantity]:
    words = reduced_words(cell.letters, cell.length, filled=LONGEST)
    states, floor = final_states(key[None], words, increments, LAYERS, cell.width)
    sizes = (words < 2 * cell.letters).sum(axis=1)
    groups = [words_alike([layer[0] for layer in states[:layers]], floor) for layers in range(1, LAYERS + 1)]
    two, three = ([[np.sort(sizes[group])[:n].sum() for group in alike if len(group) >= n] for alike in groups] for n in (2, 3))
    return {
        "layer": Quantity(np.arange(1, LAYERS + 1), "layer", label="lowest layers"),
        "sharing": Quantity([sum(map(len, alike)) for alike in groups], "layer", label="words that share a state with another"),
        "two": Quantity([min(sums, default=0) for sums in two], "layer", label="fewest letters of two such words"),
        "three": Quantity(int(min(three[1], default=0)), label="fewest letters of three words that two layers confuse"),
    }


def _shared(cell: Cell, key: jax.Array, given: list[np.ndarray], increments: np.ndarray) -> Quantity:
    states, floor = final_states(jax.random.split(key, cell.cascades), np.concatenate(given), increments, CASCADE, cell.width)
    return Quantity(shared_layers(states, floor), "pair", label="lowest layers that two words share")
