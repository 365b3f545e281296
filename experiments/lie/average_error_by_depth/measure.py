"""Mean errors of towers over all words of a length."""

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.average_error_by_depth.all_words import root_mean_square_errors

LAYERS = 3


def measure(cell: Cell, key: jax.Array, matrices: np.ndarray) -> xr.Dataset:
    """Root mean square errors of towers of one layer, two and three, by the mass of a word."""
    return measured(
        step=Quantity(cell.masses, "step", label="generator mass ε"),
        span=Quantity(
            [matrices.shape[-1], np.linalg.matrix_rank(matrices.reshape(len(matrices), -1).astype(float))],
            "of",
            label="rows of the generators, and independent ones",
        ),
        **_errors(cell, matrices),
        **_errors(cell, matrices, "_pairs"),  # words in which every letter comes twice in a row
    )


def _errors(cell: Cell, matrices: np.ndarray, end: str = "") -> dict[str, Quantity]:
    errors = np.stack(
        [
            root_mean_square_errors(matrices, cell.length, LAYERS, float(mass), cell.bits, doubled=end == "_pairs")
            for mass in cell.masses
        ]
    )
    # integers are shortened after every product; one rounding to float64 ends it
    smallest = rounding_floor(cell.length * LAYERS * cell.bits, errors.dtype, 2.0 ** (53 - cell.bits))
    floor = smallest + rounding_floor(LAYERS, errors.dtype, errors)
    return {
        f"error_{k}{end}": Quantity(
            errors[:, k - 1], "step", floor=floor[:, k - 1], label=f"mean error of {k} layers", unit="root mean square"
        )
        for k in range(1, LAYERS + 1)
    }
