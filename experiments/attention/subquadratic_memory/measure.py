"""Keys that linear attention recalls, by construction and by training, its states, and the reach of windows."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.subquadratic_memory.common import RANK, SHARP, WIDTH
from experiments.attention.subquadratic_memory.linear_readout import TrainedReadout, keys_of_trained_layers, keys_read_linearly
from experiments.attention.subquadratic_memory.subquadratic import (
    keys_recalled,
    keys_recalled_by_softmax,
    reaches,
    states_of_searched_layer,
)

FIRST = 1e-6  # Adam adds 1e-8 to the size of a gradient, of which the largest is far above 1e-2


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Keys recalled by digits, units, trained layers and softmax, states of searched layers, and reaches of every window."""
    drawn, word, start = jax.random.split(key, 3)
    windowed = np.array([reaches(word, window, cell.deepest + 1, cell.length) for window in cell.windows])
    trained, twice = (_trained(cell, start, times * cell.features) for times in (1, 2))
    whole = reaches(word, cell.length, cell.deepest + 1, cell.length)[:-1]
    (states, *shape), (states_of_two, *shape_of_two) = (_states(cell, drawn, times * cell.features) for times in (1, 2))
    by_softmax, other = keys_recalled_by_softmax(cell.keys, SHARP)
    return measured(
        window=Quantity(np.array(cell.windows), "window", label="window w"),
        depth=Quantity(np.array(cell.layers), "depth", label="layers L"),
        recalled=Quantity(
            keys_recalled(cell.features, cell.width, cell.bits, cell.keys), label="keys that the linear layer recalls"
        ),
        recalled_by_softmax=Quantity(by_softmax, label="keys that softmax recalls"),
        weight_of_another=Quantity(other, floor=1e-12, label="largest weight that its head gives to another key"),
        states=Quantity(states, label="states of the best layer found"),
        states_of_two=Quantity(states_of_two, label="the same with twice the features"),
        searched=Quantity([shape, shape_of_two], "times counted", label="contexts, and numbers of a state"),
        read_linearly=Quantity(keys_read_linearly(cell.features, cell.width, cell.read), label="keys read off linearly"),
        trained=_keys(trained),
        trained_with_twice=_keys(twice),
        **_training(trained),
        **_training(twice, "_with_twice"),
        reach=Quantity(windowed[:, :-1], "window depth", label="farthest position that matters"),
        reach_without_window=Quantity(np.tile(whole, (len(windowed), 1)), "window depth", label="the same without a window"),
        reach_of_more=Quantity(windowed[:, 1:], "window depth", label="the same with a layer more"),
    )


def _states(cell: Cell, key: jax.Array, features: int) -> tuple[int, int, int]:
    """States after all contexts of one key more than the state of the cell's layer has bits; contexts; numbers of a state."""
    return states_of_searched_layer(key, cell.numbers * cell.bits + 1, features, cell.width, cell.bits)


def _trained(cell: Cell, key: jax.Array, features: int) -> TrainedReadout:
    """Layers that are trained to recall one key more than the state of the cell's layer has numbers."""
    largest = {"most_keys": cell.read, "most_rank": 2 * RANK, "most_width": WIDTH}
    return keys_of_trained_layers(key, cell.numbers + 1, features, cell.width, **largest)


def _keys(trained: TrainedReadout) -> Quantity:
    return Quantity(trained.keys, "start", label="keys that trained layers with linear readouts recall")


def _training(trained: TrainedReadout, which: str = "") -> dict[str, Quantity]:
    """What the training was."""
    return {
        f"steps{which}": Quantity(trained.steps, "start", label="steps of training"),
        f"weights{which}": Quantity(trained.moved, "start", label="weights that the first step moves"),
        f"first_step{which}": Quantity(trained.first, "start", floor=FIRST, label="move of a weight in the first step"),
    }
