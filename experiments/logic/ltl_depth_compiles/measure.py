"""What the claim measures."""

from functools import cache

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.layers_needed import fewest_layers
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict, most: int | None = None) -> xr.Dataset:
    """Wrong positions, accepted words by length, and the fewest layers with which no position is wrong."""
    words, lengths = given["words"], given["lengths"]
    most = cell.depth if most is None else most

    @cache
    def answers(layers: int) -> np.ndarray:
        return np.asarray(given["network"](words, layers, lengths=lengths))

    def errors(layers: int) -> int:
        return int((answers(layers) != given["truth"]).sum())

    last = answers(most)[:, np.arange(len(lengths)), lengths - 1]
    letters = np.arange(1, cell.length + 1)
    accepted = np.stack([last[:, lengths == length].sum(axis=1) for length in letters], axis=1)
    return measured(
        wrong=Quantity(errors(most), label="positions where attention and evaluator differ"),
        accepted=Quantity(accepted, "formula letters", label="accepted words of a length"),
        layers=Quantity(fewest_layers(errors, most), label="layers needed"),
        letters=letters,
    )


def one_layer_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    return measure(cell, key, given, cell.depth - 1)
