r"""Predicting two symbols from a third determines the hidden Markov model, and Jennrich's algorithm reads it off.

Statement: let O have full column rank k >= 2 and T be doubly stochastic and invertible. The predictor of x2 (x) x3 from x1,
sum_i O_i (x) (OT)_i (T Phi)_i, determines O and T up to the order of the states. Its three factors have Kruskal rank k each,
and 3k >= 2k + 2.

The count is sharp: with a T of rank k - 1 = 2 whose columns are pairwise independent the ranks are 3, 2, 2, one too small, and
there is exactly one direction in which the predictor does not change.

Source: Liu, Hsu, Ravikumar, Risteski; uniqueness by Kruskal (1977), recovery by Harshman (1972), who credits Jennrich.
Refuted by: a recovered model that differs beyond amplified rounding, or a flat direction. Cost: 10 s on a CPU.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import hidden_markov as markov
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, axis
from experiments.identify.pairwise_masking_blind import SOURCE
from theory import identify

CLAIM = Claim(
    slug="triplet_masking_identifies",
    title="The predictor of two symbols from a third determines a hidden Markov model; Jennrich's algorithm recovers it",
    statement=(
        "With an emission of full column rank and an invertible doubly stochastic transition, the law of two symbols given the "
        "third determines both matrices up to the order of the states."
    ),
    latex=r"\mathbb E[x_2\otimes x_3\mid x_1] = \sum_i (T\Phi)_{i x_1}\, O_i\otimes (OT)_i,\qquad k_A+k_B+k_C \ge 2k+2",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=(
        "the emission has full column rank and at least two states",
        "the transition is doubly stochastic and invertible",
        "the Kruskal ranks of the three factors sum to 2k + 2 at least",
    ),
    refuted_by="a recovered matrix off by more than amplified rounding, or a direction in which no triplet predictor changes",
    cost="10 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of states; several models each, with two symbols more than states."""

    states: int = axis(2, 3, 4)
    spare: int = 2
    models: int = 4


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4, 5, 6), models=16),
    "paper": Sizes(states=axis(2, 3, 4, 5, 6, 8), models=64),
}


def setting(cell: Sizes) -> dict:
    """Models, and one with Kruskal ranks 3, 2, 2."""
    models = [identify.HiddenMarkov.random(cell.states, cell.states + cell.spare, seed) for seed in range(cell.models)]
    given = {"models": models, "arrays": [_arrays(model) for model in models], "short": None}
    if cell.states == 3:
        flat = np.full((3, 3), Fraction(1, 3)) + np.outer((1, 2, -3), (1, 2, -3)) * np.array(Fraction(1, 30))
        given["short"] = identify.HiddenMarkov(models[0].emission, flat)
        given["short_arrays"] = _arrays(given["short"])
    return given


def _arrays(model: identify.HiddenMarkov) -> tuple[np.ndarray, np.ndarray]:
    return model.emission.astype(float), model.transition.astype(float)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error, no freedom; the Kruskal ranks by exact elimination."""
    checks = [check for model in given["models"] for check in model.hypotheses()]
    first = min(_kruskal_sum(model) for model in given["models"])
    checks.append((f"the Kruskal ranks sum to {first} >= {2 * cell.states + 2}", first >= 2 * cell.states + 2))
    met = tuple(Hypothesis(statement, holds) for statement, holds in dict.fromkeys(checks))
    return (
        Prediction(0, of="emission_error", hypotheses=met, resolution=1e-3),
        Prediction(0, of="transition_error", hypotheses=met, resolution=1e-3),
        Prediction(0, of="freedom", hypotheses=met),
    )


def _kruskal_sum(model: identify.HiddenMarkov) -> int:
    a, b, c = model.factors()["23|1"]
    return sum(identify.kruskal_rank(columns) for columns in (a, b, c.T))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The worst model: recovered from its exact predictor along random directions, states matched by nearest columns."""
    errors = {"emission_error": [0.0], "transition_error": [0.0]}
    floors, free = [], 0
    for index, (emission, transition) in enumerate(given["arrays"]):
        law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), "23|1")["23|1"])
        # the best conditioned of a few draws: the algorithm's own estimate decides, not the answer
        draws = jax.random.normal(jax.random.fold_in(key, index), (16, 2, emission.shape[0]))
        tries = _recover(law, draws, cell.states)
        best = int(jnp.argmin(tries.amplification))
        found, step = np.asarray(tries.emission[best]), np.asarray(tries.transition[best])
        order = np.argmin(((found[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
        errors["emission_error"].append(np.abs(found[:, order] - emission).max())
        errors["transition_error"].append(np.abs(step[np.ix_(order, order)] - transition).max())
        floors.append(rounding_floor(cell.states**3, law.dtype) * float(tries.amplification[best]))
        free = max(free, _free(emission, transition, "23|1"))
    data = {name: ((), max(values), {"long_name": name.replace("_", " ")}) for name, values in errors.items()}
    data |= {f"{name}_floor": ((), max(floors)) for name in errors}
    return xr.Dataset(data | {"freedom": ((), free, {"long_name": "directions that the triplet predictor does not see"})})


_recover = jax.jit(jax.vmap(markov.jennrich, in_axes=(None, 0, None)), static_argnums=2)


def _free(emission: np.ndarray, transition: np.ndarray, *names: str) -> int:
    slopes = markov.slopes(emission, transition)
    return markov.flat_directions(*(slopes[name] for name in names))[0]


def _of_pairs(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return xr.Dataset({"freedom": ((), _free(*given["arrays"][0], *markov.PAIRS))})


def _of_short_ranks(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    free = _free(*given["short_arrays"], *markov.TRIPLETS) if "short_arrays" in given else 0
    return xr.Dataset({"freedom": ((), free)})


CONTROLS = (
    Control(
        "pairs only",
        "the pair predictors determine the model too",
        lambda cell, given: Prediction(0, of="freedom") if cell.states > 2 else None,
        _of_pairs,
    ),
    Control(
        "one Kruskal rank too small",
        "Kruskal ranks 3, 2, 2, which sum to 2k + 1, are enough at k = 3",
        lambda cell, given: Prediction(0, of="freedom") if cell.states == 3 else None,
        _of_short_ranks,
    ),
)
