"""Errors of a softmax head that answers with the label of the nearest key: searched, random and extremal contexts."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.nearest_neighbour_in_context.nearest import contexts, nearest_head, threshold, worst_errors


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Largest errors of searched and random contexts, errors of the extremal one, and the beta at which it errs by half."""
    searched, drawn, reverse = jax.random.split(key, 3)
    floor = _floor(cell)

    def errors(key: jax.Array, margin: float) -> np.ndarray:
        keys, labels, query = contexts(key, cell.context, cell.dimension, cell.count, margin)
        return np.asarray(jnp.abs(nearest_head(keys, labels, query, cell.beta) - 1))

    def half(right: int, label: str) -> Quantity:
        return Quantity(threshold(cell.context, right, cell.margin), floor=floor * 10 / cell.margin, label=label)

    return measured(
        worst=_worst(cell, searched, cell.beta),
        random=Quantity(errors(drawn, cell.margin).max(), floor=floor, label="largest error of random contexts"),
        random_reversed=Quantity(errors(drawn, -cell.margin).max(), floor=floor, label="the same with the other sign"),
        other_sign=Quantity(errors(reverse, -cell.margin).min(), floor=floor, label="least error with the other sign"),
        other_sign_reversed=Quantity(errors(reverse, cell.margin).min(), floor=floor, label="the same with this sign"),
        extremal=_extremal(cell, cell.margin),
        threshold=half(1, "beta at which the extremal context errs by half"),
        threshold_of_two=half(2, "the same with two keys of the right label"),
    )


def _floor(cell: Cell) -> float:
    return float(rounding_floor(4 * cell.context + cell.sharpness * 100, np.dtype(float), 1.0))


def _worst(cell: Cell, key: jax.Array, beta: float) -> Quantity:
    errors = worst_errors(key, cell.context, cell.dimension, cell.count, cell.margin, beta, cell.steps)
    return Quantity(errors.max(), floor=_floor(cell), label="largest error of contexts made worse by ascent")


def _extremal(cell: Cell, margin: float) -> Quantity:
    """The error where all other keys lie on a circle, as near as the margin allows, with the other label."""
    angles = np.linspace(0, 2 * np.pi, cell.context - 1, endpoint=False)
    circle = (1 + margin) ** 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    keys, labels = np.concatenate([[[0.0, 1.0]], circle]), (np.arange(cell.context) == 0).astype(float)
    error = float(1 - nearest_head(jnp.asarray(keys), jnp.asarray(labels), jnp.zeros(2), cell.beta))
    return Quantity(error, floor=_floor(cell), label="error of the extremal context")


def half_of_beta(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The largest error of contexts that are made worse for a head of half the inverse temperature."""
    return measured(worst=_worst(cell, jax.random.split(key, 3)[0], cell.beta / 2))


def equal_distances(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The error of the extremal context without a margin."""
    return measured(extremal=_extremal(cell, 0.0))
