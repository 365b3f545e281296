"""Predictors of hidden Markov models by enumeration of the joint law, and the directions in which none changes."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import hidden_markov as markov
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, models: dict) -> xr.Dataset:
    """Predictors by enumeration of the joint law; flat directions by the singular values of their derivatives."""
    slopes = markov.slopes(*models["model"])

    def flat(*names: str) -> int:
        return markov.flat_directions(*(slopes[name] for name in names))[0]

    angle, spread = markov.first_negative_angle(*models["model"]) if cell.states > 2 else (np.nan, np.nan)
    return measured(
        **_gaps(models["model"], models["turned"]),
        pair_freedom=Quantity(flat(*markov.PAIRS), label="directions that pairs do not see"),
        adjacent_freedom=Quantity(flat("2|1", "1|2"), label="directions that neighbouring pairs do not see"),
        triplet_freedom=Quantity(flat("23|1"), label="directions that one triplet predictor does not see"),
        allowed_angle=Quantity(angle, floor=spread, label="largest allowed angle", unit="radians"),
    )


def of_tilted(cell: Cell, key: jax.Array, models: dict) -> xr.Dataset:
    """The change of the pair predictors under a rotation that moves the ones vector, in place of one that fixes it."""
    return measured(pair_gap=_gaps(models["model"], models["tilted"])["pair_gap"])


def _gaps(model: tuple, other: tuple | None) -> dict[str, Quantity]:
    """Largest change of a predictor between the two models, and squares of the pair predictors of both."""
    pair, triplet, squares = np.nan, np.nan, np.full((2, len(markov.PAIRS)), np.nan)
    if other is not None:
        first, second = (markov.predictors(markov.joint_law(*one)) for one in (model, other))
        pairs, triplets = (
            np.array([[one[n] for n in names] for one in (first, second)]) for names in (markov.PAIRS, markov.TRIPLETS)
        )
        squares = np.square(pairs).sum(axis=(2, 3))
        pair, triplet = (abs(one - another).max() for one, another in (pairs, triplets))
    floor = rounding_floor(model[1].shape[0] ** 3, jnp.dtype(float))
    return {
        "pair_squares": Quantity(squares, "read predictor", floor=floor * squares, label="sum of squares of a pair predictor"),
        "pair_gap": Quantity(pair, floor=floor, label="largest change of a pair predictor"),
        "triplet_gap": Quantity(triplet, floor=floor, label="largest change of a triplet predictor"),
    }
