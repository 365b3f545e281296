"""When gradient flows with random singular vectors start to learn each of two irreps."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import random_isotypic
from depthjax.training.flow import Trajectory, gradient_flow, jump_times
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.irrep_learning_order.common import HORIZON


def measure(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """When every seed has half of one path of either irrep's part of the target."""
    return _starts(cell, key, task, cell.log_scale)


def not_small(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """The same from an initialisation that is not small."""
    return _starts(cell, key, task, cell.large)


def _starts(cell: Cell, key: jax.Array, task: dict, log_scale: float) -> xr.Dataset:
    start, *draws = jax.random.split(key, 1 + cell.seeds)
    codes = np.stack([_codes(draw, task) for draw in draws])
    spans = jnp.asarray([log_scale, HORIZON[cell.group, cell.length]])
    shared = cell.replace(side=0, numbering=0)  # both sides of a tie share one program
    runs = _flows(jax.random.split(start, cell.seeds), jnp.asarray(codes), jnp.asarray(task["table"]), spans, shared)
    paths = np.array([matrices.shape[-1] ** (cell.length + 1) for _, matrices in task["irreps"]])
    times = jax.vmap(partial(jump_times, share=0.5 / paths))(runs)[:, 0]
    losses, ends = np.asarray(runs.losses)[:, 0], np.asarray(runs.times)[:, -1]
    rounding = rounding_floor(len(task["table"]) ** (cell.length + 1), losses.dtype, losses[:, 0])
    grown = np.log(np.sqrt(np.square(np.asarray(runs.shares)[:, 0, 0]).mean(axis=0)))
    return measured(
        time=Quantity(np.asarray(times), "seed irrep", label="time at which learning starts"),
        ends=Quantity(ends, "seed", floor=rounding_floor(2, ends.dtype, ends), label="time of the last record"),
        begins=Quantity(losses[:, 0], "seed", floor=rounding, label="loss at the first record"),
        records=Quantity(losses.shape, "size", label="networks and records"),
        degree=Quantity(
            -grown / cell.log_scale, "irrep", floor=1e-9, label="degree of what is learned at first in the weights"
        ),
    )


def _codes(key: jax.Array, task: dict) -> np.ndarray:
    """The codes of a random encoding, irrep by irrep."""
    parts = zip(jax.random.split(key), task["irreps"], task["singular_values"], strict=True)
    return np.stack([random_isotypic(key, kind, matrices, values)[task["table"]] for key, (kind, matrices), values in parts])


@partial(jax.jit, static_argnames="cell")
def _flows(keys: jax.Array, codes: jax.Array, table: jax.Array, spans: jax.Array, cell: Cell) -> Trajectory:
    """A gradient flow for every seed, each with its own encoding."""
    sizes = {"length": cell.length, "width": cell.width, "records": cell.records, "steps": cell.steps}
    return jax.vmap(
        lambda key, parts: gradient_flow(key, parts, table, log_scale=spans[0], horizon=spans[1], seeds=1, **sizes)
    )(keys, codes)
