"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import contrast
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.contrastive_zigzag.common import _exponent

LIMIT = 500_000  # steps, after which a descent is given up


def measure(cell: Cell, key: jax.Array, pace: float = 1.0, loss: str | None = None) -> xr.Dataset:
    """Unit steps of descents from the noise to the level, counted.

    Args:
        cell: The loss and the distances.
        key: Not used, because nothing is drawn.
        pace: Factor of the length of a step; the level stays.
        loss: Another loss.
    """
    steps = np.array([_steps(cell, float(radius), pace, loss or cell.loss) for radius in cell.radii])
    return measured(
        radius=cell.radii,
        steps=Quantity(steps, "radius", floor=1.0, label="unit steps to the level"),
        exponent=Quantity(_exponent(cell, steps), floor=float(2 / steps.min()), label="exponent of R"),
    )


def _steps(cell: Cell, radius: float, pace: float, loss: str) -> float:
    far, length, limit = (jnp.asarray(value) for value in (radius, 1 / radius, float(LIMIT)))
    marks = jnp.array([1e-9])
    found = contrast.descend(far, pace * length, marks, length, limit, loss=loss, normalised=True, points=cell.points)
    return float(found.level_steps)


def longer(cell: Cell, key: jax.Array) -> xr.Dataset:
    return measure(cell, key, pace=1.25)[["steps", "steps_floor"]]


def other(cell: Cell, key: jax.Array) -> xr.Dataset:
    return measure(cell, key, loss="ence" if cell.loss == "nce" else "nce")
