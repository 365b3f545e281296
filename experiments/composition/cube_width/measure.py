"""Explicit networks that compose three elements by cubes, run on all words, and their units."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.constructions.composition.paths import two_layer_weights
from depthjax.instruments.composition import letters_said, two_layer_error, units_in_use, units_without_last_irrep
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.tasks.composition import CompositionTask
from depthjax.tasks.words import all_words
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.cube_width.cubes import cube_weights


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Largest errors over all words, and units in use: of the network, of its parts, and where some are idle."""
    task = CompositionTask(**given)
    mixed, singles = cube_weights(task.encoding, task.irreps, task.table)
    whole = _joined(mixed, singles)
    said = partial(_agreeing, _words(task), letters_said(whole, task.codes, _words(task)))
    none = dataclasses.replace(singles, out=jnp.zeros_like(singles.out))
    fewer = _joined(mixed, none), _joined(_without_last(mixed), singles)
    return measured(
        error=_error(task, whole),
        idle=Quantity([_idle(network) for network in fewer], "fewer", label="place of the first idle unit"),
        tried=Quantity(len(np.unique(_tried(task), axis=0)), label="words whose error is measured"),
        right=Quantity(said(task.table), label="words of which it says the product"),
        right_by_wrong_product=Quantity(
            said(_one_wrong(task.table)), label="words of which it says the product with one wrong entry"
        ),
        units_without_last=Quantity(
            units_without_last_irrep(task, partial(two_layer_weights, length=3)),
            label="units for signs of paths of all irreps but the last",
        ),
        error_of_mixed=_error(task, fewer[0]),
        error_of_singles=_error(task, fewer[1]),
        mixed=Quantity(units_in_use(mixed), label="units of several letters"),
        mixed_of_fewer=Quantity(units_in_use(_without_last(mixed)), label="units of several letters without the last"),
        error_of_wrong_product=_error(task, whole, _one_wrong(task.table)),
        width=Quantity(units_in_use(whole), label="units"),
        width_of_mixed=Quantity(units_in_use(fewer[0]), label="units where those of one letter are idle"),
        sufficient=Quantity(units_in_use(whole), label="units that suffice"),
        right_backwards=Quantity(said(task.table.T), label="words of which it says the product from the right too"),
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
    )


def without_last_irrep(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Signs of paths for all irreps but the last: their error on the whole code, and their units."""
    task = CompositionTask(**given)
    rest = task.without_last_irrep()
    few = two_layer_weights(rest.encoding, rest.irreps, 3)
    units = Quantity(units_in_use(few), label="units for all irreps but the last")
    return measured(error=_error(task, few), sufficient=units)


def _joined(first: TwoLayer, second: TwoLayer) -> TwoLayer:
    return jax.tree.map(lambda *arrays: jnp.concatenate(arrays, axis=-1), first, second)


def _without_last(weights: TwoLayer) -> TwoLayer:
    return dataclasses.replace(weights, out=weights.out.at[:, -1].set(0))


def _words(task: CompositionTask) -> np.ndarray:
    """All words of three letters."""
    return np.asarray(all_words(len(task.table), 3))


def _idle(weights: TwoLayer) -> int:
    return int(np.argmin(np.abs(np.asarray(weights.out)).max(axis=0)))


def _order(task: CompositionTask) -> int:
    """The order to which groups are padded."""
    return common_size(len(task.table), 12, 24)


def _tried(task: CompositionTask) -> np.ndarray:
    """All words, some of them many times, so that groups of one padded order share a shape."""
    return np.resize(_words(task), (_order(task) ** 3, 3))


def _agreeing(words: np.ndarray, said: np.ndarray, table: np.ndarray) -> int:
    """Words of which the product by this table is said."""
    first, second, third = words.T
    return int((said == table[table[first, second], third]).sum())


def _one_wrong(table: np.ndarray) -> np.ndarray:
    """The table with another product of the last letter by itself, so that only what has it there is wrong."""
    wrong = table.copy()
    wrong[-1, -1] = table[-1, 0]
    return wrong


def _error(task: CompositionTask, weights: TwoLayer, table: np.ndarray | None = None) -> Quantity:
    order, width = _order(task), common_size(weights.width, 130, 700)
    network = padded(weights, task.codes, task.table if table is None else table, order=order, width=width)
    error, floor = two_layer_error(*network, jnp.asarray(_tried(task)))
    # the vectors of units of one letter come from least squares problems and carry the roundings of all other units
    return Quantity(float(error), floor=weights.width * float(floor), label="largest relative error")
