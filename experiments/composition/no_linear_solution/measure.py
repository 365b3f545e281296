"""What affine maps, and sums of functions of all letters but one, leave of a product, by least squares over all words."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.instruments.linear import affine_loss, losses_by_letters
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Least squares over all words, and what sums of functions of k - 1 letters leave; the same for the sum of the codes."""
    task = CompositionTask(**given)
    words = _all_words(cell, task)
    products = task.codes[functools.reduce(lambda g, h: task.table[g, h], words.T)]
    sums = _losses(cell, task, words, task.codes[words].sum(axis=1))
    return measured(
        **_losses(cell, task, words, products),
        **{f"{name}_of_sum": loss for name, loss in sums.items()},
        commuting=Quantity(int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"),
    )


def few_letters(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same for words over the first half of the elements: given all letters but one their product is not uniform."""
    task = CompositionTask(**given)
    words = np.indices((len(task.table) // 2 + 1,) * cell.length).reshape(cell.length, -1).T
    products = task.codes[functools.reduce(lambda g, h: task.table[g, h], words.T)]
    return measured(**_losses(cell, task, words, products))


def _all_words(cell: Cell, task: CompositionTask) -> np.ndarray:
    return np.indices((len(task.table),) * cell.length).reshape(cell.length, -1).T


def _losses(cell: Cell, task: CompositionTask, words: np.ndarray, targets: np.ndarray) -> dict[str, Quantity]:
    inputs = task.codes[words].reshape(len(words), -1)
    power = float(0.5 * (targets**2).sum() / len(targets))
    # an orthogonal projection: one inner product over the words for each feature
    floor = rounding_floor(len(inputs) + inputs.shape[1], inputs.dtype, power)
    by_letters = losses_by_letters(targets.reshape((1 + words.max(),) * cell.length + (-1,)))
    order = common_size(len(task.table), 10, 18, 24)
    rows = order**cell.length - len(words)  # cells of one shape share their program
    inputs = np.pad(inputs, ((0, rows), (0, order * cell.length - inputs.shape[1])))
    targets = np.pad(targets, ((0, rows), (0, order - targets.shape[1])))
    loss = float(affine_loss(jnp.asarray(inputs), jnp.asarray(targets), len(words)))
    return {
        "loss": Quantity(loss, floor=floor, label="loss of the best affine map"),
        "constant": Quantity(float(by_letters[0]), floor=floor, label="loss of the best constant"),
        "partial": Quantity(float(by_letters[-2]), floor=floor, label="loss of the best functions of all letters but one"),
    }
