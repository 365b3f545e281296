"""Explicit networks of planes and signs, run on all words or many: errors, units in use, units that are missed, their rank."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.instruments.composition import two_layer_error, units_in_use, units_needed
from depthjax.instruments.flattening import flattening_rank
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask, isotypic_part
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.triangle_width.points import Cubes, triangle_weights

SOME = 512  # words on which units are switched off
MORE = 2048  # words on which their rank is taken


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Largest errors over the words, units in use, units that are missed, and the rank of the units."""
    task, networks = _built(given)
    whole = _joined(*networks)
    return measured(
        **_tried(cell, key, task, whole),
        suffices=Quantity(units_in_use(whole), label="units that suffice"),
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
        independent=Quantity(_rank(task, whole, _words(cell, key, task)[:MORE]), label="rank of the units"),
    )


def one_unit_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same of a network whose last unit of the planes is idle."""
    task, (planes, *others) = _built(given)
    return measured(**_tried(cell, key, task, _joined(_without_last(planes), *others)))


def without_constant(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors and units where the unit of the constants is idle."""
    task, (planes, signs, _) = _built(given)
    return measured(**_run(cell, key, task, _joined(planes, signs)))


def larger_letters(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors and units where the planes read the letters larger by one part in 33."""
    task, (planes, *others) = _built(given)
    return measured(**_run(cell, key, task, _joined(_larger(planes), *others)))


def exchanged_ends(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors and units where the first letter moves points as the last one does."""
    task, networks = _built(given, exchanged=True)
    return measured(**_run(cell, key, task, _joined(*networks)))


def signs_alone(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the units of the signs and of the constants, and how many these are."""
    task, (_, *others) = _built(given)
    return measured(**_run(cell, key, task, _joined(*others)))


def _built(given: dict, exchanged: bool = False) -> tuple[CompositionTask, tuple[TwoLayer, TwoLayer, TwoLayer]]:
    """The task, and the networks of the planes, of the signs and of the constants; for planes perhaps with ends exchanged."""
    task, cubes = _task(given["task"]), Cubes(*(given[name] for name in Cubes._fields))
    planes, signs, constant = triangle_weights(task, cubes, given["signs"], exchanged=exchanged)
    return task, (planes, signs, constant)


def _tried(cell: Cell, key: jax.Array, task: CompositionTask, weights: TwoLayer) -> dict[str, Quantity]:
    found = _run(cell, key, task, weights)
    few = np.asarray(uniform_words(key, len(task.table), SOME, cell.length))
    needed = units_needed(weights, task.codes, task.table, few, float(found["error"].floor))
    return found | {"needed": Quantity(needed, label="units that are missed when they are switched off")}


def _run(cell: Cell, key: jax.Array, task: CompositionTask, weights: TwoLayer) -> dict[str, Quantity]:
    return {"error": _error(cell, key, task, weights), "width": Quantity(units_in_use(weights), label="units")}


def _task(given: dict) -> CompositionTask:
    """The task whose encoding has the given irreps alone."""
    task = CompositionTask(**given)
    return dataclasses.replace(task, encoding=np.sum([isotypic_part(task.encoding, *irrep) for irrep in task.irreps], axis=0))


def _joined(*networks: TwoLayer) -> TwoLayer:
    return jax.tree.map(lambda *arrays: jnp.concatenate(arrays, axis=-1), *networks)


def _without_last(weights: TwoLayer) -> TwoLayer:
    return dataclasses.replace(weights, out=weights.out.at[:, -1].set(0))


def _larger(weights: TwoLayer) -> TwoLayer:
    return dataclasses.replace(weights, inputs=weights.inputs * 34 / 33)


def _words(cell: Cell, key: jax.Array, task: CompositionTask) -> np.ndarray:
    """All words, some of them many times, or as many random ones."""
    order, length = len(task.table), cell.length
    if order**length > cell.words:
        return np.asarray(uniform_words(key, order, cell.words, length))
    return np.resize(np.indices((order,) * length).reshape(length, -1).T, (cell.words, length))


def _error(cell: Cell, key: jax.Array, task: CompositionTask, weights: TwoLayer) -> Quantity:
    order, width = common_size(len(task.table), 12, 24, 48), common_size(weights.width, 100, 600, 2400)
    words = jnp.asarray(_words(cell, key, task))
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), words)
    # points are read from a code with the rounding of a sum over it, and every factor of a power brings that of its own sum
    return Quantity(float(error), floor=cell.length * len(task.table) * float(floor), label="largest relative error")


def _rank(task: CompositionTask, weights: TwoLayer, words: np.ndarray) -> int:
    """The rank of what the units hold, each in units of the largest that it could."""
    inputs, length = np.asarray(weights.inputs), words.shape[1]
    read = np.einsum("gf,lfu->lgu", task.codes, inputs)
    largest = np.abs(read).max(axis=1).sum(axis=0)
    held = (sum(read[place, words[:, place]] for place in range(length)) / largest) ** length
    mass = (np.einsum("gf,lfu->lgu", np.abs(task.codes), np.abs(inputs)).max(axis=1).sum(axis=0) / largest).max()
    return flattening_rank(held, float(rounding_floor(length * (length + len(task.table)), held.dtype, mass)))
