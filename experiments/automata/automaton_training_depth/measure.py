"""Errors of transformers of one depth that are trained to follow three automata."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.state_tracking import TrackedAutomaton, TrackingSetup, accuracy
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.automaton_training_depth.common import LADDER


def measure(cell: Cell, key: jax.Array, tables: dict) -> xr.Dataset:
    """Errors of every automaton and seed; those of the walk also from labels that belong to other words."""
    number = len(tables)
    padded = np.stack([*tables.values(), tables[LADDER[0]]])
    law = jnp.full((number + 1, 3), 1 / 3, jnp.float32)
    task = TrackedAutomaton(jnp.asarray(padded, jnp.int32), law, law, law[:, None], jnp.arange(number + 1) == number)
    setup = TrackingSetup(
        "transformer", 3, 5, cell.length, cell.deepest, cell.width, cell.batch, cell.steps, cell.rate, cell.words
    )
    found = accuracy(key, task, setup, cell.seeds, jnp.asarray(cell.depth))
    right, constant = (np.asarray(part)[:, :, 0].mean(axis=-1) for part in found)  # (automaton, seed)
    error = (1 - right) / (1 - constant)
    return measured(
        error=Quantity(error[:number], "automaton seed", label="error (1: constant answers)"),
        error_permuted=Quantity(error[[number, 1, 2]], "automaton seed", label="error, the walk with permuted labels"),
        accuracy=Quantity(right[:number], "automaton seed", label="accuracy"),
        letters=Quantity(cell.length, label="letters of a word"),
        automaton=list(LADDER),
    )
