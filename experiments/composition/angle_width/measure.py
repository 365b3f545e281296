"""Networks of given squares, run on all pairs of elements: errors, units in use, units that are missed, and their rank."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Float

from depthjax.compiler import common_size
from depthjax.instruments.composition import two_layer_error, units_in_use, units_needed
from depthjax.instruments.flattening import flattening_rank
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.tasks.composition import CompositionTask, isotypic_part
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Largest error over all pairs, their number, units in use, units that are missed, and the rank of the units."""
    task, weights = _built(given["task"], given["units"])
    pairs = _pairs(task)
    return measured(
        **_tried(task, weights),
        suffices=Quantity(units_in_use(weights), label="units that suffice"),
        independent=Quantity(flattening_rank(_held(given["units"], pairs)), label="rank of the units"),
        pairs=Quantity(len(np.unique(pairs, axis=0)), label="pairs of elements that are composed"),
    )


def one_square_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same of a network whose last square but the constant is idle."""
    return measured(**_tried(*_built(given["task"], np.delete(given["units"], -2, axis=0))))


def without_constant(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same where the unit of the constants is idle."""
    return measured(**_tried(*_built(given["task"], given["units"][:-1])))


def inverted_second(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors where the right weights meet the inverse of the second element."""
    task, weights = _built(given["task"], given["units"])
    inverse = np.argmax(np.asarray(task.table) == 0, axis=1)
    return measured(error=_error(dataclasses.replace(task, table=task.table[:, inverse]), weights, task.codes))


def first_alone(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same of squares of the first element alone."""
    units = given["units"].copy()
    units[:, 1] = 0
    return measured(**_tried(*_built(given["task"], units)))


def _built(given: dict, units: Float[np.ndarray, "units 2 order"]) -> tuple[CompositionTask, TwoLayer]:
    """The task whose encoding has the given irreps alone, and the network of these units that writes it best."""
    task = CompositionTask(**given)
    # both members of a conjugate pair are given, and "real" gives the half of the pair that belongs to one of the two
    parts = [isotypic_part(task.encoding, "real", matrices) for _, matrices in task.irreps]
    task = dataclasses.replace(task, encoding=np.sum(parts, axis=0))
    reads = np.linalg.pinv(task.codes, rcond=1e-9)
    inputs = np.einsum("fg,ulg->lfu", reads, units)
    pairs = _pairs(task)
    targets = task.codes[task.table[pairs[:, 0], pairs[:, 1]]]
    out = np.linalg.lstsq(_held(units, pairs), targets)[0].T
    return task, TwoLayer(jnp.asarray(inputs), jnp.asarray(out))


def _pairs(task: CompositionTask) -> np.ndarray:
    return np.indices(task.table.shape).reshape(2, -1).T


def _held(units: Float[np.ndarray, "units 2 order"], pairs: np.ndarray) -> Float[np.ndarray, "pairs units"]:
    return (units[:, 0, pairs[:, 0]] + units[:, 1, pairs[:, 1]]).T ** 2


def _tried(task: CompositionTask, weights: TwoLayer) -> dict[str, Quantity]:
    error = _error(task, weights, task.codes)
    needed = units_needed(weights, task.codes, task.table, _pairs(task), float(error.floor))
    return {
        "error": error,
        "width": Quantity(units_in_use(weights), label="units"),
        "needed": Quantity(needed, label="units that are missed when they are switched off"),
    }


def _error(task: CompositionTask, weights: TwoLayer, codes: np.ndarray) -> Quantity:
    order, width = common_size(len(task.table), 12, 24, 48), common_size(weights.width, 24, 48, 96)
    error, floor = two_layer_error(*padded(weights, codes, task.table, order=order, width=width), jnp.asarray(_pairs(task)))
    # values of units are read from a code with the rounding of a sum over it, and both factors of a square bring it
    return Quantity(float(error), floor=2 * len(task.table) * float(floor), label="largest relative error")
