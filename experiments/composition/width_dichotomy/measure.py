"""Ranks of the flattened target and of a random network, and a counting network that is run on all words."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.instruments.composition import two_layer_error, units_in_use
from depthjax.instruments.flattening import centred, flattening_rank
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask, isotypic_part
from depthjax.tasks.words import all_words
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.width_dichotomy.counting import counting_weights, last_unit_amplifies


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Ranks of two targets and of a random network; errors of the counting network, whole and without one unit."""
    task = CompositionTask(**given["task"])
    answers = np.arange(len(task.table))
    for _ in range(cell.length - 1):
        answers = task.table[answers]
    counting = counting_weights(task.codes, task.table, cell.length)
    fewer = dataclasses.replace(counting, out=counting.out.at[:, -1].set(0))
    words = _words(task, cell.length)
    amplified = last_unit_amplifies(len(task.table), cell.length)
    error, less = (_error(cell, task, network, words) for network in (counting, fewer))
    largest = float(np.abs(task.encoding).max())
    sizes = [np.abs(isotypic_part(_some_irreps(task, given["kept"]).encoding, *irrep)).max() for irrep in task.irreps]
    absent = int((np.array(sizes) < 1e-9 * largest).sum())
    return measured(
        absent=Quantity(absent, label="irreps that the second target lacks"),
        present=Quantity(len(sizes) - absent, label="irreps that the second target has"),
        rank=Quantity(_rank(task, answers, largest), label="rank of the flattened target"),
        rank_of_part=Quantity(_rank(_some_irreps(task, given["kept"]), answers, largest), label="the same in some irreps"),
        network_rank=Quantity(_network_rank(cell, key, task, cell.length), label="rank of a random network"),
        rank_of_next_degree=Quantity(_network_rank(cell, key, task, cell.length + 1), label="rank with z^(k+1)"),
        tried=Quantity(len(np.unique(words, axis=0)), label="words whose error is measured"),
        error=error,
        error_of_fewer=dataclasses.replace(less, floor=less.floor + amplified * error.floor),
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
        width=Quantity(units_in_use(counting), label="units of the counting network"),
        width_of_fewer=Quantity(units_in_use(fewer), label="units in use without the last"),
    )


def _some_irreps(task: CompositionTask, kept: np.ndarray) -> CompositionTask:
    """The task whose encoding has only those non-trivial irreps that are kept."""
    # "real" gives the half of a conjugate pair that belongs to one of the two
    parts = [isotypic_part(task.encoding, "real", irrep) for (_, irrep), one in zip(task.irreps, kept, strict=True) if one]
    return dataclasses.replace(task, encoding=np.sum(parts, axis=0))


def _rank(task: CompositionTask, answers: np.ndarray, largest: float) -> int:
    """The rank of the flattened target, whose roundings are those of the largest number before irreps were left out."""
    # each number is a sum over the group and over the entries of matrices, and loses its means
    rounding = rounding_floor(len(task.table) * (answers.ndim + 2), task.encoding.dtype, largest)
    return flattening_rank(centred(task.codes[answers]), float(rounding))


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


def _words(task: CompositionTask, length: int) -> np.ndarray:
    """All words, some of them many times, so that groups and lengths share a shape."""
    words = np.asarray(all_words(len(task.table), length))
    return np.resize(words, (common_size(len(words), 256, 4096, 20_000), length))


def _error(cell: Cell, task: CompositionTask, weights: TwoLayer, words: np.ndarray) -> Quantity:
    order, width = common_size(len(task.table), 5, 12), common_size(weights.width, 64, 400)
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), jnp.asarray(words))
    # every factor of a power brings the rounding of its sum
    return Quantity(float(error), floor=cell.length * float(floor), label="largest relative error")
