"""Random formulas as layers of masked hard attention, on all short words, with each number of layers."""

from functools import cache

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.layers_needed import fewest_layers
from depthjax.tasks.short_words import short_words
from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong positions, accepted words by length, and the fewest layers with which no position is wrong."""
    return _measured(cell, given, cell.depth)


def _measured(cell: Cell, given: dict, most: int) -> xr.Dataset:
    """The same, with at most so many layers."""
    words, lengths = short_words(len(given["letters"]), cell.length)
    network = compiled(given["programs"], given["mask"], given["ties"])
    truth = np.zeros((len(given["truth"][0]), *words.shape), bool)
    for length, values in enumerate(given["truth"], 1):
        truth[:, lengths == length, :length] = values

    @cache
    def answers(layers: int) -> np.ndarray:
        return np.asarray(network(words, layers, lengths=lengths))

    def errors(layers: int) -> int:
        return int((answers(layers) != truth).sum())

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
    """Every formula with a layer less than its nesting depth."""
    return _measured(cell, given, cell.depth - 1)
