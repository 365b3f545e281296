"""Residual stacks that are trained on fresh samples, all placements and depths in one program; accuracy at the end."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.trained import watched
from depthjax.training import Learner, Recipe, Streams, trials, where_trained
from depthjax.training.losses import class_loss
from depthjax.verify import Cell, Quantity, measured
from experiments.width.sixty_layers_train.common import Stack
from experiments.width.sixty_layers_train.residual import init_residual_stack, residual_logits

ACCURACY = 0.8  # that counts as trained; chance is 0.5


LATE = 4  # of twenty records, whose fresh batches are the test


class Setup(NamedTuple):
    """What shapes the program of a run; stacks are data, so that all share it."""

    width: int
    inputs: int
    batch: int
    steps: int
    rate: float
    deepest: int


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """All stacks and seeds in one program."""
    return _trained(cell, key, [Stack(*stack) for stack in cell.stacks])


def admin_upside_down(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The largest depth with the inverse weights 1/sqrt(l + 1) in place of those of ADMIN."""
    return _trained(cell, key, [Stack("inverted", cell.depth)])[["trains"]]


def _trained(cell: Cell, key: jax.Array, stacks: list[Stack]) -> xr.Dataset:
    weights = np.stack([_weights(stack, cell.deepest) for stack in stacks]).astype("float32")
    before = np.array([stack.norm == "pre" for stack in stacks])
    setup = Setup(**{name: getattr(cell, name) for name in Setup._fields})
    done = trials(_network, setup, jax.random.split(key, cell.seeds), (weights, before))
    (losses, accuracy), facts = done.found
    score = done.finite(accuracy)[:, :, -LATE:].mean(axis=2)
    trained = {
        name: Quantity(values, "stack seed", floor=floor, label=label)
        for name, (values, floor, label) in done.finite(facts).named().items()
    }
    return measured(
        stack=[stack.name for stack in stacks],
        trains=Quantity(where_trained(score >= ACCURACY, score), "stack seed", label="seeds that train"),
        accuracy=Quantity(score, "stack seed", label="accuracy on fresh samples"),
        losses=Quantity(losses, "stack seed record", label="training loss"),
        **trained,
    )


def _weights(stack: Stack, deepest: int) -> np.ndarray:
    """The weight of the stream in every layer: sqrt(l + 1) for ADMIN; 0 where the stack has no layer."""
    layer = np.arange(1.0, deepest + 1)
    weights = {"admin": layer**0.5, "inverted": layer**-0.5}.get(stack.norm, np.full(deepest, stack.square**0.5))
    return np.where(layer <= stack.depth, weights, 0.0)


def _network(cell: Setup, own: Streams, stream: jax.Array, norm: jax.Array) -> Learner:
    every, dtype = cell.steps // 20, jnp.dtype("float32")
    recipe = Recipe(steps=cell.steps, learning_rate=cell.rate, schedule="constant", weight_decay=0.0, record_every=every)

    def sample(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jax.random.normal(key, (cell.batch, cell.inputs), dtype)
        return x, (x[:, 0] * x[:, 1] > 0).astype(int)

    sizes = {"inputs": cell.inputs, "width": cell.width, "depth": cell.deepest, "classes": 2}
    start = init_residual_stack(own.initial, **sizes, dtype=dtype)
    loss = class_loss(lambda params, x: residual_logits(params, x, stream, norm))
    learner = Learner(start, loss, sample, recipe, lambda found: (found.losses, found.metrics["accuracy"]))
    return watched(learner, lambda params: (params.first, params.second))
