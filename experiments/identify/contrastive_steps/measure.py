"""Steps that plain descent takes for a factor e near the optimum, and unit steps from the noise to the level, counted."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import contrast
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.contrastive_steps.common import END, START

FACTORS = np.log(START / END)


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Both descents, counted, and plain descent by steps that are longer by a twentieth; nothing is drawn."""
    steps = _unit(cell)
    return measured(
        efold=_plain(cell),
        efold_longer=_plain(cell, 1.05),
        unit_steps=steps,
        walked=dataclasses.replace(steps, label="unit steps, which are as many as the way is long"),
    )


def longer_unit_steps(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Unit steps of eight times the length, to the level of before."""
    return measured(unit_steps=_unit(cell, 8.0))


def _plain(cell: Cell, pace: float = 1.0) -> Quantity:
    """Plain descent, its step multiplied by this factor; a whole step is the resolution of a count."""
    position = -jnp.array([cell.radius, cell.radius**2 / 2])
    at_noise = contrast.curvature(position, jnp.asarray(cell.radius), cell.loss)[1] * np.exp(-(cell.radius**2) / 8)
    plain = _descent(cell, pace / float(np.linalg.eigvalsh(at_noise)[-1]))
    efold = float(plain.steps[1] - plain.steps[0]) / FACTORS
    return Quantity(efold, floor=1 / FACTORS, label="steps until the distance falls by e")


def _unit(cell: Cell, factor: float = 1.0) -> Quantity:
    """Unit steps, their length multiplied by this factor."""
    steps = float(_descent(cell, factor * cell.unit, normalised=True).level_steps)
    return Quantity(min(steps, float(cell.most)), floor=0.0, label="unit steps to the level")


def _descent(cell: Cell, step: float, *, normalised: bool = False) -> contrast.Descent:
    marks = jnp.array([START, END])
    radius, pace, unit, limit = (jnp.asarray(value) for value in (cell.radius, step, cell.unit, float(cell.most)))
    return contrast.descend(radius, pace, marks, unit, limit, loss=cell.loss, normalised=normalised)
