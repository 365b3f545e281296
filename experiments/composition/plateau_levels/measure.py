"""What the claim measures."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import random_isotypic
from depthjax.training.flow import Trajectory
from depthjax.verify import Quantity, measured
from experiments.composition._alone import Sizes
from experiments.composition._alone import objects as objects
from experiments.composition._flows import SLOTS, flow
from experiments.composition.plateau_levels.stairs import typical_stairs


def measure(cell: Sizes, key: jax.Array, task: dict) -> xr.Dataset:
    """The plateaus of the typical seed: how many, at which loss, and how flat; the same where most irreps have no neurons."""
    draw, key = jax.random.split(key)
    drawn = zip(jax.random.split(draw, len(task["irreps"])), task["irreps"], strict=True)
    codes = [random_isotypic(k, kind, irrep, own)[task["table"]] for k, (kind, irrep, values) in drawn for own in values]
    given = {"table": task["table"], "parts": np.stack(codes)}
    run, few = flow(cell, key, given, cell.log_scale), flow(dataclasses.replace(cell, width=1), key, given, cell.log_scale)
    shares, words = np.median(np.asarray(run.shares), axis=0), len(task["table"]) ** (cell.length + 1)
    return measured(
        **_plateaus(run, words * cell.neurons),
        **{f"few_{name}": quantity for name, quantity in _plateaus(few, words).items()},
        time=Quantity(np.asarray(run.times), "record"),
        loss=Quantity(np.asarray(run.losses), "seed record"),
        share=Quantity(shares[:, np.resize(range(shares.shape[1]), SLOTS)], "record irrep"),
    )


def _plateaus(run: Trajectory, operations: int) -> dict[str, Quantity]:
    levels, falls, _ = typical_stairs(np.asarray(run.times), np.asarray(run.losses))
    floor, slots = rounding_floor(operations, levels.dtype, float(levels.max())), SLOTS + 1
    return {
        "plateaus": Quantity(levels.size, floor=0.0, label="plateaus of the typical seed"),
        "level": Quantity(np.resize(levels, slots), "plateau", floor=floor, sampling=np.resize(falls, slots), label="loss"),
        "complete": Quantity(np.asarray((run.shares[:, -1] > 0.5).all(axis=1)), "seed", label="all irreps learned"),
    }
