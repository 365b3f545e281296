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
    """The numbers of steps on both losses, and the exponent between the first and the last; nothing is drawn."""
    steps = _steps(cell, cell.loss)
    return measured(
        radius=cell.radii,
        steps=Quantity(steps, "radius", floor=1.0, label="unit steps to the level"),
        rounding=Quantity(_rounding(cell.radii), "radius", floor=2.0**-100, label="rounding of the noise across the ravine"),
        exponent=Quantity(exponent(cell.radii, steps), floor=float(2 / steps.min()), label="exponent of R"),
        steps_of_other=Quantity(_steps(cell, _other(cell)), "radius", floor=1.0, label="unit steps on the other loss"),
    )


def shorter(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Steps that are shorter by a fifth, to the level of before."""
    steps = _steps(cell, cell.loss, pace=0.8)
    return measured(radius=cell.radii, steps=Quantity(steps, "radius", floor=1.0))


def _rounding(radii: np.ndarray) -> np.ndarray:
    """A relative rounding of the second coordinate of the noise, -R^2/2, over the length of the gradient (-R/2, 1) of m."""
    return np.finfo(float).eps * np.abs(-(radii**2) / 2) / np.hypot(radii / 2, 1)


def _other(cell: Cell) -> str:
    return "ence" if cell.loss == "nce" else "nce"


def _steps(cell: Cell, loss: str, pace: float = 1.0) -> np.ndarray:
    """Steps on this loss at every distance, their length multiplied by the pace."""
    return np.array([_descent(cell, float(radius), pace, loss) for radius in cell.radii])


def _descent(cell: Cell, radius: float, pace: float, loss: str) -> float:
    far, length, limit = (jnp.asarray(value) for value in (radius, 1 / radius, float(LIMIT)))
    marks = jnp.array([1e-9])
    found = contrast.descend(far, pace * length, marks, length, limit, loss=loss, normalised=True, points=cell.points)
    return float(found.level_steps)
