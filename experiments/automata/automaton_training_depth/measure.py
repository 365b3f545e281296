"""Errors of transformers of one depth that are trained to follow three automata."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.state_tracking import TrackedAutomaton, TrackingSetup, accuracy_and_facts
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.automaton_training_depth.common import LADDER


def measure(cell: Cell, key: jax.Array, tables: dict) -> xr.Dataset:
    """Errors of every automaton and seed."""
    return _measured(cell, key, tables, permuted=False)


def _measured(cell: Cell, key: jax.Array, tables: dict, permuted: bool) -> xr.Dataset:
    """The same; with permuted labels the walk is trained on states that belong to other words."""
    number = len(tables)
    law = jnp.full((number, 3), 1 / 3, jnp.float32)
    other = jnp.asarray([permuted and name == LADDER[0] for name in tables])
    task = TrackedAutomaton(jnp.asarray(np.stack([*tables.values()]), jnp.int32), law, law, law[:, None], other)
    setup = TrackingSetup(
        "transformer", 3, 5, cell.length, cell.deepest, cell.width, cell.batch, cell.steps, cell.rate, cell.words
    )
    found, facts = accuracy_and_facts(key, task, setup, cell.seeds, jnp.asarray(cell.depth))
    right, constant = (np.asarray(part)[:, :, 0].mean(axis=-1) for part in found)  # (automaton, seed)
    errors = (1 - right) / (1 - constant)
    beside = {
        f"error_beside_{name}": Quantity(errors[[0, place]], "pair seed", label=f"error beside {name} (1: constant answers)")
        for place, name in enumerate(LADDER[1:], 1)
    }
    trained = {
        name: Quantity(values, "automaton seed", floor=floor, label=label)
        for name, (values, floor, label) in facts.named().items()
    }
    return measured(
        **beside,
        **trained,
        accuracy=Quantity(right, "automaton seed", label="accuracy"),
        letters=Quantity(cell.length, label="letters of a word"),
        automaton=list(LADDER),
    )


def permuted(cell: Cell, key: jax.Array, tables: dict) -> xr.Dataset:
    """Networks that are trained on the walk with states that belong to other words, and on the groups as they are."""
    return _measured(cell, key, tables, permuted=True)[[f"error_beside_{name}" for name in LADDER[1:]]]
