"""Keys that linear attention recalls, by construction and by training, its states, and the reach of windows."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.subquadratic_memory.common import RANK, WIDTH
from experiments.attention.subquadratic_memory.linear_readout import keys_of_trained_layers, keys_read_linearly
from experiments.attention.subquadratic_memory.subquadratic import (
    keys_recalled,
    keys_recalled_by_softmax,
    reaches,
    states_of_searched_layer,
)


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Keys recalled by digits, units, trained layers and softmax, states of searched layers, and reaches of every window."""
    drawn, word, start = jax.random.split(key, 3)
    windowed = np.array([reaches(word, window, cell.deepest + 1, cell.length) for window in cell.windows])
    whole = reaches(word, cell.length, cell.deepest + 1, cell.length)[:-1]
    return measured(
        window=Quantity(np.array(cell.windows), "window", label="window w"),
        depth=Quantity(np.array(cell.layers), "depth", label="layers L"),
        recalled=Quantity(
            keys_recalled(cell.features, cell.width, cell.bits, cell.keys), label="keys that the linear layer recalls"
        ),
        recalled_by_softmax=Quantity(keys_recalled_by_softmax(cell.keys), label="keys that softmax recalls"),
        states=_states(cell, drawn, cell.features),
        read_linearly=Quantity(keys_read_linearly(cell.features, cell.width, cell.read), label="keys read off linearly"),
        trained=_trained(cell, start, cell.features),
        reach=Quantity(windowed[:, :-1], "window depth", label="farthest position that matters"),
        reach_without_window=Quantity(np.tile(whole, (len(windowed), 1)), "window depth", label="the same without a window"),
        reach_of_more=Quantity(windowed[:, 1:], "window depth", label="the same with a layer more"),
    )


def _states(cell: Cell, key: jax.Array, features: int) -> Quantity:
    """States after all contexts of one key more than the state of the cell's layer has bits."""
    found = states_of_searched_layer(key, cell.numbers * cell.bits + 1, features, cell.width, cell.bits)
    return Quantity(found, label="states of the best layer found")


def _trained(cell: Cell, key: jax.Array, features: int) -> Quantity:
    """Keys that trained layers recall of one more than the state of the cell's layer has numbers."""
    largest = {"most_keys": cell.read, "most_rank": 2 * RANK, "most_width": WIDTH}
    found = keys_of_trained_layers(key, cell.numbers + 1, features, cell.width, **largest)
    return Quantity(int(found.max()), label="keys that the best trained layer with linear readouts recalls")


def states_of_two(cell: Cell, key: jax.Array) -> xr.Dataset:
    """States of two layers, which together have twice the features."""
    return measured(states=_states(cell, jax.random.split(key, 3)[0], 2 * cell.features))


def trained_with_twice_the_features(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Keys that trained layers of twice the features recall."""
    return measured(trained=_trained(cell, jax.random.split(key, 3)[2], 2 * cell.features))
