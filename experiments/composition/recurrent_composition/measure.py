"""An explicit quadratic recurrence, run on long words: its errors at all lengths, and its units."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.constructions.composition.paths import recurrent_weights
from depthjax.instruments.composition import recurrent_errors, units_in_use
from depthjax.models.padding import padded
from depthjax.models.polynomial import Recurrent
from depthjax.tasks.composition import CompositionTask
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The largest error by length of the prefix, against products from either side; units with and without the last irrep."""
    task, words = CompositionTask(**given["task"]), jnp.asarray(given["words"])
    weights = recurrent_weights(task.encoding, task.irreps)
    return measured(
        length=Quantity(cell.lengths, "length", label="length, from here to the next"),
        error=_error(cell, words, task, weights),
        error_reversed=_error(cell, words, task, weights, task.table.T, ", products read backwards"),
        width=Quantity(units_in_use(weights), label="units in use"),
        width_without_last=Quantity(_units_without_last(task), label="units in use without an irrep"),
        width_of_fewer=Quantity(units_in_use(_one_path_fewer(task)), label="units in use without those of one path"),
        composable=Quantity(
            _composable(task, given["averaged"]), label="encodings without a mean over a subgroup that have weights"
        ),
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
    )


def _units_without_last(task: CompositionTask) -> int:
    """Units in use where the last irrep is not composed; none where it is the only one, and rounding is left of the code."""
    rest = task.without_last_irrep()
    if np.abs(rest.encoding).max() < 1e-9 * np.abs(task.encoding).max():
        return 0
    return units_in_use(recurrent_weights(rest.encoding, rest.irreps))


def one_path_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The errors without the units of the last path of two matrices in the last irrep: a term of the new prefix is missing."""
    task, words = CompositionTask(**given["task"]), jnp.asarray(given["words"])
    fewer = _one_path_fewer(task)
    return measured(
        length=Quantity(cell.lengths, "length", label="length, from here to the next"),
        error=_error(cell, words, task, fewer),
        width=Quantity(units_in_use(fewer), label="units in use"),
    )


def _one_path_fewer(task: CompositionTask) -> Recurrent:
    whole = recurrent_weights(task.encoding, task.irreps)
    kept = whole.width - (2 if task.irreps[-1][0] == "real" else 6)
    first, drive, mix, out = (np.asarray(block)[..., :kept] for block in (whole.first, whole.drive, whole.mix, whole.out))
    return Recurrent(*map(jnp.asarray, (first, drive, mix[:kept], out)))


def _composable(task: CompositionTask, encodings: np.ndarray) -> int:
    """How many of these encodings have weights."""
    count = 0
    for encoding in encodings:
        with contextlib.suppress(ValueError):  # a coefficient is singular and not zero
            recurrent_weights(encoding, task.irreps)
            count += 1
    return count


def _error(
    cell: Cell, words: jax.Array, task: CompositionTask, weights: Recurrent, table: np.ndarray | None = None, against: str = ""
) -> Quantity:
    """The errors against the products by the table of the group, or by another table, which the label then names."""
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 128, 512)
    network = padded(weights, task.codes, task.table if table is None else table, order=order, width=width)
    errors, floors = map(np.asarray, recurrent_errors(*network, words))
    starts = cell.lengths - 2
    return Quantity(
        np.maximum.reduceat(errors, starts), "length", floor=floors[starts], label="largest relative error" + against
    )
