r"""A formula of linear temporal logic with k nested operators is k layers of masked hard attention.

Statement: let a formula of strict since and until have nesting depth k. One attention layer, repeated k times, gives its
truth at every position of every word: a head for each since (strict past, ties to the rightmost) and for each until (strict
future, ties to the leftmost) attends to the largest score [not f(j) or g(j)] and reads g(j); Boolean operators are
feed-forward.

    j* = argmax_(j < i) ([f(j) -> g(j)], j),      (f S g)(i) = g(j*),      0 on an empty set.

Derivation: `theory.logic.program`. Two routes to the answer: the recursive evaluator at every position, and for the last
position the minimal automaton, whose transfer matrix counts the accepted words of each length.

Hypotheses: strict masks, unique hard attention with these tie rules, Boolean functions in the feed-forward part; no positions.
Source: Yang, Chiang, Angluin, arXiv 2310.13897 (that such attention is LTL); the layers are derived. Refuted by: one wrong
position. Cost: 10 s on a CPU at quick size.
"""

import dataclasses
from functools import partial

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import compile_formulas
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.logic._words import Asked, asked
from theory.logic import Formula, minimal_dfa
from theory.logic.sampling import random_formula

CLAIM = Claim(
    slug="ltl_depth_compiles",
    title="A formula of since and until with k nested operators is k layers of masked hard attention",
    statement=(
        "Masked unique hard attention, one layer repeated k times with a head for each since and until, gives the truth of any "
        "formula of linear temporal logic of nesting depth k at every position of every word."
    ),
    latex=r"j^* = \arg\max_{j<i}\,([\phi_j \to \psi_j],\, j), \qquad (\phi\,\mathbf{S}\,\psi)_i = \psi_{j^*}",
    relation=Relation.EQUALS,
    source=Source(
        "Yang, Chiang, Angluin",
        "Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages",
        "arXiv 2310.13897",
        "the compiler is derived here",
    ),
    assumes=(
        "strict masks; ties to the nearest position",
        "Boolean functions of the bits at a position are computed by the feed-forward part",
    ),
    refuted_by="a position at which the attention layers and the evaluator disagree, or a language with another word count",
    cost="10 s on a CPU at quick size",
)

LETTERS = "ab"
GUESSES = 10  # until-formulas that the minimal automaton follows at once


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The nesting depth is the axis; so many random formulas of each, on all words up to a length."""

    depth: int = axis(1, 2, 3, 4)
    formulas: int = 16
    length: int = 10


GRIDS = {"quick": Sizes(), "full": Sizes(formulas=300, length=12), "paper": Sizes(formulas=300, length=12)}


def _formulas(cell: Sizes) -> list[Formula]:
    """Random formulas of this depth whose minimal automaton is within reach."""
    rng = np.random.default_rng(cell.depth)
    found: list[Formula] = []
    while len(found) < cell.formulas:
        formula = random_formula(rng, LETTERS, cell.depth)
        if sum(type(part).__name__ == "Until" for part in formula.subformulas()) <= GUESSES:
            found.append(formula)
    return found


def setting(cell: Sizes) -> Asked:
    """The formulas as programs, and their truth on all words by the exact evaluator."""
    return asked(_formulas(cell), LETTERS, cell.length)


def predict(cell: Sizes, given: Asked) -> tuple[Prediction, ...]:
    """No wrong position with as many layers as the nesting depth; word counts by the minimal automaton's transfer matrix."""
    formulas = _formulas(cell)
    counts = np.array([minimal_dfa(formula, LETTERS).counts(cell.length)[1:] for formula in formulas])
    exact = Hypothesis("every formula has this nesting depth", all(formula.depth == cell.depth for formula in formulas))
    return (
        Prediction(0, of="wrong", hypotheses=(exact,)),
        Prediction(counts, of="accepted", dims=("formula", "letters")),
        Prediction(cell.depth, of="layers"),
    )


def measure(cell: Sizes, key: jax.Array, given: Asked, mask: str = "strict", ties: str = "nearest") -> xr.Dataset:
    """Wrong positions, accepted words by length, and the fewest layers after which no position is wrong."""
    model = compile_formulas(given.programs, mask, ties)
    truth = np.asarray(model(given.words.words, lengths=given.words.lengths))
    last = truth[:, np.arange(len(given.words.lengths)), given.words.lengths - 1]
    accepted = [last[:, given.words.lengths == n].sum(axis=1) for n in range(1, cell.length + 1)]
    return xr.Dataset(
        {
            "wrong": ((), int((truth != given.answers).sum()), {"long_name": "positions where attention and evaluator differ"}),
            "accepted": (("formula", "letters"), np.stack(accepted, axis=1), {"long_name": "accepted words of a length"}),
            "layers": ((), _needed(model, given, truth), {"long_name": "layers after which no position is wrong"}),
        },
        coords={"letters": np.arange(1, cell.length + 1)},
    )


def _needed(model, given: Asked, truth: np.ndarray) -> int:
    """The least number of layers with the right answers; one more than the depth if there is none."""
    if (truth != given.answers).any():
        return model.depth + 1
    needed = model.depth
    while needed and not (np.asarray(model(given.words.words, needed - 1, lengths=given.words.lengths)) != given.answers).any():
        needed -= 1
    return needed


def _fewer(cell: Sizes, key: jax.Array, given: Asked) -> xr.Dataset:
    model = compile_formulas(given.programs)
    truth = np.asarray(model(given.words.words, cell.depth - 1, lengths=given.words.lengths))
    return xr.Dataset({"wrong": ((), int((truth != given.answers).sum()))})


def _none_wrong(cell: Sizes, given: Asked) -> Prediction:
    return Prediction(0, of="wrong")


CONTROLS = (
    Control("one layer fewer", "k - 1 layers give formulas of nesting depth k", _none_wrong, _fewer),
    Control("ties reversed", "ties may go to the farthest position", _none_wrong, partial(measure, ties="farthest")),
    Control("mask not strict", "the heads may see their own position", _none_wrong, partial(measure, mask="causal")),
)
