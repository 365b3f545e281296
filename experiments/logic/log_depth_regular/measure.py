"""The layers from which on a looped transformer is right about all states, by length."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.doubling.looped import looped_automaton
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, padded_table
from depthjax.verify import Cell, Quantity, measured

SAFE = 26  # letters of a word whose pointers float32 tells apart


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The layers from which on nothing is wrong, by length and over all words of a few letters."""
    random = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    hanging = _hanging(cell, given)
    words = np.concatenate([hanging, random.integers(0, cell.letters, (cell.samples, cell.longest))])
    wrong = _wrong(given["table"], words, cell)
    layers = [_needed(wrong[:, :, :length]) for length in cell.lengths]
    short, alone = (_wrong_in_short_words(cell, given, begin) for begin in (True, False))
    wrong_by_layer = short[: cell.short_layers].sum(axis=(1, 2))
    return measured(
        layers=Quantity(layers, "letters", label="attention layers from which on all states are right"),
        layers_of_hanging=Quantity(
            [_needed(wrong[:, : len(hanging), :length]) for length in cell.lengths],
            "letters",
            label="the same, for words that hang on their first letters",
        ),
        short_layers=Quantity(_needed(short), label=f"the same, for all words of {cell.every} letters"),
        right_states=Quantity((~short[-1]).sum(), label=f"right states in all words of {cell.every} letters, last layer"),
        right_states_of_long=Quantity((~wrong[-1]).sum(), label="right states in long words, last layer"),
        wrong_by_layer=Quantity(wrong_by_layer, "layer", label="wrong states in these words after a layer"),
        right_without_begin=Quantity((~alone[-1]).sum(), label="right states without the token that begins a word"),
        first_without_begin=Quantity(alone[0].sum(), label="wrong states after the first layer without it"),
        layers_without_begin=Quantity(_needed(alone), label="the layers without it, one more than all if it stays wrong"),
        letters=Quantity(cell.lengths, "letters", label="letters"),
    )


_true_states = jax.jit(prefix_products)


def _hanging(cell: Cell, given: dict) -> np.ndarray:
    """As many words for all automata, so that they share a program: a word twice does no harm."""
    return np.resize(given["hanging"], (len(cell.lengths) - 1, cell.longest))


def _wrong(table: np.ndarray, words: np.ndarray, cell: Cell, begin: bool = True, dtype: str = "float64") -> np.ndarray:
    """Whether a state is wrong, after the counting layer and after each repetition: shape (layers, words, letters)."""
    table = padded_table(table, cell.states, cell.letters)
    machine = looped_automaton(table, dtype=jnp.dtype(dtype))
    read = np.asarray(machine.states(jnp.asarray(words), words.shape[1].bit_length(), begin, within_reach=False))
    return read != np.asarray(_true_states(jnp.asarray(table), jnp.asarray(words)))


def _wrong_in_short_words(cell: Cell, given: dict, begin: bool) -> np.ndarray:
    return _wrong(given["table"], np.asarray(all_words(cell.letters, cell.every)), cell, begin)


def _needed(wrong: np.ndarray) -> int:
    """The layers from which on nothing is wrong: 1 if the counting layer is enough."""
    erring = wrong.any(axis=(1, 2))
    return 2 + int(np.flatnonzero(erring).max()) if erring.any() else 1


def single_precision(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same layers in float32, in place of float64."""
    wrong = _wrong(given["table"], _hanging(cell, given), cell, dtype="float32")
    short = [_needed(wrong[:, :, :length]) for length in cell.lengths if length <= SAFE]
    return measured(
        layers=Quantity(_needed(wrong)),
        layers_of_short=Quantity(short, "short", label=f"the same up to each length of {SAFE} or fewer"),
    )
