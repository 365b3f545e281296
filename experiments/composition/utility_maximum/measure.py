"""The largest utility of a neuron in every irrep, by alternating maximisation from many starts."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask, isotypic_part
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.utility_maximum.common import SLOTS
from experiments.composition.utility_maximum.utility import largest_utility


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The best of all starts. What the second half of its sweeps gained says how far from the end it may be."""
    task = CompositionTask(**given)
    parts = np.stack([isotypic_part(task.encoding, kind, matrices) for kind, matrices in task.irreps])
    commuting = Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders")
    starts = Quantity(_starts(cell, key, task, parts), label="different utilities of the starts of two keys")
    return _largest(cell, key, task, parts).merge(measured(commuting=commuting, starts=starts))


def not_restricted(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The best of all starts for the whole encoding in place of its part in each irrep."""
    task = CompositionTask(**given)
    return _largest(cell, key, task, np.tile(task.encoding, (len(task.irreps), 1)))


def _largest(cell: Cell, key: jax.Array, task: CompositionTask, parts: np.ndarray) -> xr.Dataset:
    order = len(task.table)
    values, gained = largest_utility(key, *_padded(task, parts), cell.length, cell.starts, cell.sweeps, order)
    # a vector reads at most sqrt(order) times the norm of the code
    # and a part has the rounding of sums over the whole encoding
    norms = np.linalg.norm(parts, axis=1) ** cell.length * np.linalg.norm(task.encoding)
    floor = rounding_floor((cell.length + 1) * order, values.dtype, norms)
    squares = (parts**2).sum(axis=1)
    found, gained = slice(len(parts)), np.maximum(gained, 0.0)  # rounding may take some away
    return measured(
        total=Quantity(
            float(values[found].sum()),
            floor=float(np.sum(floor)),
            sampling=float(gained[found].sum()),
            label="largest utilities of all irreps together",
        ),
        square=Quantity(
            np.resize(squares, SLOTS),
            "irrep",
            floor=rounding_floor(4 * order, parts.dtype, float(task.encoding @ task.encoding)),
            label="square of what is read",
        ),
        utility=Quantity(
            np.resize(values, SLOTS),
            "irrep",
            floor=np.resize(floor, SLOTS),
            sampling=np.resize(gained, SLOTS),
            label="largest utility",
        ),
    )


def _padded(task: CompositionTask, parts: np.ndarray) -> tuple[jax.Array, jax.Array]:
    """The codes of every part and the table, of a size that several groups share."""
    order = len(task.table)
    size = common_size(order, 11, 60)
    # larger groups of the grid have fewer irreps than smaller ones
    codes = np.zeros((SLOTS if size == 11 else len(parts), size, size))
    codes[:, :order, :order] = np.resize(parts, (len(codes), order))[:, task.table]
    table = np.tile(np.arange(size), (size, 1))
    table[:order, :order] = task.table
    return jnp.asarray(codes), jnp.asarray(table)


def _starts(cell: Cell, key: jax.Array, task: CompositionTask, parts: np.ndarray) -> int:
    """How many utilities differ where no sweep is made, from one start for each part with this key, and one with another."""
    padded = _padded(task, parts)
    found = [largest_utility(own, *padded, cell.length, 1, 0, len(task.table))[0] for own in jax.random.split(key)]
    return len(np.unique(np.concatenate([values[: len(parts)] for values in found])))
