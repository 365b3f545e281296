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
    half = _short_words(cell, key, undoing(cell.letters, 0.5))["sharing"]  # an inverse undoes half a letter
    words = given[:-1]
    return measured(
        **_short_words(cell, key, increments),
        **_shared(cell, key, given, increments),
        sharing_half=half,
        sharing_half_first=Quantity(half.values[0], label="words that share the state of layer 1, half undone"),
        pair_letters=Quantity(
            (np.concatenate(words) < 2 * cell.letters).sum(axis=1),
            "word",
            label="letters of the shortest words that are confused",
        ),
        # the inverse of a letter is a letter of its own
        **({"shared_apart": _shared_apart(cell, key, given)} if cell.letters == 2 else {}),
    )


def _shared_apart(cell: Cell, key: jax.Array, given: list[np.ndarray]) -> Quantity:
    found = _shared(cell, key, given, apart(cell.letters))["shared"]
    # beside cells that lack it, it is held as floats
    return Quantity(found.values, "pair", floor=0.0, label="lowest layers that two words share, inverses apart")


def _short_words(cell: Cell, key: jax.Array, increments: np.ndarray) -> dict[str, Quantity]:
    words = reduced_words(cell.letters, cell.length, filled=LONGEST)
    states, floor = final_states(key[None], words, increments, LAYERS, cell.width)
    sizes = (words < 2 * cell.letters).sum(axis=1)
    groups = [words_alike([layer[0] for layer in states[:layers]], floor) for layers in range(1, LAYERS + 1)]
    two, three = ([[np.sort(sizes[group])[:n].sum() for group in alike if len(group) >= n] for alike in groups] for n in (2, 3))
    return {
        "words": Quantity([len(words), sizes.sum()], "of", label="words that are tried, and their letters"),
        "layer": Quantity(np.arange(1, LAYERS + 1), "layer", label="lowest layers"),
        "sharing": Quantity([sum(map(len, alike)) for alike in groups], "layer", label="words that share a state with another"),
        "two": Quantity([min(sums, default=0) for sums in two], "layer", label="fewest letters of two such words"),
        "three": Quantity(int(min(three[1], default=0)), label="fewest letters of three words that two layers confuse"),
    }


def _shared(cell: Cell, key: jax.Array, given: list[np.ndarray], increments: np.ndarray) -> dict[str, Quantity]:
    states, floor = final_states(jax.random.split(key, cell.cascades), np.concatenate(given), increments, CASCADE, cell.width)
    return {
        "shared": Quantity(shared_layers(states, floor), "pair", label="lowest layers that two words share"),
        "cascades": Quantity(min(map(len, states)), label="cascades"),
    }
