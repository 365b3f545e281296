"""Ranks of the flattened target and of a random network, and a counting network that is run on random words."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.instruments.composition import two_layer_error, units_in_use
from depthjax.instruments.flattening import centred, flattening_rank
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.width_dichotomy.counting import counting_weights


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Ranks of the target and of a random network; errors of the counting network, whole and without one unit."""
    task = CompositionTask(**given)
    weights, words = jax.random.split(key)
    answers = np.arange(len(task.table))
    for _ in range(cell.length - 1):
        answers = task.table[answers]
    counting = counting_weights(task.codes, task.table, cell.length)
    fewer = dataclasses.replace(counting, out=counting.out.at[:, -1].set(0))
    sample = uniform_words(words, len(task.table), cell.words, cell.length)
    return measured(
        rank=Quantity(flattening_rank(centred(task.codes[answers])), label="rank of the flattened target"),
        network_rank=Quantity(_network_rank(cell, weights, task, cell.length), label="rank of a random network"),
        rank_of_next_degree=Quantity(_network_rank(cell, weights, task, cell.length + 1), label="rank with z^(k+1)"),
        error=_error(cell, task, counting, sample),
        error_of_fewer=_error(cell, task, fewer, sample),
        width=Quantity(units_in_use(counting), label="units of the counting network"),
        width_of_fewer=Quantity(units_in_use(fewer), label="units in use without the last"),
    )


def _network_rank(cell: Cell, key: jax.Array, task: CompositionTask, degree: int) -> int:
    """The rank of a network of random weights with units z^degree."""
    inner, outer = jax.random.split(key)
    seen = np.asarray(jax.random.normal(inner, (cell.length, len(task.table), cell.units)))
    out = np.asarray(jax.random.normal(outer, (cell.units, len(task.table))))
    hidden = seen[0]
    for block in seen[1:]:
        hidden = hidden[..., None, :] + block
    # roundings of each sum, of its power and of the means that are taken away, in units of the largest power there may be
    largest = np.abs(seen).max(axis=(1, 2)).sum() ** degree * np.abs(out).sum(axis=0).max()
    count = degree * (cell.length + 1) + cell.units + cell.length * (len(task.table) + 1)
    return flattening_rank(centred(hidden**degree @ out), float(rounding_floor(count, seen.dtype, largest)))


def _error(cell: Cell, task: CompositionTask, weights: TwoLayer, words: jax.Array) -> Quantity:
    order, width = common_size(len(task.table), 5, 12), common_size(weights.width, 64, 400)
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), words)
    # every factor of a power brings the rounding of its sum
    return Quantity(float(error), floor=cell.length * float(floor), label="largest relative error")
