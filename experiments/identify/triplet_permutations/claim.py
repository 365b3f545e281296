r"""Each of the six predictors of three consecutive symbols determines their joint law, and with full ranks the model.

Statement: For a hidden Markov model with positive entries whose states follow the uniform law, each predictor of two symbols
    from one, and each of an outer symbol from the other two, determines the joint law of three symbols, whatever the ranks of
    O and T. The middle symbol given both neighbours determines it if O has full column rank, T is invertible, there are more
    symbols than states, and the points of every column are in general position. So with full ranks each of the six determines
    both matrices up to the order of the states. With more symbols than states a rank-deficient emission leaves each as free as
    the joint law.
    $$ J[a,b,+] = J[+,a,b],\qquad N[a,c]\,x(a,c) = G_c\, N[a,0]\,x(a,0),\quad x(a,c) = \mathbb E[e_{x_2}\mid x_1=a, x_3=c] $$
Hypotheses: all entries are positive and the transition is doubly stochastic; full column rank of the emission and of the
    transition; for 2|13 more symbols than states and equations of corank one (checked exactly); two to four states.
Source: this project, “derived in theory.identify.triples”; two symbols from one with full ranks: Liu, Hsu, Ravikumar, Risteski,
    arXiv 2202.09305.
Refuted by: a joint law, emission or transition that a predictor gives wrongly; equations with more solutions than one; a
    direction in which a predictor changes and the joint law does not, or the other way round.
Cost: quick 9 s on one core, full about a minute.

A predictor lacks the law of its condition. Stationarity gives it back as the stationary law of a chain of symbols or of pairs.
For 2|13 stationarity leaves 1 + (d - k)^2 solutions or more (control); projective maps between the columns give the law. With
d = k symbols these maps are not determined, and the derivative alone is judged.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, whole
from theory import identify
from theory.exact.linear import rank
from theory.identify.triples import balance

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "freedom"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; several models each, from the ``first`` on, with ``spare`` symbols more than states."""

    states: int = axis(2, 3, 4)
    spare: int = axis(1, 3)
    models: int = 3
    first: int = 0


def _full_ranks(cell: Sizes) -> bool:
    return all(holds for model in (*_models(cell), _square(cell)) for _, holds in model.hypotheses)


DOMAIN = domain(
    states=whole(2, 4),
    spare=whole(1, 3),
    first=whole(16, 9999),
    models=among(1),
    where={"all matrices have full column rank": _full_ranks},
)
GRIDS = {
    "test": Sizes(states=axis(3), spare=axis(1), models=1),
    "quick": Sizes(),
    "full": Sizes(spare=axis(1, 2, 3)),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6), spare=axis(1, 2, 3), models=16),
}


def objects(cell: Sizes) -> dict:
    """Emissions and transitions: of models, of one with as many symbols as states, of one whose emission has rank k - 1."""
    return {
        "models": [_arrays(model) for model in _models(cell)],
        "square": _arrays(_square(cell)),
        "deficient": _arrays(_deficient(cell)),
    }


def _models(cell: Sizes) -> list[identify.HiddenMarkov]:
    return [identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, cell.first + i) for i in range(cell.models)]


def _square(cell: Sizes) -> identify.HiddenMarkov:
    return identify.HiddenMarkov.random(cell.states, cell.states, cell.first)


def _deficient(cell: Sizes) -> identify.HiddenMarkov:
    """The last state emits like the mean of the first two, or like the first of two."""
    model = _models(cell)[0]
    emission, sources = model.emission.copy(), min(cell.states - 1, 2)
    emission[:, -1] = emission[:, :sources].sum(axis=1) / Fraction(sources)
    return identify.HiddenMarkov(emission, model.transition)


def _arrays(model: identify.HiddenMarkov) -> tuple[np.ndarray, np.ndarray]:
    return model.emission.astype(float), model.transition.astype(float)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error; the exact coranks of the equations; the exact freedom of the joint law, for every predictor alike."""
    models = _models(cell)
    checks = [check for model in models for check in model.hypotheses]
    met = tuple(Hypothesis(statement, holds) for statement, holds in dict.fromkeys(checks))
    laws = [identify.joint(model) for model in models]
    coranks = [max(identify.solutions(law, name) for law in laws) for name in identify.SIX]
    unique = Hypothesis("the equations of every predictor have corank one", max(coranks) == 1)

    def each(value: object, of: str, resolution: float | None = None, *more: Hypothesis) -> Prediction:
        values = value if isinstance(value, list) else [value] * len(identify.SIX)
        return Prediction(values, of=of, dims=("predictor",), hypotheses=(*met, *more), resolution=resolution)

    return (
        *(each(0, f"{what}_error", 1e-3, unique) for what in ("joint", "emission", "transition")),
        each(coranks, "solutions"),
        each([max(map(int, found)) for found in zip(*(_balanced(law) for law in laws), strict=True)], "balanced"),
        each(max(map(identify.freedom, models)), "freedom"),
        each(identify.freedom(_square(cell)), "square_freedom"),
        Prediction([identify.freedom(_deficient(cell))] * 6, of="deficient_freedom", dims=("predictor",)),
        each(cell.models, "recovered", None, unique),
        each(0, "recovered_from_a_start"),
        Prediction([0, 0, 0, 0, 0], of="deficient_error", dims=("stationary",), resolution=1e-3),
        Prediction([1, 1, 1, 1, 1], of="deficient_solutions", dims=("stationary",)),
    )


def _directions(cell: Sizes, free: int, *names: str) -> tuple[Prediction, ...]:
    """Directions that no predictor sees, and all others of k (d - 1) + (k - 1)^2."""
    every = cell.states * (cell.states + cell.spare - 1) + (cell.states - 1) ** 2
    numbers = dict.fromkeys(names, free) | {"seen": every - free}
    return tuple(Prediction([number] * 6, of=name, dims=("predictor",)) for name, number in numbers.items())


def _of_a_start(cell: Sizes, given: dict) -> Prediction:
    """One symbol given two is the step of a chain of pairs, whose stationary law is found in place of the law of the start."""
    (o, t), first = _arrays(_models(cell)[0]), np.eye(cell.states)[0]
    law = np.einsum("ah,h,gh,bg,cg->abc", o, first, t, o, o @ t)
    errors = []
    for one in (law.transpose(2, 1, 0), law):  # 1|23 is 3|12 of the reversed symbols
        step = one / one.sum(axis=2, keepdims=True)
        d = len(one)
        chain = np.einsum("abc,bx->xcab", step, np.eye(d)).reshape(d * d, d * d)
        equations = np.concatenate([chain - np.eye(d * d), np.ones((1, d * d))])
        stationary = np.linalg.lstsq(equations, np.eye(d * d + 1)[-1])[0].reshape(d, d)
        errors.append(np.abs(one - stationary[:, :, None] * step).max())
    return Prediction(errors, of="single_error", dims=("single",))


def _balanced(law: np.ndarray) -> list[int]:
    """What the equations of stationarity alone leave of the law of the condition, by predictor."""
    equations = [balance(law, name) for name in identify.SIX]
    return [one.shape[1] - rank(one) for one in equations]


CONTROLS = (
    control(
        "an emission of rank k - 1",
        "every state may emit like a mixture of others",
        measure="of_deficient",
        finds=lambda cell, given: _directions(cell, identify.freedom(_deficient(cell)), "freedom", "square_freedom"),
    ),
    control("a start in one state", "the sequence need not be stationary", measure="of_a_start", finds=_of_a_start),
    control(
        "a start in one state, counted",
        "as many models are recovered from the law of a sequence that is not stationary",
        instead={"recovered": "recovered_from_a_start"},
    ),
    control("stationarity alone", "stationarity is enough for 2|13 as well", instead={"solutions": "balanced"}),
    control(
        "full rank",
        "full rank leaves the same directions free",
        measure="of_full_rank",
        finds=lambda cell, given: _directions(cell, 0, "deficient_freedom"),
    ),
)


RIVALS = (
    off_by(-1, of="deficient_freedom", name="one direction more is seen"),
    off_by(+1, of="freedom", name="a direction stays free"),
    off_by(+1, of="square_freedom", name="2|13 needs spare symbols", statement="with d = k a direction stays free"),
)
