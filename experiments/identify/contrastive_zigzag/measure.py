"""Unit gradient steps from the noise to the level, counted at every distance."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import contrast
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.contrastive_zigzag.common import exponent

LIMIT = 500_000  # steps, after which a descent is given up


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The numbers of steps, and the exponent between the first and the last; nothing is drawn."""
    return _descents(cell, cell.loss)


def longer(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Steps that are longer by a quarter, to the level of before."""
    return _descents(cell, cell.loss, pace=1.25)[["steps", "steps_floor"]]


def other(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Descents on the other loss."""
    return _descents(cell, "ence" if cell.loss == "nce" else "nce")


def _descents(cell: Cell, loss: str, pace: float = 1.0) -> xr.Dataset:
    """Steps on this loss, their length multiplied by the pace."""
    steps = np.array([_steps(cell, float(radius), pace, loss) for radius in cell.radii])
    return measured(
        radius=cell.radii,
        steps=Quantity(steps, "radius", floor=1.0, label="unit steps to the level"),
        exponent=Quantity(exponent(cell.radii, steps), floor=float(2 / steps.min()), label="exponent of R"),
    )


def _steps(cell: Cell, radius: float, pace: float, loss: str) -> float:
    far, length, limit = (jnp.asarray(value) for value in (radius, 1 / radius, float(LIMIT)))
    marks = jnp.array([1e-9])
    found = contrast.descend(far, pace * length, marks, length, limit, loss=loss, normalised=True, points=cell.points)
    return float(found.level_steps)
