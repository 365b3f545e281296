"""Accuracies of networks that are trained on the parity of words of one law and tested on others."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.state_tracking import (
    TrackedAutomaton,
    TrackingSetup,
    accuracy_and_facts,
    better_than_constant,
    halfway,
)
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.parity_shift.common import laws, shifted

FEW = 3  # steps of training: after 12 some networks have the parity of words with few ones

RARE = 1e-5  # how often an average of independent words passes its bound (McDiarmid 1989)


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """For every law of training, law of testing and seed: whether the accuracy is closer to 1 than to the constant answers'."""
    return _measured(cell, key, table, cell.steps)


def _measured(cell: Cell, key: jax.Array, table: np.ndarray, steps: int) -> xr.Dataset:
    def law(p: float) -> list[float]:
        return [1 - p, p]

    trained = laws(cell.rare)
    weights = jnp.array([law(p) for p in trained], jnp.float32)
    tests = jnp.array([[law(p), *map(law, shifted(cell.frequent))] for p in trained], jnp.float32)
    tables = jnp.broadcast_to(jnp.asarray(table, jnp.int32), (len(trained), *table.shape))
    task = TrackedAutomaton(tables, weights, weights, tests, jnp.zeros(len(trained), bool))
    kind, depth = ("lstm", 1) if cell.kind == "lstm" else ("transformer", cell.depth)
    scratchpad = cell.recent if cell.kind == "scratchpad" else 0
    setup = TrackingSetup(kind, 2, 2, cell.length, depth, cell.width, steps=steps, test=cell.words, scratchpad=scratchpad)
    found, facts = accuracy_and_facts(key, task, setup, cell.seeds)
    right, constant = (np.asarray(part).mean(axis=-1) for part in found)
    kept = np.moveaxis(where_trained(better_than_constant(right, constant), right), 1, 2)  # (laws, tests, seeds)
    return measured(
        kept=Quantity(kept, "law tested seed", label="closer to perfect than to constant answers"),
        kept_unshifted=Quantity(np.repeat(kept[:, :1], kept.shape[1], axis=1), "law tested seed", label="without a shift"),
        accuracy=Quantity(np.moveaxis(right, 1, 2), "law tested seed", label="accuracy"),
        yardstick=Quantity(
            halfway(constant).mean(axis=1),
            "law tested",
            floor=1e-5,
            sampling=math.sqrt(math.log(2 / RARE) / (8 * cell.words * cell.seeds)),  # one word moves it by half its share
            rate=RARE,
            label="accuracy that is halfway to perfection",
        ),
        laws=Quantity(
            np.concatenate([task.first[:, None], task.law[:, None], task.tests], axis=1),
            "law use letter",
            floor=float(np.finfo(np.float32).eps),  # probabilities are rounded once
            label="probability of a letter",
        ),
        asked=Quantity(
            [right.shape[1], _words(np.asarray(found.constant)), np.shape(found.right)[-1]],
            "size",
            label="networks of a law, words of a test and letters of a word",
        ),
        **{
            name: Quantity(values, "law seed", floor=floor, label=label)
            for name, (values, floor, label) in facts.named().items()
        },
        law=list(trained),
        tested=["as trained", *map(str, shifted(cell.frequent))],
    )


def _words(shares: np.ndarray) -> int:
    """How many words were tested: the least number of which all shares are whole parts; powers of two are exact in floats."""
    return max(Fraction(float(share)).denominator for share in shares.ravel())


def hardly_trained(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Networks that are trained for a few steps."""
    return _measured(cell, key, table, FEW)
