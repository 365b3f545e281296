r"""Predicting one symbol from one other leaves a hidden Markov model free by exactly the rotations that fix the ones vector.

Statement: let O (symbols by states) have full column rank and T, doubly stochastic, be invertible. The models with the same
predictors x2|x1, x3|x1, x1|x2, x1|x3 are exactly

    O' = O R,   T' = R^t T R,   R orthogonal, R 1 = 1, entries non-negative:

a family of dimension (k-1)(k-2)/2, so none but permutations at k = 2. Predicting neighbours alone leaves (k-1)^2 dimensions,
predicting two symbols from one leaves none. Turning about the diagonal of three states is allowed up to an angle whose
tangent of the half is algebraic.

Derivation: `theory.identify.markov`. Source: Liu, Hsu, Ravikumar, Risteski (pairs do not identify, triplets do); the
dimension, completeness and R 1 = 1 are derived here. Refuted by: a predictor that changes under such a rotation, another
number of flat directions, another angle. Cost: 10 s on a CPU.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import hidden_markov as markov
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import identify

SOURCE = Source(
    "Liu, Hsu, Ravikumar, Risteski",
    "Masked prediction: a parameter identifiability view",
    "arXiv 2202.09305",
    "pairs and triplets; dimensions and R 1 = 1 derived here",
)

CLAIM = Claim(
    slug="pairwise_masking_blind",
    title="Pair predictors leave a hidden Markov model free by the rotations that fix the ones vector, and by no more",
    statement=(
        "The hidden Markov models with k states, invertible doubly stochastic transition and emission of full rank that have "
        "the same pair predictors form a family of dimension (k-1)(k-2)/2: O R, R^t T R with R orthogonal and R 1 = 1."
    ),
    latex=r"O' = O R,\quad T' = R^\top T R,\quad R^\top R = 1,\; R\mathbf 1 = \mathbf 1,\quad \dim = \tbinom{k-1}{2}",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=(
        "the emission has full column rank",
        "the transition is doubly stochastic and invertible, the states start in the uniform law",
    ),
    refuted_by="a predictor that such a rotation changes, or another number of directions in which no predictor changes",
    cost="10 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; one symbol more, so that the emission is not square."""

    states: int = axis(2, 3, 4)
    spare: int = 1
    seed: int = 0


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4, 5, 6)),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6, 7, 8), spare=3),
}


def setting(cell: Sizes) -> dict:
    """A model; an exact model beside it within the allowed angle; the first one after a rotation that moves the ones vector."""
    model = identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, cell.seed)
    tilt = np.full((cell.states, cell.states), Fraction(0))
    tilt[0, 1], tilt[1, 0] = Fraction(1, 64), Fraction(-1, 64)
    tilted = identify.cayley(tilt)
    other, limit = None, np.nan
    if cell.states > 2:
        limit = identify.allowed_turn(model)
        amount = Fraction(max(int(min(float(limit), 0.5) * 128), 1), 256)
        other = identify.rotated(model, identify.cayley(identify.three_cycle(cell.states, amount)))
    return {
        "model": model,
        "other": other,
        "limit": limit,
        "arrays": _arrays(model.emission, model.transition),
        "other_arrays": None if other is None else _arrays(other.emission, other.transition),
        "tilted_arrays": _arrays(model.emission @ tilted, tilted.T @ model.transition @ tilted),
    }


def _arrays(*matrices: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(matrix.astype(float) for matrix in matrices)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Dimensions; no change of the pair predictors; the exact change of the triplet predictors; the allowed angle."""
    model, other = given["model"], given["other"]
    met = tuple(Hypothesis(statement, holds) for statement, holds in model.hypotheses())
    free = (
        Prediction(identify.pair_freedom(cell.states), of="pair_freedom", hypotheses=met),
        Prediction(identify.pair_freedom(cell.states, adjacent=True), of="adjacent_freedom", hypotheses=met),
        Prediction(0, of="triplet_freedom", hypotheses=met),
    )
    if other is None:
        return free
    exact = max(abs(model.pairs()[name] - other.pairs()[name]).max() for name in model.pairs())
    change = max(abs(model.triplets()[name] - other.triplets()[name]).max() for name in model.triplets())
    return (
        *free,
        Prediction(exact, of="pair_gap", hypotheses=met),
        Prediction(change, of="triplet_gap", resolution=float(change)),
        Prediction(identify.turn_angle(given["limit"]), of="allowed_angle", resolution=0.1),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Predictors by enumeration of the joint law; flat directions by the singular values of their derivatives."""
    emission, transition = given["arrays"]
    slopes = markov.slopes(emission, transition)

    def flat(*names: str) -> int:
        return markov.flat_directions(*(slopes[name] for name in names))[0]

    angle, spread = markov.first_negative_angle(emission, transition) if cell.states > 2 else (np.nan, np.nan)
    return _gaps(given["arrays"], given["other_arrays"]).assign(
        pair_freedom=((), flat(*markov.PAIRS), {"long_name": "directions that pairs do not see"}),
        adjacent_freedom=((), flat("2|1", "1|2"), {"long_name": "directions that neighbouring pairs do not see"}),
        triplet_freedom=((), flat("23|1"), {"long_name": "directions that one triplet predictor does not see"}),
        allowed_angle=((), angle, {"long_name": "largest allowed angle", "units": "radians"}),
        allowed_angle_floor=((), spread),
    )


def _gaps(arrays: tuple, others: tuple | None) -> xr.Dataset:
    """Largest change of a predictor between the two models."""
    pair, triplet = np.nan, np.nan
    if others is not None:
        first, second = (markov.predictors(markov.joint_law(*one)) for one in (arrays, others))
        pair, triplet = (max(abs(first[n] - second[n]).max() for n in names) for names in (markov.PAIRS, markov.TRIPLETS))
    floor = rounding_floor(arrays[1].shape[0] ** 3, jnp.dtype(float))
    return xr.Dataset(
        {
            "pair_gap": ((), pair, {"long_name": "largest change of a pair predictor"}),
            "pair_gap_floor": ((), floor),
            "triplet_gap": ((), triplet, {"long_name": "largest change of a triplet predictor"}),
            "triplet_gap_floor": ((), floor),
        }
    )


CONTROLS = (
    Control(
        "R moves the ones vector",
        "any rotation leaves the pair predictors as they are",
        lambda cell, given: Prediction(0, of="pair_gap"),
        lambda cell, key, given: _gaps(given["arrays"], given["tilted_arrays"]),
    ),
    Control(
        "all rotations",
        "the family has the dimension k(k-1)/2 of all rotations, one for k = 2",
        lambda cell, given: Prediction(cell.states * (cell.states - 1) // 2, of="pair_freedom"),
    ),
    Control(
        "neighbours suffice",
        "the predictors of neighbours alone leave the same family",
        lambda cell, given: Prediction(identify.pair_freedom(cell.states), of="adjacent_freedom"),
    ),
    Control(
        "triplets are blind",
        "the rotation leaves the triplet predictors as they are",
        lambda cell, given: Prediction(0, of="triplet_gap") if cell.states > 2 else None,
    ),
)
