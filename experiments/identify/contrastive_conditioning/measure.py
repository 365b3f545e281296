"""Hessians of both losses by automatic differentiation, and their condition numbers, at many distances."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import contrast
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

ELSEWHERE = 0.0625  # of the way from the optimum to the noise, or back


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Hessians at the optimum and at the noise, and a sixteenth of the way to the other; nothing is drawn."""
    elsewhere = _hessians_at(cell, ELSEWHERE)
    found = {f"{name}_elsewhere": elsewhere[name] for name in ("condition", "inverse_condition", "at_noise")}
    return measured(**_hessians_at(cell, 0.0), **found)


def _hessians_at(cell: Cell, place: float) -> dict[str, Quantity]:
    """The measurement at a place: how far from the optimum, and from the noise, towards the other, as a share of the way."""
    near, near_error = _condition_numbers(cell.near, cell.loss, place)
    far, far_error = _condition_numbers(cell.far, cell.loss, place)
    noise = [np.exp(-(r**2) / 8) * _hessian(r, 1 - place, cell.loss) for r in cell.at_noise]
    # exponents of R |u| up to R^2 are rounded
    lost = rounding_floor(4096, jnp.dtype(float), 1 + cell.at_noise**2)
    return {
        "radius": Quantity(cell.near, "radius", label="R"),
        "near": Quantity(cell.at_noise, "near", label="R"),
        "step": Quantity(1 / cell.far, "step", label="1/R"),
        "condition": Quantity(near, "radius", floor=near * near_error, label="condition number at the optimum"),
        "inverse_condition": Quantity(1 / far, "step", floor=far_error / far, label="1 / condition number at the optimum"),
        "farthest": Quantity(far[-1], floor=far[-1] * far_error[-1], label="condition number at the farthest distance"),
        "at_noise": Quantity(np.array(noise), "near row column", floor=lost[:, None, None], label="Hessian at the noise"),
    }


def _hessian(radius: float, place: float, loss: str) -> np.ndarray:
    """The scaled loss's Hessian at a share of the way from the optimum to the noise."""
    position = -place * jnp.array([radius, radius**2 / 2])
    return np.asarray(contrast.curvature(position, jnp.asarray(radius), loss)[1])


def _condition_numbers(radii: np.ndarray, loss: str, place: float) -> tuple[np.ndarray, np.ndarray]:
    """Condition numbers at a place, and their relative rounding errors."""
    hessians = [_hessian(radius, place, loss) for radius in radii]
    values, amplified = np.array([contrast.condition_number(jnp.asarray(hessian)) for hessian in hessians]).T
    return values, amplified * rounding_floor(4096, hessians[0].dtype)
