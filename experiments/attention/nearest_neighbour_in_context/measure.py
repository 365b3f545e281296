"""Errors of a softmax head that answers with the label of the nearest key: searched, random and extremal contexts."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.nearest_neighbour_in_context.nearest import contexts, nearest_head, threshold, worst_errors

MANY = 3000  # keys of a context whose error is known without a search
QUERY = np.array([0.6, -0.8])  # of the extremal context: not zero, so that products of query and keys count


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Largest errors of searched and random contexts, errors of the extremal one, and the beta at which it errs by half."""
    searched, drawn, reverse = jax.random.split(key, 3)
    floor = _floor(cell)

    def errors(key: jax.Array, margin: float) -> np.ndarray:
        keys, labels, query = contexts(key, cell.context, cell.dimension, cell.count, margin)
        return np.asarray(jnp.abs(nearest_head(keys, labels, query, cell.beta) - 1))

    def half(context: int, right: int, label: str) -> Quantity:
        return Quantity(threshold(context, right, cell.margin), floor=floor * 10 / cell.margin, label=label)

    random, random_reversed, other_sign, other_sign_reversed = (
        errors(way, sign * cell.margin) for way, sign in ((drawn, 1), (drawn, -1), (reverse, -1), (reverse, 1))
    )
    (worst, tried), (worst_of_half, _) = (_worst(cell, searched, beta) for beta in (cell.beta, cell.beta / 2))
    return measured(
        worst=worst,
        worst_of_half=worst_of_half,
        tried=tried,
        random=Quantity(random, "sample", floor=floor, label="errors of random contexts"),
        random_reversed=Quantity(random_reversed, "sample", floor=floor, label="the same with the other sign"),
        other_sign=Quantity(other_sign, "sample", floor=floor, label="errors with the other sign"),
        other_sign_reversed=Quantity(other_sign_reversed, "sample", floor=floor, label="the same with this sign"),
        turned=_turned(cell, np.stack([random, other_sign_reversed]), np.stack([random_reversed, other_sign])),
        extremal=_extremal(cell, cell.context, cell.margin),
        extremal_of_many=_extremal(cell, MANY, cell.margin),
        extremal_of_ties=_extremal(cell, cell.context, 0.0),
        threshold=half(cell.context, 1, "beta at which the extremal context errs by half"),
        threshold_of_many=half(MANY, 1, f"the same with {MANY} keys"),
        threshold_of_two=half(cell.context, 2, "the same with two keys of the right label"),
    )


def _floor(cell: Cell) -> float:
    return float(rounding_floor(4 * max(cell.context, MANY) + cell.sharpness * 100, np.dtype(float), 1.0))


def _turned(cell: Cell, errors: np.ndarray, turned: np.ndarray) -> Quantity:
    """How the log odds of errors grow if the margin of the same contexts turns its sign."""
    odds, moved = zip(*((np.log(e) - np.log1p(-e), 1 / (e * (1 - e))) for e in (errors, turned)), strict=True)
    floor = _floor(cell) * sum(moved)
    return Quantity(odds[1] - odds[0], "sign sample", floor=floor, label="growth of the log odds of errors with the sign")


def _worst(cell: Cell, key: jax.Array, beta: float) -> tuple[Quantity, Quantity]:
    errors = worst_errors(key, cell.context, cell.dimension, cell.count, cell.margin, beta, cell.steps)
    largest = Quantity(errors.max(), floor=_floor(cell), label="largest error of contexts made worse by ascent")
    return largest, Quantity(len(errors), label="contexts made worse")


def _extremal(cell: Cell, context: int, margin: float) -> Quantity:
    """The error where all other keys lie on a circle about the query, as near as the margin allows, with the other label."""
    angles = np.linspace(0, 2 * np.pi, context - 1, endpoint=False)
    circle = (1 + margin) ** 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    keys, labels = np.concatenate([[[0.0, 1.0]], circle]) + QUERY, (np.arange(context) == 0).astype(float)
    error = float(1 - nearest_head(jnp.asarray(keys), jnp.asarray(labels), jnp.asarray(QUERY), cell.beta))
    return Quantity(error, floor=_floor(cell), label="error of the extremal context")
