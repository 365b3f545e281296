"""An explicit quadratic recurrence, run on long words: its errors at all lengths, and its units."""

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
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The largest error by length of the prefix, and the width of the weights."""
    task = CompositionTask(**given)
    weights = recurrent_weights(task.encoding, task.irreps)
    return measured(
        **_errors(cell, key, task, weights),
        width=Quantity(units_in_use(weights), label="units in use"),
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
    )


def word_reversed(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The errors of the same network against the products of the reversed words."""
    task = CompositionTask(**given)
    weights = recurrent_weights(task.encoding, task.irreps)
    return measured(**_errors(cell, key, task, weights, table=task.table.T))


def without_last_irrep(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The width of weights that leave out the last irrep."""
    rest = CompositionTask(**given).without_last_irrep()
    return measured(width=Quantity(units_in_use(recurrent_weights(rest.encoding, rest.irreps))))


def one_path_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The errors without the units of the last path of two matrices in the last irrep: a term of the new prefix is missing."""
    task = CompositionTask(**given)
    whole = recurrent_weights(task.encoding, task.irreps)
    kept = whole.width - (2 if task.irreps[-1][0] == "real" else 6)
    first, drive, mix, out = (np.asarray(block)[..., :kept] for block in (whole.first, whole.drive, whole.mix, whole.out))
    return measured(**_errors(cell, key, task, Recurrent(*map(jnp.asarray, (first, drive, mix[:kept], out)))))


def _errors(
    cell: Cell, key: jax.Array, task: CompositionTask, weights: Recurrent, table: np.ndarray | None = None
) -> dict[str, Quantity]:
    """The errors against the products by the table of the group, or by another table."""
    words = uniform_words(key, len(task.table), cell.samples, cell.longest)
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 128, 512)
    network = padded(weights, task.codes, task.table if table is None else table, order=order, width=width)
    errors, floors = map(np.asarray, recurrent_errors(*network, words))
    starts = cell.lengths - 2
    error = Quantity(np.maximum.reduceat(errors, starts), "length", floor=floors[starts], label="largest relative error")
    return {"length": Quantity(cell.lengths, "length", label="length, from here to the next"), "error": error}
