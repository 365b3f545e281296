"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.laws import followed_by_silence, law_changes, law_excess, signed_generators
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

MOST_LAYERS = 3


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Distance of the product from the identity, and how far k + 1 random layers have moved."""
    scales = 2.0 ** (-np.arange(cell.steps) / 2)
    # factors are kept as 1 + a and cancel in pairs: what is rounded is of the size of a few letters, not of the whole word
    floor = rounding_floor(16 * 4**MOST_LAYERS, scales.dtype, scales * np.exp(scales))
    change, moved_floor = law_changes(key, given["word"], cell.letters, cell.layers + 1, cell.width, cell.cascades)

    def gap(name: str) -> Quantity:
        values = _distances(given["word"], given["algebras"][name], scales)
        return Quantity(values, "step", floor=floor, label=f"distance from 1, {name}", unit="operator norm")

    def moved(layers: np.ndarray, label: str) -> Quantity:
        return Quantity(layers.max(axis=1), "cascade", floor=moved_floor, label=label, unit="one letter's increment")

    return measured(
        step=Quantity(scales, "step", label="ε"),
        **{f"gap_{name}": gap(name) for name in given["algebras"]},
        state_change=moved(change[:, :-1], "largest change of k layers"),
        change_above=moved(change[:, -1:], "change of layer k + 1"),
    )


def _distances(word: np.ndarray, matrices: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Distance of the word's product from the identity, for every scale."""
    filled = followed_by_silence(word, len(matrices), 4**MOST_LAYERS)
    return np.linalg.norm(law_excess(filled, signed_generators(matrices, 3), scales), ord=2, axis=(1, 2))


def last_letter_lost(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same word without its last letter."""
    return measure(cell, key, given | {"word": given["word"][:-1]})
