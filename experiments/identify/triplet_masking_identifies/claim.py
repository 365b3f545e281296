r"""Any predictor of two symbols from the third determines a hidden Markov model, and Jennrich's algorithm recovers it.

Statement: With an emission of full column rank and an invertible doubly stochastic transition, the law of two symbols given
    the third determines both matrices up to the order of the states, whichever of three consecutive symbols is given.
    $$ \mathbb E[x_2\otimes x_3\mid x_1] = \sum_i (T\Phi)_{i x_1}\, O_i\otimes (OT)_i,\qquad k_A+k_B+k_C \ge 2k+2 $$
Hypotheses: the emission has full column rank and at least two states; the transition is doubly stochastic and invertible; the
    Kruskal ranks of the three factors sum to 2k + 2 at least; up to six states.
Source: Liu, Hsu, Ravikumar, Risteski, “Masked prediction: a parameter identifiability view”, arXiv 2202.09305, uniqueness by
    Kruskal (1977), recovery by Harshman (1972), who credits Jennrich.
Refuted by: a recovered matrix off by more than amplified rounding, or a direction in which no triplet predictor changes.
Cost: quick 15 s on one core, full about a minute.

Each factor has Kruskal rank k, and 3k >= 2k + 2. The count is sharp: with a T of rank k - 1 = 2 whose columns are pairwise
independent the ranks are 3, 2, 2, one too small, and there is exactly one direction in which the predictor does not change.
With two states the ranks sum to 2k + 2 and no more. Kruskal ranks are also counted from singular values, on models whose
transition has a lower rank.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, whole
from experiments.identify.triplet_masking_identifies.common import PREDICTORS
from theory import identify

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "freedom"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; several models each, from the ``first`` on, with ``spare`` symbols more than states."""

    states: int = axis(2, 3, 4)
    spare: int = 2
    models: int = 4
    first: int = 0


def _full_ranks(cell: Sizes) -> bool:
    return all(holds for model in _models(cell) for _, holds in model.hypotheses)


DOMAIN = domain(
    states=whole(2, 6, quick=4),
    spare=whole(0, 4, quick=3),
    first=whole(16, 9999),
    models=among(1),
    counts={"quick": 1},
    where={"both matrices have full column rank": _full_ranks},
)
GRIDS = {
    "test": Sizes(states=axis(3), models=1),
    "quick": Sizes(models=3),
    "full": Sizes(states=axis(2, 3, 4, 5, 6), models=16),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6, 8), models=64),
}


def objects(cell: Sizes) -> dict:
    """Emissions and transitions of the models, and those of a short one."""
    return {"models": [_arrays(model) for model in _models(cell)], "short": _arrays(_short(cell))}


def _short(cell: Sizes) -> identify.HiddenMarkov:
    """The emission of the first model with a transition of rank r < k, of which any r columns are independent.

    It is W D W^t, with the powers 1, j, ..., j^(r-1) in the columns of W up to their means: any r rows are independent.
    """
    k = cell.states
    flat = np.full((k, k), Fraction(1, k))
    rank = k - 1 - cell.first % (k - 1)
    for power in range(1, rank):
        column = np.array([Fraction(j**power) for j in range(k)])
        column -= column.sum() / k
        flat = flat + np.outer(column, column) / (k * rank * max(column**2))
    return identify.HiddenMarkov(_models(cell)[0].emission, flat)


def _models(cell: Sizes) -> list[identify.HiddenMarkov]:
    return [identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, cell.first + i) for i in range(cell.models)]


def _arrays(model: identify.HiddenMarkov) -> tuple[np.ndarray, np.ndarray]:
    return model.emission.astype(float), model.transition.astype(float)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error and no freedom; the Kruskal ranks by exact elimination."""
    models = _models(cell)
    checks = [check for model in models for check in model.hypotheses]
    least, enough = min(_kruskal_sum(model) for model in models), 2 * cell.states + 2
    checks.append((f"the Kruskal ranks sum to {least} >= {enough}", least >= enough))
    met = tuple(Hypothesis(statement, holds) for statement, holds in dict.fromkeys(checks))

    def none(of: str, resolution: float | None = None) -> Prediction:
        nothing = [0] * len(PREDICTORS)
        return Prediction(nothing, of=of, dims=("predictor",), hypotheses=met, resolution=resolution)

    short = Prediction(_kruskal_ranks(_short(cell)), of="kruskal_rank", dims=("predictor", "factor"), hypotheses=met)

    def each(value: int, of: str) -> Prediction:
        return Prediction([value] * len(PREDICTORS), of=of, dims=("predictor",), hypotheses=met)

    # each triplet predictor determines the law of three symbols (`triplet_permutations`), and sees as much as it
    lost = identify.freedom(_short(cell))
    return (
        *(none("emission_error", 1e-3), none("transition_error", 1e-3), none("freedom"), short),
        each(cell.models, "recovered"),
        each(cell.models, "seen"),
        each(0, "recovered_misread"),
        each(identify.pair_freedom(cell.states), "freedom_of_pairs"),
        *([each(lost, "freedom_of_short")] if cell.spare else []),
    )


def _kruskal_sum(model: identify.HiddenMarkov) -> int:
    return min(map(sum, _kruskal_ranks(model)))


def _kruskal_ranks(model: identify.HiddenMarkov) -> list[list[int]]:
    factors = [model.factors[name] for name in PREDICTORS]
    return [[identify.kruskal_rank(matrix) for matrix in (a, b, c.T)] for a, b, c in factors]


def _of_misread(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Products of O and T that the algorithm makes of the factors of another predictor, in place of O and T themselves.

    23|1 is read as 12|3, 13|2 as 23|1, and 12|3 as 13|2. States are matched by the nearest columns.
    """
    o, t = _arrays(_models(cell)[0])
    back = np.linalg.inv(t)
    found = {"23|1": (o @ t, back.T), "13|2": (o @ t.T, back.T @ t), "12|3": (o @ t, t @ back.T)}
    errors = []
    for name in PREDICTORS:
        emission, step = found[name]
        order = np.argmin(((emission[:, :, None] - o[:, None, :]) ** 2).sum(axis=0), axis=0)
        errors.append([np.abs(emission[:, order] - o).max(), np.abs(step[np.ix_(order, order)] - t).max()])
    names = ("emission_error", "transition_error")
    return tuple(Prediction(one, of=name, dims=("predictor",)) for name, one in zip(names, np.array(errors).T, strict=True))


CONTROLS = (
    control(
        "pairs only",
        "the pair predictors determine the model too",
        instead={"freedom": "freedom_of_pairs"},
        where=lambda cell, given: cell.states > 2,
    ),
    control(
        "one Kruskal rank too small",
        "Kruskal ranks 3, 2, 2, which sum to 2k + 1, are enough at k = 3",
        instead={"freedom": "freedom_of_short"},
        where=lambda cell, given: cell.states == 3,
    ),
    control(
        "another symbol's law",
        "a predictor read as that of another pair gives the same model",
        measure="misread",
        finds=_of_misread,
    ),
    control(
        "another symbol's law, counted",
        "as many models are recovered from a predictor that is read as that of another pair",
        instead={"recovered": "recovered_misread"},
    ),
)
