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
    """Right and true positions and accepted words by length, the fewest layers that are right, and what other heads read."""
    words, lengths = short_words(len(given["letters"]), cell.length)
    network = compiled(given["programs"])
    letters = np.arange(1, cell.length + 1)
    truth = np.zeros((len(given["truth"][0]), *words.shape), bool)
    for length, values in zip(letters, given["truth"], strict=True):
        truth[:, lengths == length, :length] = values

    def by_length(holds: np.ndarray) -> np.ndarray:
        """In how many positions something holds, by formula and length."""
        return np.stack([holds[:, lengths == length, :length].sum(axis=(1, 2)) for length in letters], axis=1)

    @cache
    def answers(layers: int) -> np.ndarray:
        return np.asarray(network(words, layers, lengths=lengths))

    @cache
    def right(layers: int) -> np.ndarray:
        return by_length(answers(layers) == truth)

    def otherwise(mask: str = "strict", ties: str = "nearest") -> Quantity:
        other = compiled(given["programs"], mask, ties)
        return Quantity(by_length(np.asarray(other(words, cell.depth, lengths=lengths)) == truth), "formula letters")

    whole = len(truth) * int((letters * len(given["letters"]) ** letters).sum())
    last = answers(cell.depth)[:, np.arange(len(lengths)), lengths - 1]
    accepted = np.stack([last[:, lengths == length].sum(axis=1) for length in letters], axis=1)
    return measured(
        right=Quantity(right(cell.depth), "formula letters", label="positions where attention and evaluator agree"),
        true=Quantity(by_length(answers(cell.depth)), "formula letters", label="positions where the formula is true"),
        accepted=Quantity(accepted, "formula letters", label="accepted words of a length"),
        layers=Quantity(fewest_layers(lambda layers: whole - int(right(layers).sum()), cell.depth), label="layers needed"),
        right_before=Quantity(right(cell.depth - 1), "formula letters"),
        right_farthest=otherwise(ties="farthest"),
        right_own=otherwise(mask="causal"),
        letters=letters,
    )
