"""The plateaus that trained networks stand on, found in their losses alone: wide networks, and ones of a neuron or a few."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import random_isotypic
from depthjax.training.flow import Trajectory
from depthjax.verify import Cell, Quantity, measured
from experiments.composition._common import SLOTS
from experiments.composition._gradient_flow import flow
from experiments.composition.plateau_levels.stairs import typical_stairs


def measure(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """The plateaus of the typical seed: how many, at which loss, and how flat."""
    run = _run(cell, key, task, cell.neurons, cell.log_scale)
    shares, words = np.median(np.asarray(run.shares), axis=0), len(task["table"]) ** (cell.length + 1)
    rounding = rounding_floor(words * cell.neurons, np.dtype(np.float64), 10.0)  # of shares whose terms cancel
    return measured(
        **_plateaus(run, words * cell.neurons),
        needed=Quantity(int(_learned(np.arange(101) / 100).argmax()), label="hundredths of an irrep that count as learned"),
        degree=Quantity(
            _degree(cell, key, task), floor=rounding, label="degree of what is learned at the start in the weights"
        ),
        records=Quantity(run.losses.size, label="records of trained networks"),
        time=Quantity(np.asarray(run.times), "record"),
        loss=Quantity(np.asarray(run.losses), "seed record"),
        share=Quantity(shares[:, np.resize(range(shares.shape[1]), SLOTS)], "record irrep"),
    )


def few_neurons(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """The same with one neuron for each letter but one, so that most irreps have none."""
    run = _run(cell, key, task, cell.length - 1, cell.log_scale)
    return measured(**_plateaus(run, len(task["table"]) ** (cell.length + 1)))


def _run(cell: Cell, key: jax.Array, task: dict, neurons: int, log_scale: float, **sizes: Any) -> Trajectory:
    """The flows of all seeds, with coefficients that are drawn."""
    draw, key = jax.random.split(key)
    drawn = zip(jax.random.split(draw, len(task["irreps"])), task["irreps"], strict=True)
    table = task["table"]
    parts = np.stack([random_isotypic(k, kind, irrep, own)[table] for k, (kind, irrep, values) in drawn for own in values])
    return flow(cell, key, table, parts, log_scale, neurons=neurons, **sizes)


def _degree(cell: Cell, key: jax.Array, task: dict) -> float:
    """By how much the logarithm of what networks have learned at their start falls as that of their weights falls by one."""
    begun = [_run(cell, key, task, cell.neurons, scale, steps=1, horizon=0.0).shares[:, 0] for scale in (1.0, 2.0)]
    first, second = (np.log(np.square(np.asarray(shares)).mean()) / 2 for shares in begun)
    return float(first - second)


def _learned(shares: np.ndarray) -> np.ndarray:
    """Which shares of an irrep count as learned."""
    return np.asarray(shares > 0.5)


def _plateaus(run: Trajectory, operations: int) -> dict[str, Quantity]:
    levels, falls, _ = typical_stairs(np.asarray(run.times), np.asarray(run.losses))
    floor, slots = rounding_floor(operations, levels.dtype, float(levels.max())), SLOTS + 1
    return {
        "plateaus": Quantity(levels.size, floor=0.0, label="plateaus of the typical seed"),
        "level": Quantity(np.resize(levels, slots), "plateau", floor=floor, sampling=np.resize(falls, slots), label="loss"),
        "complete": Quantity(np.asarray(_learned(run.shares[:, -1]).all(axis=1)), "seed", label="all irreps learned"),  # type: ignore[arg-type]
    }
