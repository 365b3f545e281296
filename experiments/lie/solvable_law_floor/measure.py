"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.laws import followed_by_silence, law_changes, law_excess, signed_generators
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie._so3_and_sl2 import so3_and_sl2

MOST_LAYERS = 3


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Distance of the product from the identity, and how far k + 1 random layers have moved."""
    scales = 2.0 ** (-np.arange(cell.steps) / 2)
    # factors are kept as 1 + a and cancel in pairs: what is rounded is of the size of a few letters, not of the whole word
    floor = rounding_floor(16 * 4**MOST_LAYERS, scales.dtype, scales * np.exp(scales))
    word, algebras = given["word"], given["algebras"]
    change, moved_floor = law_changes(key, word, cell.letters, cell.layers + 1, cell.width, cell.cascades)
    lost, lost_floor = law_changes(key, word[:-1], cell.letters, cell.layers + 1, cell.width, cell.cascades)

    def gap(name: str, read: np.ndarray, label: str) -> Quantity:
        return Quantity(_distances(read, algebras[name], scales), "step", floor=floor, label=label, unit="operator norm")

    increment = "one letter's increment"
    return measured(
        step=Quantity(scales, "step", label="ε"),
        **{f"gap_{name}": gap(name, word, f"distance from 1, {name}") for name in algebras},
        **{f"gap_{name}_lost": gap(name, word[:-1], f"distance from 1 without the last letter, {name}") for name in algebras},
        state_change=Quantity(
            np.pad(change[:, :-1], ((0, 0), (0, MOST_LAYERS - cell.layers))),
            "cascade layer",
            floor=moved_floor[:, None],
            label="change of every layer",
            unit=increment,
        ),
        change_above=Quantity(change[:, -1], "cascade", floor=moved_floor, label="change of layer k + 1", unit=increment),
        different=Quantity(len(np.unique(change[:, -1])), label="cascades whose layer k + 1 moves by a number of its own"),
        first_layer_lost=Quantity(
            lost[:, 0], "cascade", floor=lost_floor, label="change of layer 1 without the last letter", unit=increment
        ),
        signs=Quantity(_signs(word, cell.letters), "sign", label="letters, inverses, and letters that are not undone"),
        **so3_and_sl2(algebras["so3"], algebras["sl2"]),
    )


def _signs(word: np.ndarray, letters: int) -> list[int]:
    """How many signed letters a word has, how many of them are inverses, and how many letters its inverses leave over."""
    counts = np.bincount(word, minlength=2 * letters)
    return [len(word), int((word >= letters).sum()), int(np.abs(counts[:letters] - counts[letters:]).sum())]


def _distances(word: np.ndarray, matrices: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Distance of the word's product from the identity, for every scale."""
    filled = followed_by_silence(word, len(matrices), 4**MOST_LAYERS)
    return np.linalg.norm(law_excess(filled, signed_generators(matrices, 3), scales), ord=2, axis=(1, 2))
