r"""Any predictor of two symbols from the third determines a hidden Markov model, and Jennrich's algorithm recovers it.

Statement: With an emission of full column rank and an invertible doubly stochastic transition, the law of two symbols given
    the third determines both matrices up to the order of the states, whichever of three consecutive symbols is given.
    $$ \mathbb E[x_2\otimes x_3\mid x_1] = \sum_i (T\Phi)_{i x_1}\, O_i\otimes (OT)_i,\qquad k_A+k_B+k_C \ge 2k+2 $$
Hypotheses: the emission has full column rank and at least two states; the transition is doubly stochastic and invertible; the
    Kruskal ranks of the three factors sum to 2k + 2 at least.
Source: Liu, Hsu, Ravikumar, Risteski, “Masked prediction: a parameter identifiability view”, arXiv 2202.09305, uniqueness by
    Kruskal (1977), recovery by Harshman (1972), who credits Jennrich.
Refuted by: a recovered matrix off by more than amplified rounding, or a direction in which no triplet predictor changes.
Cost: quick 15 s on one core, full about a minute.

Each factor has Kruskal rank k, and 3k >= 2k + 2. The count is sharp: with a T of rank k - 1 = 2 whose columns are pairwise
independent the ranks are 3, 2, 2, one too small, and there is exactly one direction in which the predictor does not change.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import hidden_markov as markov
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured
from theory import identify

CLAIM = claim(Relation.EQUALS, needs_float64=True)


PREDICTORS = ("23|1", "13|2", "12|3")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; several models each, with ``spare`` symbols more than states."""

    states: int = axis(2, 3, 4)
    spare: int = 2
    models: int = 4


GRIDS = {
    "test": Sizes(states=axis(3), models=1),
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4, 5, 6), models=16),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6, 8), models=64),
}


def objects(cell: Sizes) -> dict:
    """Emissions and transitions of the models; for three states also of one with Kruskal ranks 3, 2, 2."""
    models = _models(cell)
    given = {"models": [_arrays(model) for model in models]}
    if cell.states == 3:
        flat = np.full((3, 3), Fraction(1, 3)) + np.outer((1, 2, -3), (1, 2, -3)) * np.array(Fraction(1, 30))
        given["short"] = [_arrays(identify.HiddenMarkov(models[0].emission, flat))]
    return given


def _models(cell: Sizes) -> list[identify.HiddenMarkov]:
    return [identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, seed) for seed in range(cell.models)]


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

    return none("emission_error", 1e-3), none("transition_error", 1e-3), none("freedom")


def _kruskal_sum(model: identify.HiddenMarkov) -> int:
    return min(sum(identify.kruskal_rank(m) for m in (a, b, c.T)) for a, b, c in model.factors.values())


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The worst model, recovered from each of its exact predictors along random directions."""
    keys = [jax.random.fold_in(key, index) for index in range(cell.models)]
    worst = [np.max([_errors(*one, name) for one in zip(keys, given["models"], strict=True)], axis=0) for name in PREDICTORS]
    emission, transition, floors = np.array(worst).T
    freedom = [max(_free(model, name) for model in given["models"]) for name in PREDICTORS]
    return measured(
        emission_error=Quantity(emission, "predictor", floor=floors, label="emission error"),
        transition_error=Quantity(transition, "predictor", floor=floors, label="transition error"),
        freedom=Quantity(freedom, "predictor", label="directions that the triplet predictor does not see"),
    )


def _errors(key: jax.Array, model: tuple[np.ndarray, np.ndarray], name: str) -> tuple[float, float, float]:
    """Largest errors of the recovered emission and transition, states matched by nearest columns; and their floor."""
    emission, transition = model
    symbols, states = emission.shape
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), name)[name])
    # the best conditioned of a few draws: the algorithm's own estimate decides, not the answer
    tries = _recover(law, name, jax.random.normal(key, (16, 2, symbols)), states)
    best = int(jnp.argmin(tries.amplification))
    found, step = np.asarray(tries.emission[best]), np.asarray(tries.transition[best])
    order = np.argmin(((found[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
    errors = np.abs(found[:, order] - emission).max(), np.abs(step[np.ix_(order, order)] - transition).max()
    return *errors, float(rounding_floor(states**3, law.dtype)) * float(tries.amplification[best])


_recover = jax.jit(jax.vmap(markov.recover, in_axes=(None, None, 0, None)), static_argnums=(1, 3))


def _free(model: tuple[np.ndarray, np.ndarray], *names: str) -> int:
    slopes = markov.slopes(*model)
    return markov.flat_directions(*(slopes[name] for name in names))[0]


def _of_pairs(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(freedom=Quantity(_free(given["models"][0], *markov.PAIRS)))


def _of_short_ranks(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(freedom=Quantity(max((_free(model, *PREDICTORS) for model in given.get("short", ())), default=0)))


def _misread(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors where the law of 13|2 is read as that of 23|1, whose first factor is O."""
    emission, transition = given["models"][0]
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), "13|2")["13|2"])
    found = markov.jennrich(law, jax.random.normal(key, (2, len(emission))), cell.states)
    shape = len(PREDICTORS)
    errors = [
        float(np.abs(np.sort(ours, axis=None) - np.sort(theirs, axis=None)).max())
        for ours, theirs in ((np.asarray(found.emission), emission), (np.asarray(found.transition), transition))
    ]
    return measured(
        emission_error=Quantity(np.full(shape, errors[0]), "predictor", floor=0.0),
        transition_error=Quantity(np.full(shape, errors[1]), "predictor", floor=0.0),
    )


CONTROLS = (
    control(
        "pairs only",
        "the pair predictors determine the model too",
        measure=_of_pairs,
        predict=lambda cell, given: Prediction(0, of="freedom") if cell.states > 2 else None,
    ),
    control(
        "one Kruskal rank too small",
        "Kruskal ranks 3, 2, 2, which sum to 2k + 1, are enough at k = 3",
        measure=_of_short_ranks,
        predict=lambda cell, given: Prediction(0, of="freedom") if cell.states == 3 else None,
    ),
    control("another symbol's law", "the predictor of another pair of symbols gives the same model", measure=_misread),
)
