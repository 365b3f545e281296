r"""A hidden Markov model recovered from n triples errs by sqrt(c / n), with a rational constant c that is computed exactly.

Statement: Jennrich's algorithm along fixed directions u, v runs on the law of two symbols given the third, counted from n
    independent triples. Its root mean square error is sqrt(c / n) to leading order. Here c is the variance of the first order
    perturbation of the eigenvectors, summed over all triples in exact arithmetic.
    $$ \bigl(\mathbb E\,\|\hat O - O\|_F^2\bigr)^{1/2} = \sqrt{c/n}\,\bigl(1 + O(1/n)\bigr) $$
Hypotheses: there are as many symbols as states, both matrices are invertible, and the eigenvalue ratios are distinct; the
    triples are independent; n is so large that no two states are confused when they are matched by the order of the ratios.
Source: this project, “first order perturbation of the eigenvectors, derived in theory.identify.jennrich”.
Refuted by: a slope other than 1 in n^(-1/2), a constant other than sqrt(c), told to a thousandth, or another one of the
    transition, told to a tenth.
Cost: quick 9 s on one core, full about 4 min.

Counts are multinomial, so n costs nothing. The square error itself tells c to a tenth. Its mean over samples is sharper where
the part that is linear in the frequencies is replaced by its mean, which is exact for any linear map: what then scatters is
of the next order. `measure` takes the linear map by central differences. On 92 models of two to four states the budget of
this quantity was at most a hundred-thousandth of c.
"""

import dataclasses
from functools import cache

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.identify.triplet_sample_error.first_order import transition_variance
from theory import identify

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "emission_error"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """States and models; sample sizes first, first * ratio, first * ratio^2, ..., and independent repetitions of each."""

    states: int = axis(2, 3)
    model: int = axis(0, 1)
    first: int = 10_000
    ratio: int = 16
    sizes: int = 9
    seeds: int = 4096


def _full_ranks(cell: Sizes) -> bool:
    return all(holds for _, holds in identify.HiddenMarkov.random(cell.states, cell.states, cell.model).hypotheses)


DOMAIN = domain(
    states=whole(2, 4, quick=3),
    model=whole(2, 9999),
    where={"both matrices are invertible": _full_ranks},
)
GRIDS = {
    "test": Sizes(states=axis(2, 3), model=axis(1), sizes=8),
    "quick": Sizes(),
    "full": Sizes(states=axis(2, 3, 4), seeds=1 << 15),
    "paper": Sizes(states=axis(2, 3, 4), seeds=1 << 17),
}


def objects(cell: Sizes) -> dict:
    """A model with its states in the order of the eigenvalue ratios, and directions of small variance."""
    model, directions = _model(cell.states, cell.model)
    order = np.argsort([float(ratio) for ratio in identify.eigenvalue_ratios(model, directions)])
    return {
        "emission": model.emission[:, order].astype(float),
        "transition": model.transition[np.ix_(order, order)].astype(float),
        "directions": np.array(directions, float),
    }


@cache  # four states take seconds
def _model(states: int, number: int) -> tuple[identify.HiddenMarkov, tuple[tuple[int, ...], tuple[int, ...]]]:
    model = identify.HiddenMarkov.random(states, states, number)
    return model, identify.best_directions(model)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponents in n^(-1/2); n times the mean squares, the emission's told twice; the constant where triples repeat."""
    model, directions = _model(cell.states, cell.model)
    met = tuple(Hypothesis(statement, holds) for statement, holds in model.hypotheses)
    variance = float(identify.sampling_variance(model, directions))
    return (
        # this tells the constant from one half as large again; n times the mean square at the largest n tells it more sharply
        Prediction(1, of="emission_error", constant=variance**0.5, constant_resolution=0.5, hypotheses=met),
        Prediction(1, of="transition_error", hypotheses=met),
        Prediction(cell.seeds, of="different", relation=Relation.EQUALS),
        # of n triples, the first * 16^i, there are first * 4^i = sqrt(first * n) others
        Prediction(
            0.5,
            of="repeated_error",
            constant=variance**0.5 / cell.first**0.25,
            constant_resolution=0.25,
            hypotheses=met,
        ),
        Prediction(variance, of="emission_variance", relation=Relation.EQUALS, mean="repetition", hypotheses=met),
        Prediction(
            transition_variance(model, directions),
            of="transition_variance",
            relation=Relation.EQUALS,
            mean="repetition",
            hypotheses=met,
        ),
        Prediction(
            variance,
            of="controlled_variance",
            relation=Relation.EQUALS,
            mean="repetition",
            resolution=variance / 1000,
            hypotheses=met,
        ),
    )


def _backwards(cell: Sizes, given: dict) -> Prediction | None:
    """The constant of the chain that runs backwards; one of two states is its own reverse."""
    model, directions = _model(cell.states, cell.model)
    reverse = identify.HiddenMarkov(model.emission, model.transition.T)
    if cell.states == 2 or len(set(identify.eigenvalue_ratios(reverse, directions))) < cell.states:
        return None
    return _constant(float(identify.sampling_variance(reverse, directions)))


def _next_model(cell: Sizes, given: dict) -> Prediction:
    """The constant of the model with the next number."""
    return _constant(float(identify.sampling_variance(*_model(cell.states, cell.model + 1))))


def _constant(variance: float) -> Prediction:
    return Prediction(variance, of="controlled_variance", relation=Relation.EQUALS, mean="repetition")


CONTROLS = (
    control(
        "repeated triples",
        "triples may be repeated, sixteen times as many with four times the draws",
        instead={"emission_error": "repeated_error"},
    ),
)


RIVALS = (
    off_by(+1, of="emission_error", name="1/n", statement="the error falls as 1/n"),
    off_by(-1, of="emission_error", name="no decay", statement="the error stays, as it does for pair predictors"),
    scaled(1.5, of="constant", name="constant half as large again"),
    scaled(1.2, of="emission_variance", name="variance a fifth larger", statement="the constant is sqrt(1.2 c)"),
    rival("backwards", _backwards, "the constant is that of the chain that runs backwards", everywhere=False),
    rival("another model", _next_model, "all models have one constant"),
    scaled(1.001, of="controlled_variance", name="a thousandth larger", statement="the constant is sqrt(1.001 c)"),
)
