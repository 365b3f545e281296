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
from depthjax.tasks.words import all_words
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.bilinear_width.counted import counted_bound
from experiments.composition.bilinear_width.distances import distance_weights


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Largest errors over all pairs, and units in use: of all products, of the independent units, and of one unit fewer."""
    task = CompositionTask(**given)
    weights = bilinear_weights(task.encoding, task.irreps)
    independent = without_dependent_units(weights, task.codes)
    distances = distance_weights(task.encoding, task.irreps)
    networks = weights, independent, distances
    wrong, pairs = _one_wrong(task.table), _pairs(task)
    said = np.stack([letters_said(network, task.codes, pairs) for network in networks])

    def right(table: np.ndarray, label: str) -> Quantity:
        return Quantity((said == table[tuple(pairs.T)]).sum(axis=1), "network", label=f"pairs of which a network says {label}")

    return measured(
        bound=Quantity(counted_bound(task.table), label="lower bound on the units, counted from the table"),
        square_roots=Quantity(int((np.diag(task.table) == 0).sum()), label="letters with the square 1"),
        tried=Quantity(len(np.unique(_tried(task), axis=0)), label="pairs whose error is measured"),
        right=right(task.table, "the product"),
        right_by_wrong_product=right(wrong, "the product with one wrong entry"),
        error=_error(task, weights),
        error_of_independent=_error(task, independent),
        error_of_fewer=_error(task, _without_last(weights)),
        error_of_fewer_independent=_error(task, _without_last(independent)),
        error_of_wrong_product=_error(task, weights, wrong),
        width=Quantity(units_in_use(weights), label="units"),
        error_of_distances=_error(task, distances),
        error_of_distances_alone=_error(task, _without_last(distances)),
        width_of_distances=Quantity(units_in_use(distances), label="units of squared distances"),
        width_of_distances_alone=Quantity(
            units_in_use(_without_last(distances)), label="units of squared distances without the last"
        ),
        least_width=Quantity(min(map(units_in_use, (distances, independent))), label="units of the narrower network"),
        width_of_fewer=Quantity(units_in_use(_without_last(weights)), label="units without the last"),
        independent=Quantity(units_in_use(independent), label="independent units"),
        right_backwards=right(task.table.T, "the product in the other order too"),
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


def _pairs(task: CompositionTask) -> np.ndarray:
    """All pairs of letters."""
    return np.asarray(all_words(len(task.table), 2))


def _order(task: CompositionTask) -> int:
    """The order to which groups are padded."""
    return common_size(len(task.table), 24, 60)


def _tried(task: CompositionTask) -> np.ndarray:
    """All pairs, some of them many times, so that groups of one padded order share a shape."""
    return np.resize(_pairs(task), (_order(task) ** 2, 2))


def _one_wrong(table: np.ndarray) -> np.ndarray:
    """The table with another product of the last letter by itself, so that only what has it there is wrong."""
    wrong = table.copy()
    wrong[-1, -1] = table[-1, 0]
    return wrong


def _error(task: CompositionTask, weights: TwoLayer, table: np.ndarray | None = None) -> Quantity:
    width = common_size(weights.width, 110, 410)
    network = padded(weights, task.codes, task.table if table is None else table, order=_order(task), width=width)
    error, floor = two_layer_error(*network, jnp.asarray(_tried(task)))
    # the output weights of independent units come from a least squares problem with as many unknowns as units
    return Quantity(float(error), floor=weights.width * float(floor), label="largest relative error")
