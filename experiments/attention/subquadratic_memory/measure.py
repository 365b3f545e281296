"""What the claim measures."""

import dataclasses

import jax
import xarray as xr

from depthjax.verify import Cell, Grid, Quantity, axis, measured
from experiments.attention.subquadratic_memory.common import GRIDS
from experiments.attention.subquadratic_memory.linear_readout import keys_of_trained_layers, keys_read_linearly
from experiments.attention.subquadratic_memory.subquadratic import (
    keys_recalled,
    keys_recalled_by_softmax,
    reaches,
    states_of_searched_layer,
)


@dataclasses.dataclass(frozen=True)
class Cell(Grid):
    """Features, values and bits of the linear layer; window and layers; layers and keys that are tried."""

    features: int = axis(1, 2)
    width: int = axis(1, 2)
    bits: int = axis(1, 2)
    window: int = axis(2)
    layers: int = axis(1, 3)
    deepest: int = 5
    keys: int = 14
    read: int = 7
    length: int = 32


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Keys recalled by digits, units, trained layers and softmax, states of searched layers of two sizes, and reaches."""
    drawn, word, start = jax.random.split(key, 3)
    sizes = cell.features, cell.width, cell.bits
    numbers = cell.features * (cell.width + 1)  # of the state
    most_rank, most_width = (max(getattr(one, name) for one in GRIDS["paper"].cells()) for name in ("features", "width"))
    largest = {"most_keys": cell.read, "most_rank": 2 * most_rank, "most_width": most_width}

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
