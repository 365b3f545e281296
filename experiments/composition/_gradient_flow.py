"""The gradient flow that the claims on learning measure: all seeds of a cell in one program."""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.training.flow import Trajectory, gradient_flow
from depthjax.verify import Cell


def flow(
    cell: Cell,
    key: jax.Array,
    table: np.ndarray,
    parts: np.ndarray,
    log_scale: float,
    *,
    neurons: int | None = None,
    steps: int | None = None,
    horizon: float | None = None,
) -> Trajectory:
    """The gradient flow of all seeds, from an initialisation of this scale.

    Args:
        cell: The cell of a grid of `Flows`.
        key: Key of all initial weights.
        table: The Cayley table.
        parts: Codes of encodings that add up to that of the task, shape (parts, order, order).
        log_scale: log(1/alpha).
        neurons: Width of the network, by default the cell's.
        steps: Steps between two records, by default the cell's.
        horizon: Simulated time, by default the cell's.
    """
    return gradient_flow(
        key,
        jnp.asarray(parts),
        jnp.asarray(table),
        length=cell.length,
        width=cell.neurons if neurons is None else neurons,
        log_scale=jnp.asarray(log_scale),
        horizon=jnp.asarray(cell.spacing * cell.records if horizon is None else horizon),
        seeds=cell.seeds,
        records=cell.records,
        steps=cell.steps if steps is None else steps,
    )
