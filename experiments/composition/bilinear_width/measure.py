"""Explicit networks that compose two elements, run on all pairs, and their units."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.constructions.composition.bilinear import bilinear_weights, without_dependent_units
from depthjax.instruments.composition import letters_said, two_layer_error, units_in_use
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.tasks.composition import CompositionTask
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.bilinear_width.distances import distance_weights


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Largest errors over all pairs, and units in use: of all products, of the independent units, and of one unit fewer."""
    task = CompositionTask(**given)
    weights = bilinear_weights(task.encoding, task.irreps)
    independent = without_dependent_units(weights, task.codes)
    distances = distance_weights(task.encoding, task.irreps)
    return measured(
        error=_error(task, weights),
        error_of_independent=_error(task, independent),
        error_of_fewer=_error(task, _without_last(weights)),
        error_of_fewer_independent=_error(task, _without_last(independent)),
        error_of_wrong_product=_error(task, weights, _one_wrong(task.table)),
        width=Quantity(units_in_use(weights), label="units"),
        error_of_distances=_error(task, distances),
        error_of_distances_alone=_error(task, _without_last(distances)),
        width_of_distances=Quantity(units_in_use(distances), label="units of squared distances"),
        least_width=Quantity(min(map(units_in_use, (distances, independent))), label="units of the narrower network"),
        width_of_fewer=Quantity(units_in_use(_without_last(weights)), label="units without the last"),
        independent=Quantity(units_in_use(independent), label="independent units"),
        right_backwards=Quantity(
            [_right_backwards(task, network) for network in (weights, independent, distances)],
            "network",
            label="pairs of which a network says the product in the other order too",
        ),
    )


def without_last_irrep(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Squared distances for all irreps but the last: their error on the whole code, and their units."""
    task = CompositionTask(**given)
    rest = task.without_last_irrep()
    few = distance_weights(rest.encoding, rest.irreps)
    units = Quantity(units_in_use(few), label="units for all irreps but the last")
    return measured(error_of_distances=_error(task, few), width_of_distances=units, least_width=units)


def _without_last(weights: TwoLayer) -> TwoLayer:
    return dataclasses.replace(weights, out=weights.out.at[:, -1].set(0))


def _right_backwards(task: CompositionTask, weights: TwoLayer) -> int:
    pairs = np.indices(task.table.shape).reshape(2, -1).T
    return int((letters_said(weights, task.codes, pairs) == task.table.T[tuple(pairs.T)]).sum())


def _one_wrong(table: np.ndarray) -> np.ndarray:
    """The table with another product of the last letter by itself, so that only what has it there is wrong."""
    wrong = table.copy()
    wrong[-1, -1] = table[-1, 0]
    return wrong


def _error(task: CompositionTask, weights: TwoLayer, table: np.ndarray | None = None) -> Quantity:
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 110, 410)
    pairs = np.indices((len(task.table),) * 2).reshape(2, -1).T
    pairs = jnp.asarray(np.resize(pairs, (order**2, 2)))  # all pairs, some of them twice
    error, floor = two_layer_error(
        *padded(weights, task.codes, task.table if table is None else table, order=order, width=width), pairs
    )
    # the output weights of independent units come from a least squares problem with as many unknowns as units
    return Quantity(float(error), floor=weights.width * float(floor), label="largest relative error")
