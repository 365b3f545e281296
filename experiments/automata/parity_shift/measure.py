"""Accuracies of networks that are trained on the parity of words of one law and tested on others."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.state_tracking import TrackedAutomaton, TrackingSetup, accuracy, better_than_constant
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.parity_shift.common import LAWS, SHIFTED


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """For every law of training, law of testing and seed: whether the accuracy is closer to 1 than to the constant answers'."""

    def law(p: float) -> list[float]:
        return [1 - p, p]

    laws = jnp.array([law(p) for p in LAWS], jnp.float32)
    tests = jnp.array([[law(p), *map(law, SHIFTED)] for p in LAWS], jnp.float32)
    tables = jnp.broadcast_to(jnp.asarray(table, jnp.int32), (len(LAWS), *table.shape))
    task = TrackedAutomaton(tables, laws, laws, tests, jnp.zeros(len(LAWS), bool))
    kind, depth = ("lstm", 1) if cell.kind == "lstm" else ("transformer", cell.depth)
    scratchpad = cell.recent if cell.kind == "scratchpad" else 0
    setup = TrackingSetup(kind, 2, 2, cell.length, depth, cell.width, steps=cell.steps, test=cell.words, scratchpad=scratchpad)
    right, constant = (np.asarray(part).mean(axis=-1) for part in accuracy(key, task, setup, cell.seeds))
    kept = np.moveaxis(where_trained(better_than_constant(right, constant), right), 1, 2)  # (laws, tests, seeds)
    return measured(
        kept=Quantity(kept, "law tested seed", label="closer to perfect than to constant answers"),
        kept_unshifted=Quantity(np.repeat(kept[:, :1], kept.shape[1], axis=1), "law tested seed", label="without a shift"),
        accuracy=Quantity(np.moveaxis(right, 1, 2), "law tested seed", label="accuracy"),
        law=list(LAWS),
        tested=["as trained", *map(str, SHIFTED)],
    )
