"""Mean errors of towers over all words of a length."""

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.average_error_by_depth.all_words import root_mean_square_errors
from experiments.lie.average_error_by_depth.common import LAYERS


def measure(cell: Cell, key: jax.Array, matrices: np.ndarray) -> xr.Dataset:
    """Root mean square errors of towers of one layer, two and three, by the mass of a word."""
    return _measured(cell, matrices)


def letters_in_pairs(cell: Cell, key: jax.Array, matrices: np.ndarray) -> xr.Dataset:
    """The same over words in which every letter comes twice in a row."""
    return _measured(cell, matrices, doubled=True)


def _measured(cell: Cell, matrices: np.ndarray, *, doubled: bool = False) -> xr.Dataset:
    errors = np.stack(
        [
            root_mean_square_errors(matrices, cell.length, LAYERS, float(mass), cell.bits, doubled=doubled)
            for mass in cell.masses
        ]
    )
    # integers are shortened after every product; one rounding to float64 ends it
    smallest = rounding_floor(cell.length * LAYERS * cell.bits, errors.dtype, 2.0 ** (53 - cell.bits))
    floor = smallest + rounding_floor(LAYERS, errors.dtype, errors)
    return measured(
        step=Quantity(cell.masses, "step", label="generator mass ε"),
        **{
            f"error_{k}": Quantity(
                errors[:, k - 1], "step", floor=floor[:, k - 1], label=f"mean error of {k} layers", unit="root mean square"
            )
            for k in range(1, LAYERS + 1)
        },
    )
