r"""Each of the six predictors of three consecutive symbols determines their joint law, and with full ranks the model.

Statement: For a hidden Markov model with positive entries whose states follow the uniform law, each predictor of two symbols
    from one, and each of an outer symbol from the other two, determines the joint law of three symbols, whatever the ranks of
    O and T. The middle symbol given both neighbours determines it if O has full column rank, T is invertible, there are more
    symbols than states, and the points of every column are in general position. So with full ranks each of the six determines
    both matrices up to the order of the states. With more symbols than states a rank-deficient emission leaves each as free as
    the joint law.
    $$ J[a,b,+] = J[+,a,b],\qquad N[a,c]\,x(a,c) = G_c\, N[a,0]\,x(a,0),\quad x(a,c) = \mathbb E[e_{x_2}\mid x_1=a, x_3=c] $$
Hypotheses: all entries are positive and the transition is doubly stochastic; full column rank of the emission and of the
    transition; for 2|13 more symbols than states and equations of corank one (checked exactly).
Source: this project, “derived in theory.identify.triples”; two symbols from one with full ranks: Liu, Hsu, Ravikumar, Risteski,
    arXiv 2202.09305.
Refuted by: a joint law, emission or transition that a predictor gives wrongly; equations with more solutions than one; a
    direction in which a predictor changes and the joint law does not, or the other way round.
Cost: quick 7 s on one core, full about 45 s.

A predictor lacks the law of its condition. Stationarity gives it back as the stationary law of a chain of symbols or of pairs.
For 2|13 stationarity leaves 1 + (d - k)^2 solutions or more (control); projective maps between the columns give the law. With
d = k symbols these maps are not determined, and the derivative alone is judged.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import hidden_markov as markov
from depthjax.probe import triples
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory import identify

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; several models each, with ``spare`` symbols more than states."""

    states: int = axis(2, 3, 4)
    spare: int = axis(1, 2)
    models: int = 3


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
        "square": _arrays(identify.HiddenMarkov.random(cell.states, cell.states, 0)),
        "deficient": _arrays(_deficient(cell)),
    }


def _models(cell: Sizes) -> list[identify.HiddenMarkov]:
    return [identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, seed) for seed in range(cell.models)]


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
        each(max(map(identify.freedom, models)), "freedom"),
        each(identify.freedom(identify.HiddenMarkov.random(cell.states, cell.states, 0)), "square_freedom"),
        Prediction([identify.freedom(_deficient(cell))] * 6, of="deficient_freedom", dims=("predictor",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The worst model, recovered from each of its exact predictors; directions that a predictor does not see."""
    found = [_recovered(jax.random.fold_in(key, i), model, cell.states) for i, model in enumerate(given["models"])]
    return measured(
        **_errors(found),
        solutions=Quantity(np.max([one["solutions"] for one in found], axis=0), "predictor", label="solutions"),
        freedom=_free(*given["models"], label="directions that a predictor does not see"),
        square_freedom=_free(given["square"], label="the same with as many symbols as states"),
        deficient_freedom=_free(given["deficient"], label="directions not seen, emission of rank k - 1"),
        balanced=Quantity(_by_balance(given["models"]), "predictor", label="solutions by stationarity alone"),
    )


def _recovered(key: jax.Array, model: tuple, states: int, start: np.ndarray | None = None) -> dict[str, list[float]]:
    """Errors of the joint law and of both matrices by predictor, their floors, and the solutions of the equations."""
    emission, transition = model
    joint, found = markov.joint_law(emission, transition, start), {"solutions": []}
    for name in triples.SIX:
        law = triples.law_from(key, triples.predictor(joint, name), name, states)
        read = triples.best(key, jnp.asarray(markov.predictors(law.joint, "23|1")["23|1"]), "23|1", states)
        matrix, step = np.asarray(read.emission), np.asarray(read.transition)
        order = np.argmin(((matrix[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
        floor = rounding_floor(len(emission) ** 3, np.dtype(float)) * law.amplification
        further = floor * float(read.amplification)
        errors = (
            ("joint", joint - law.joint, floor),
            ("emission", matrix[:, order] - emission, further),
            ("transition", step[np.ix_(order, order)] - transition, further),
        )
        for what, difference, least in errors:
            found.setdefault(what, []).append((float(np.abs(difference).max()), least))
        found["solutions"].append(law.solutions)
    return found


def _errors(found: list[dict]) -> dict[str, Quantity]:
    worst = {what: np.max([one[what] for one in found], axis=0).T for what in ("joint", "emission", "transition")}
    return {
        f"{what}_error": Quantity(errors, "predictor", floor=floors, label=f"largest error, {what}")
        for what, (errors, floors) in worst.items()
    }


def _free(*models: tuple[np.ndarray, np.ndarray], label: str = "") -> Quantity:
    slopes = [markov.slopes(*model) for model in models]
    counts = [max(markov.flat_directions(one[name])[0] for one in slopes) for name in triples.SIX]
    return Quantity(counts, "predictor", label=label)


def _by_balance(models: list[tuple[np.ndarray, np.ndarray]]) -> list[int]:
    laws = [markov.joint_law(*model) for model in models]
    return [max(triples.balanced(triples.predictor(law, name), name).solutions for law in laws) for name in triples.SIX]


def _of_deficient(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    free = _free(given["deficient"])
    return measured(**_errors([_recovered(key, given["deficient"], cell.states)]), freedom=free, square_freedom=free)


def _of_a_start(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(**_errors([_recovered(key, given["models"][0], cell.states, np.eye(cell.states)[0])]))


def _of_full_rank(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(deficient_freedom=_free(given["models"][0]))


CONTROLS = (
    control("an emission of rank k - 1", "every state may emit like a mixture of others", measure=_of_deficient),
    control("a start in one state", "the sequence need not be stationary", measure=_of_a_start),
    control("stationarity alone", "stationarity is enough for 2|13 as well", instead={"solutions": "balanced"}),
    control("full rank", "full rank leaves the same directions free", measure=_of_full_rank),
)
RIVALS = (
    off_by(-1, of="deficient_freedom", name="one direction more is seen"),
    off_by(+1, of="freedom", name="a direction stays free"),
    off_by(+1, of="square_freedom", name="2|13 needs spare symbols", statement="with d = k a direction stays free"),
)
