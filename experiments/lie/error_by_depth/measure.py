"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.error_by_depth.tower_digits import tower_errors_in_digits

LAYERS = 4


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Distances of towers of no layer, one, .., four from the product; of letters that commute at the fixed mass."""
    errors = np.stack([_errors(cell, given["word"], given["matrices"], mass) for mass in cell.masses])  # step, layers
    diagonal = np.stack([np.diag([1, -2, 3]) // (letter + 1) for letter in range(cell.letters)])
    commuting = _errors(cell, given["word"], diagonal, cell.masses[cell.fixed])
    # integers are shortened downwards after every product, of which a letter has no more in a layer than there are bits: what
    # is lost adds up, and does not cancel; one rounding to float64 ends it
    smallest = cell.length * LAYERS * cell.bits * 2.0**-cell.bits
    floor = smallest + rounding_floor(LAYERS, errors.dtype, errors)

    def decades(found: np.ndarray, label: str) -> Quantity:
        shown = np.maximum(found, smallest)
        return Quantity(np.log10(shown), "layers", floor=rounding_floor(LAYERS, errors.dtype, 1.0), label=label)

    return measured(
        step=Quantity(cell.masses, "step", label="generator mass ε"),
        layers=np.arange(1, LAYERS + 1),
        decades=decades(errors[cell.fixed, 1:], "decimal logarithm of the error at one mass"),
        decades_of_fewer=decades(errors[cell.fixed, :-1], "the same with a layer fewer"),
        decades_commuting=decades(commuting[1:], "the same for letters that commute"),
        commuting_missed=Quantity(
            commuting[0], floor=rounding_floor(LAYERS, errors.dtype, commuting[0]), label="distance of their product from 1"
        ),
        commuting_error=Quantity(commuting[1:], "layers", floor=smallest, label="error of letters that commute"),
        word=Quantity(
            [len(given["word"]), len(set(given["word"].tolist()))], "of", label="letters of the word, and different ones"
        ),
        span=Quantity(
            [given["matrices"].shape[-1], np.linalg.matrix_rank(given["matrices"].reshape(cell.letters, -1).astype(float))],
            "of",
            label="rows of the generators, and independent ones",
        ),
        **{
            f"error_{k}": Quantity(errors[:, k], "step", floor=floor[:, k], label=f"error of {k} layers", unit="operator norm")
            for k in range(LAYERS + 1)
        },
    )


def halves_exchanged(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the word whose second half comes first."""
    word = np.roll(given["word"], len(given["word"]) // 2)
    return measure(cell, key, given | {"word": word})[
        [f"error_{k}{part}" for k in range(1, LAYERS + 1) for part in ("", "_floor")]
    ]


def _errors(cell: Cell, word: np.ndarray, matrices: np.ndarray, mass: float) -> np.ndarray:
    return tower_errors_in_digits(word.tolist(), matrices.astype(float), LAYERS, float(mass), cell.bits)
