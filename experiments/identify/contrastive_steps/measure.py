"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import contrast
from depthjax.verify import (
    Cell,
    Quantity,
    measured,
)
from experiments.identify.contrastive_steps.common import END, START

FACTORS = np.log(START / END)


def measure(cell: Cell, key: jax.Array, pace: float = 1.0, unit: float = 1.0) -> xr.Dataset:
    """Both descents, counted; a whole step is the resolution of a count.

    Args:
        cell: The loss and the distance.
        key: Not used, because nothing is drawn.
        pace: Factor of the step of plain descent.
        unit: Factor of the length of a unit step; the level stays.
    """
    position = -jnp.array([cell.radius, cell.radius**2 / 2])
    at_noise = contrast.curvature(position, jnp.asarray(cell.radius), cell.loss)[1] * np.exp(-(cell.radius**2) / 8)
    plain = _descent(cell, pace / float(np.linalg.eigvalsh(at_noise)[-1]))
    efold = float(plain.steps[1] - plain.steps[0]) / FACTORS
    level_steps = float(_descent(cell, unit * cell.unit, normalised=True).level_steps)
    return measured(
        efold=Quantity(efold, floor=1 / FACTORS, label="steps until the distance falls by e"),
        unit_steps=Quantity(min(level_steps, float(cell.most)), floor=0.0, label="unit steps to the level"),
    )


def _descent(cell: Cell, step: float, *, normalised: bool = False) -> contrast.Descent:
    marks = jnp.array([START, END])
    radius, pace, unit, limit = (jnp.asarray(value) for value in (cell.radius, step, cell.unit, float(cell.most)))
    return contrast.descend(radius, pace, marks, unit, limit, loss=cell.loss, normalised=normalised)


def longer_steps(cell: Cell, key: jax.Array) -> xr.Dataset:
    return measure(cell, key, pace=1.05)[["efold", "efold_floor"]]


def longer_unit_steps(cell: Cell, key: jax.Array) -> xr.Dataset:
    return measure(cell, key, unit=8.0)[["unit_steps", "unit_steps_floor"]]
