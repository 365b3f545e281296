r"""A hidden Markov model recovered from n triples errs by sqrt(c / n), with a rational constant c.

Statement: Jennrich's algorithm along fixed directions u, v, on the law of two symbols given the third counted from n
independent triples, has the root mean square error

    (E |O_hat - O|^2)^(1/2) = sqrt(c / n) (1 + O(1/n)),

with as many symbols as states and c the variance of the first order perturbation of the eigenvectors, summed over all triples
in exact arithmetic.

Derivation: `theory.identify.jennrich`. Hypotheses: the states are matched by the order of the eigenvalue ratios, n large
enough that no two are confused. Refuted by: another slope, or another constant. Cost: 5 s on a CPU; counts are multinomial,
so n costs nothing.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import hidden_markov as markov
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from depthjax.verify.means import critical
from depthjax.verify.rates import RATE
from theory import identify

CLAIM = Claim(
    slug="triplet_sample_error",
    title="Recovery from n triples errs by sqrt(c / n), c rational and computed exactly",
    statement=(
        "The root mean square error of Jennrich's algorithm on n triples is sqrt(c / n) to leading order, with the exact first "
        "order variance c of the algorithm."
    ),
    latex=r"\bigl(\mathbb E\,\|\hat O - O\|_F^2\bigr)^{1/2} = \sqrt{c/n}\,\bigl(1 + O(1/n)\bigr)",
    relation=Relation.ORDER,
    source=Source("this project", "first order perturbation of the eigenvectors, derived in theory.identify.jennrich"),
    assumes=("as many symbols as states, both matrices invertible, distinct eigenvalue ratios", "the triples are independent"),
    refuted_by="a slope other than 1 in n^(-1/2), or a constant other than sqrt(c)",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """States, sample sizes first, first * ratio, first * ratio^2, ..., and independent repetitions of each."""

    states: int = axis(2, 3)
    first: int = 10_000
    ratio: int = 16
    sizes: int = 9
    seeds: int = 8192
    model: int = 0


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4), seeds=1 << 15),
    "paper": Sizes(states=axis(2, 3, 4), seeds=1 << 17),
}


def setting(cell: Sizes) -> dict:
    """The model, directions of small variance, and the true columns in the order of the eigenvalue ratios."""
    model = identify.HiddenMarkov.random(cell.states, cell.states, cell.model)
    directions = identify.best_directions(model)
    order = np.argsort([float(ratio) for ratio in identify.eigenvalue_ratios(model, directions)])
    return {
        "model": model,
        "directions": directions,
        "u_v": np.array(directions, float),
        "arrays": (model.emission.astype(float), model.transition.astype(float)),
        "sorted": (model.emission[:, order].astype(float), model.transition[np.ix_(order, order)].astype(float)),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent in n^(-1/2) for both matrices; the constant for the emission."""
    model = given["model"]
    met = tuple(Hypothesis(statement, holds) for statement, holds in model.hypotheses())
    constant = float(identify.sampling_variance(model, given["directions"])) ** 0.5
    return (
        # the floor of sampling is one or two parts in a hundred
        Prediction(1, of="emission_error", constant=constant, constant_resolution=0.5, hypotheses=met),
        Prediction(1, of="transition_error", hypotheses=met),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Root mean squares over repetitions, with the interval of the mean square."""
    sizes = [cell.first * cell.ratio**i for i in range(cell.sizes)]
    deviations = critical(cell.seeds, RATE / (2 * len(sizes)))
    joint = markov.joint_law(*given["arrays"])
    curves = {"emission_error": [], "transition_error": []}
    for index, samples in enumerate(sizes):
        laws = markov.sampled_laws(jax.random.fold_in(key, index), joint, samples, cell.seeds)
        found = _recover(laws, jnp.asarray(given["u_v"]), cell.states)
        for name, values, truth in zip(curves, found[:2], given["sorted"], strict=True):
            squares = ((np.asarray(values) - truth) ** 2).sum(axis=(1, 2))
            root, width = squares.mean() ** 0.5, deviations * squares.std() / cell.seeds**0.5
            curves[name].append((root, width / (2 * root)))
    data = {}
    for name, values in curves.items():
        errors, widths = np.array(values).T
        data[name] = ("step", errors, {"long_name": f"{name.replace('_', ' ')}, root mean square", "units": "Frobenius norm"})
        data[f"{name}_sampling"] = ("step", widths, {"rate": RATE})
    return xr.Dataset(data, coords={"step": ("step", np.array(sizes, float) ** -0.5, {"long_name": "n^(-1/2), n triples"})})


_recover = jax.jit(jax.vmap(markov.jennrich, in_axes=(0, None, None)), static_argnums=2)


def _half_again(cell: Sizes, given: dict) -> Prediction:
    first = predict(cell, given)[0]
    return dataclasses.replace(first, constant=1.5 * (first.constant or 0.0))


CONTROLS = (
    Control("1/n", "the error falls as 1/n", lambda cell, given: Prediction(2, of="emission_error")),
    Control(
        "no decay", "the error stays, as it does for pair predictors", lambda cell, given: Prediction(0, of="emission_error")
    ),
    Control("constant half as large again", "the constant is 3/2 sqrt(c)", _half_again),
)
