"""One explicit hidden layer, run on all words or many: its error, and the units that are missed when switched off."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.constructions.composition.paths import two_layer_weights
from depthjax.instruments.composition import (
    letters_said,
    two_layer_error,
    units_in_use,
    units_needed,
    units_without_last_irrep,
)
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.tasks.composition import CompositionTask, products
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured

SOME = 256  # words on which units are switched off
IDLE = 2  # units that no word needs


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The largest error over the words, relative to the largest entry of a code, and the units that are missed."""
    task = CompositionTask(**given)
    weights, words = two_layer_weights(task.encoding, task.irreps, cell.length), _some(cell, key, task)
    said, tried = letters_said(weights, task.codes, words), np.asarray(_words(cell, key, task))
    return _of_whole_network(cell, key, task).merge(
        measured(
            units=Quantity(units_in_use(weights), label="units in use"),
            units_of_fewer=Quantity(units_in_use(_without_last(weights)), label="units in use without the last"),
            units_without_last=Quantity(
                units_without_last_irrep(task, partial(two_layer_weights, length=cell.length)),
                label="units in use without the last irrep",
            ),
            # random words may come twice, and all words of a length may not
            tried=Quantity(
                len(tried if _random(cell, task) else np.unique(tried, axis=0)), label="words whose error is measured"
            ),
            right=Quantity(
                int((said == np.asarray(products(task.table, words))).sum()),  # type: ignore[arg-type]
                label="words said right where units are switched off",
            ),
            right_backwards=_right_backwards(cell, task),
        )
    )


def one_irrep_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The error and the units of the network for all irreps but the last, on the codes that are left."""
    return _of_whole_network(cell, key, CompositionTask(**given).without_last_irrep())


def one_unit_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The error of the network without its last unit, and its units."""
    task = CompositionTask(**given)
    fewer = _without_last(two_layer_weights(task.encoding, task.irreps, cell.length))
    return measured(error=_error(cell, key, task, fewer), units=Quantity(units_in_use(fewer), label="units in use"))


def _without_last(weights: TwoLayer) -> TwoLayer:
    return TwoLayer(*(jnp.asarray(np.asarray(block)[..., :-1]) for block in (weights.inputs, weights.out)))


def _of_whole_network(cell: Cell, key: jax.Array, task: CompositionTask) -> xr.Dataset:
    weights = two_layer_weights(task.encoding, task.irreps, cell.length)
    error = _error(cell, key, task, weights)
    words = _some(cell, key, task)
    needed, beside_idle = (
        units_needed(network, task.codes, task.table, words, float(error.floor)) for network in (weights, _with_idle(weights))
    )
    return measured(
        error=error,
        needed=Quantity(needed, label="units that are missed when they are switched off"),
        needed_beside_idle=Quantity(beside_idle, label="the same beside idle units"),
    )


def _right_backwards(cell: Cell, task: CompositionTask) -> Quantity:
    """Pairs, followed by the identity, of which the network says the product in the other order."""
    letters = len(task.table)
    words = np.indices((letters, letters)).reshape(2, -1)
    words = np.concatenate([words, np.zeros((cell.length - 2, letters**2), words.dtype)]).T
    said = letters_said(two_layer_weights(task.encoding, task.irreps, cell.length), task.codes, words)
    return Quantity(int((said == task.table.T[tuple(words[:, :2].T)]).sum()), label="pairs said in the other order too")


def _with_idle(weights: TwoLayer) -> TwoLayer:
    """The network with two more units that read the sum of a code, which is zero, and write to every output."""
    ones = [jnp.ones((*block.shape[:-1], IDLE), block.dtype) for block in (weights.inputs, weights.out)]
    inputs, out = (jnp.concatenate(pair, axis=-1) for pair in zip((weights.inputs, weights.out), ones, strict=True))
    return TwoLayer(inputs, out)


def _some(cell: Cell, key: jax.Array, task: CompositionTask) -> np.ndarray:
    """The words on which units are switched off."""
    return np.asarray(uniform_words(key, len(task.table), SOME, cell.length))


def _random(cell: Cell, task: CompositionTask) -> bool:
    """Whether all words are too many."""
    return len(task.table) ** cell.length > cell.words


def _words(cell: Cell, key: jax.Array, task: CompositionTask) -> jax.Array:
    """The words whose error is measured: all of them, some many times, or random ones."""
    letters = len(task.table)
    if _random(cell, task):
        return uniform_words(key, letters, cell.words, cell.length)
    words = np.indices((letters,) * cell.length).reshape(cell.length, -1).T
    return jnp.asarray(np.resize(words, (cell.words, cell.length)))


def _error(cell: Cell, key: jax.Array, task: CompositionTask, weights: TwoLayer) -> Quantity:
    letters, words = len(task.table), _words(cell, key, task)
    # each length has one program, but short words of the smaller groups have their own
    order, width = common_size(letters, 24, 60), common_size(weights.width, *([128] if cell.length == 2 else []), 768)
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), words)
    return Quantity(float(error), floor=float(floor), label="largest relative error")
