r"""Pair predictors leave a hidden Markov model free by the rotations that fix the ones vector, and by no more.

Statement: Let O (symbols by states) have full column rank and let T, doubly stochastic, be invertible. The models with the
    same predictors x2|x1, x3|x1, x1|x2, x1|x3 are exactly the rotated ones with non-negative entries, a family of dimension
    (k-1)(k-2)/2. Predictors of neighbours alone leave (k-1)^2 dimensions, and the predictor of two symbols from one leaves
    none. Turns about the diagonal of three states are allowed up to an angle that is known exactly.
    $$ O' = O R,\quad T' = R^\top T R,\quad R^\top R = 1,\; R\mathbf 1 = \mathbf 1,\quad \dim = \tbinom{k-1}{2} $$
Hypotheses: the emission has full column rank; the transition is doubly stochastic and invertible, and the states start in the
    uniform law; two to seven states, all entries positive.
Source: Liu, Hsu, Ravikumar, Risteski, “Masked prediction: a parameter identifiability view”, arXiv 2202.09305, pairs do not
    identify and triplets do; the dimension, completeness and R 1 = 1 are derived here.
Refuted by: a predictor that such a rotation changes, another number of directions in which no predictor changes, or another
    angle.
Cost: quick 4 s on one core, full about 20 s.

Derivation: `theory.identify.markov`. At k = 2 only permutations are left.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, Rival, axis, claim, control, domain, rival, same_as, whole
from theory import identify

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "pair_freedom"


TURN = Fraction(1, 128)  # of the three-cycle, or half of what the model allows where that is less


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states, and how many more symbols there are, so that the emission is not square."""

    states: int = axis(2, 3, 4, 5, 6)
    spare: int = 1
    seed: int = 0


def _invertible(cell: Sizes) -> bool:
    return all(holds for _, holds in _model(cell).hypotheses)


DOMAIN = domain(
    states=whole(2, 7, quick=6),
    spare=whole(0, 5, quick=3),
    seed=whole(0, 9999),
    where={"both matrices have full column rank": _invertible},
)
GRIDS = {
    "test": Sizes(states=axis(3)),
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4, 5, 6, 7)),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6, 7, 8), spare=3),
}


def objects(cell: Sizes) -> dict:
    """Emission and transition of a model; of one turned about the diagonal; of one turned so that the ones vector moves."""
    model, turned = _models(cell)
    tilt = np.full((cell.states, cell.states), Fraction(0))
    tilt[0, 1], tilt[1, 0] = Fraction(1, 64), Fraction(-1, 64)
    rotation = identify.cayley(tilt)
    return {
        "model": _arrays(model.emission, model.transition),
        "turned": None if turned is None else _arrays(turned.emission, turned.transition),
        "tilted": _arrays(model.emission @ rotation, rotation.T @ model.transition @ rotation),
    }


def _models(cell: Sizes) -> tuple[identify.HiddenMarkov, identify.HiddenMarkov | None]:
    """A model, and the turned one, for which there must be three states."""
    model = _model(cell)
    if cell.states < 3:
        return model, None
    amount = min(TURN, Fraction(int(2048 * min(1.0, float(identify.allowed_turn(model)))), 4096))
    return model, identify.rotated(model, identify.cayley(identify.three_cycle(cell.states, amount)))


def _model(cell: Sizes) -> identify.HiddenMarkov:
    return identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, cell.seed)


def _arrays(*matrices: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(matrix.astype(float) for matrix in matrices)


def predict(cell: Sizes, models: dict) -> tuple[Prediction, ...]:
    """Dimensions; no change of the pair predictors; the exact change of the triplet predictors; the allowed angle."""
    model, turned = _models(cell)
    met = tuple(Hypothesis(statement, holds) for statement, holds in model.hypotheses)
    free = (
        Prediction(identify.pair_freedom(cell.states), of="pair_freedom", hypotheses=met),
        Prediction(identify.pair_freedom(cell.states, adjacent=True), of="adjacent_freedom", hypotheses=met),
        Prediction(0, of="triplet_freedom", hypotheses=met),
    )
    if turned is None:
        return free
    change = max(abs(model.triplets[name] - turned.triplets[name]).max() for name in model.triplets)
    squares = [[float((one.pairs[name] ** 2).sum()) for name in ("2|1", "3|1", "1|2", "1|3")] for one in (model, turned)]
    angle = identify.turn_angle(identify.allowed_turn(model))
    return (
        *free,
        Prediction(0, of="pair_gap", hypotheses=met),
        Prediction(squares, of="pair_squares", dims=("read", "predictor"), resolution=0.01),
        Prediction(change, of="triplet_gap", resolution=float(change)),
        Prediction(angle, of="allowed_angle", resolution=0.1),
    )


def _of_tilted(cell: Sizes, models: dict) -> Prediction:
    """The change of the pair predictors where the first two states turn by 2 atan(1/64), from products of three matrices."""
    model, turn = _model(cell), np.identity(cell.states)
    turn[:2, :2] = np.array([[4095, -128], [128, 4095]]) / 4097
    o, t = model.emission.astype(float) @ turn, turn.T @ model.transition.astype(float) @ turn
    law = np.einsum("ag,bg,cg->abc", o @ t.T, o, o @ t)  # of three symbols, up to a factor
    following, skipping = law.sum(axis=2), law.sum(axis=1)
    pairs = {"2|1": following.T, "1|2": following, "3|1": skipping.T, "1|3": skipping}
    changes = [pair / pair.sum(axis=0) - model.pairs[name].astype(float) for name, pair in pairs.items()]
    return Prediction(float(np.abs(changes).max()), of="pair_gap")


CONTROLS = (
    control(
        "R moves the ones vector",
        "any rotation leaves the pair predictors as they are",
        measure="of_tilted",
        predict=lambda cell, models: Prediction(0, of="pair_gap"),
        finds=_of_tilted,
    ),
)


def _chord(said: Prediction) -> Prediction | None:
    return dataclasses.replace(said, value=2 * np.tan(float(said.array()) / 2)) if said.of == "allowed_angle" else None


RIVALS = (
    Rival(
        "a turn of first order", "the angle is 2 sqrt(3) times the entry of the skew matrix, without the arc tangent", _chord
    ),
    rival(
        "all rotations",
        lambda cell, models: Prediction(cell.states * (cell.states - 1) // 2, of="pair_freedom"),
        "the family has the dimension k(k-1)/2 of all rotations, one for k = 2",
    ),
    same_as("pair_freedom", of="adjacent_freedom", name="neighbours suffice", statement="neighbours leave the same family"),
    same_as("pair_gap", of="triplet_gap", name="triplets are blind", statement="the rotation changes no triplet predictor"),
)
