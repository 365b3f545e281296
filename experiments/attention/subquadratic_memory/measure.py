"""Keys that linear attention recalls, by construction and by training, its states, and the reach of windows."""

import jax
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.subquadratic_memory.common import MOST
from experiments.attention.subquadratic_memory.linear_readout import keys_of_trained_layers, keys_read_linearly
from experiments.attention.subquadratic_memory.subquadratic import (
    keys_recalled,
    keys_recalled_by_softmax,
    reaches,
    states_of_searched_layer,
)


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Keys recalled by digits, units, trained layers and softmax, states of searched layers of two sizes, and reaches."""
    drawn, word, start = jax.random.split(key, 3)
    sizes = cell.features, cell.width, cell.bits
    numbers = cell.features * (cell.width + 1)  # of the state
    largest = {"most_keys": cell.read, "most_rank": 2 * MOST, "most_width": MOST}

    def trained(features: int) -> Quantity:
        found = keys_of_trained_layers(start, numbers + 1, features, cell.width, **largest)
        return Quantity(int(found.max()), label="keys that the best trained layer with linear readouts recalls")

    def states(features: int) -> Quantity:
        found = states_of_searched_layer(drawn, numbers * cell.bits + 1, features, cell.width, cell.bits)
        return Quantity(found, label="states of the best layer found")

    windowed = reaches(word, cell.window, cell.deepest, cell.length)
    whole = reaches(word, cell.length, cell.deepest, cell.length)
    return measured(
        recalled=Quantity(keys_recalled(*sizes, cell.keys), label="keys that the linear layer recalls"),
        recalled_by_softmax=Quantity(keys_recalled_by_softmax(cell.keys), label="keys that softmax recalls"),
        states=states(cell.features),
        states_of_two=states(2 * cell.features),
        read_linearly=Quantity(keys_read_linearly(cell.features, cell.width, cell.read), label="keys read off linearly"),
        trained=trained(cell.features),
        trained_two=trained(2 * cell.features),
        reach=Quantity(windowed[cell.layers - 1], label="farthest position that matters"),
        reach_without_window=Quantity(whole[cell.layers - 1], label="the same without a window"),
        reach_of_more=Quantity(windowed[cell.layers], label="the same with a layer more"),
    )
