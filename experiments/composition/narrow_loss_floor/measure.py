"""Singular values of the flattened target, and the loss that a search over products of functions finds."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.flattening import centred, flattening, loss_of_products
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.narrow_loss_floor.common import places


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Singular values of the target, and the loss that the search finds for this many products and for more."""
    task = CompositionTask(**given)
    answers = np.arange(len(task.table))
    for _ in range(cell.length - 1):
        answers = task.table[answers]
    target = centred(task.codes[answers])
    scale = target.size**-0.5  # so that squares are means

    def singular(tensor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        matrix = flattening(tensor) * scale
        values = np.linalg.svd(matrix, compute_uv=False)
        return values, rounding_floor(sum(matrix.shape), values.dtype, values[0])

    def spectrum(tensor: np.ndarray, label: str) -> Quantity:
        values, floor = singular(tensor)
        return Quantity(places(values), "place", floor=floor, label=label)

    values, rounding = singular(target)

    def loss(units: int, label: str) -> Quantity:
        found, floor = loss_of_products(key, target, units, cell.starts, cell.sweeps)
        return Quantity(found, floor=floor, label=label, unit="mean square")

    # a tensor of as many axes whose neighbours on the ring are rows together
    moved = np.moveaxis(target, 0, 1)
    return measured(
        spectrum=spectrum(target, "singular values of the flattened target"),
        rank=Quantity(int((values > rounding).sum()), label="singular values that are not zero"),
        square=Quantity(
            np.square(values).sum(), floor=2 * rounding * values.sum(), label="sum of the squares of all singular values"
        ),
        spectrum_of_letters_exchanged=spectrum(moved, "the same with two letters exchanged"),
        loss=loss(cell.units, "least mean square error found"),
        loss_of_next_degree=loss(cell.units * (cell.length + 1), "the same for units of higher degree"),
    )
