r"""A formula of since and until with k nested operators is k layers of masked hard attention.

Statement: Let a formula of strict since and until have nesting depth k. One layer of masked unique hard attention, repeated k
    times, gives the truth of the formula at every position of every word. A head for each since (strict past, ties to the
    rightmost) and for each until (strict future, ties to the leftmost) attends to the largest score [not f(j) or g(j)] and
    reads g(j).
    $$ j^* = \arg\max_{j<i}\,([\phi_j \to \psi_j],\, j), \qquad (\phi\,\mathbf{S}\,\psi)_i = \psi_{j^*} $$
Hypotheses: strict masks; ties to the nearest position; the feed-forward part computes Boolean functions of the bits at a
    position.
Source: Yang, Chiang, Angluin, “Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages”, arXiv 2310.13897,
    the compiler is derived here.
Refuted by: a position where the attention layers and the evaluator disagree, or a language with another word count.
Cost: quick 10 s on one core, full about 3 min.

A head that sees nothing reads 0. The derivation is in `theory.logic.program`. The answers are checked by two routes: the
recursive evaluator at every position, and, at the last position, the minimal automaton, whose transfer matrix counts the
accepted words of each length.
"""

import dataclasses
import itertools
from functools import cache, partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, off_by
from experiments.logic._programs import programs
from theory.logic import Formula, Until, evaluate, minimal_dfa
from theory.logic.sampling import random_formula

CLAIM = claim(Relation.EQUALS)

LETTERS = "ab"

GUESSES = 10  # until-formulas that the minimal automaton follows at once


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The nesting depth is the axis: so many random formulas of this depth, on all words up to a length."""

    depth: int = axis(1, 2, 3, 4)
    formulas: int = 16
    length: int = 10


GRIDS = {
    "test": Sizes(depth=axis(2), formulas=6, length=6),
    "quick": Sizes(),
    "full": Sizes(formulas=150, length=11),
    "paper": Sizes(formulas=300, length=12),
}


@cache
def _formulas(depth: int, number: int) -> tuple[Formula, ...]:
    """Random formulas of this depth whose minimal automaton is within reach."""
    rng = np.random.default_rng(depth)
    found: list[Formula] = []
    while len(found) < number:
        formula = random_formula(rng, LETTERS, depth)
        if sum(isinstance(part, Until) for part in formula.subformulas) <= GUESSES:
            found.append(formula)
    return tuple(found)


def objects(cell: Sizes, mask: str = "strict", ties: str = "nearest") -> dict:
    """The formulas as programs, and the truth of each at each position by its definition, on all words of each length.

    The words of a length are in lexicographic order; `truth` holds an array (formulas, words, positions) for each length.
    """
    formulas = _formulas(cell.depth, cell.formulas)
    truth = []
    for length in range(1, cell.length + 1):
        words = np.array(list(itertools.product(range(len(LETTERS)), repeat=length)), np.int8)
        truth.append(np.stack([evaluate(formula, words, LETTERS) for formula in formulas]))
    return {"programs": programs(formulas, LETTERS), "mask": mask, "ties": ties, "letters": LETTERS, "truth": truth}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong position with as many layers as the nesting depth; word counts by the minimal automaton's transfer matrix."""
    formulas = _formulas(cell.depth, cell.formulas)
    counts = np.array([minimal_dfa(formula, LETTERS).counts(cell.length)[1:] for formula in formulas])
    exact = Hypothesis("every formula has this nesting depth", all(formula.depth == cell.depth for formula in formulas))
    return (
        Prediction(0, of="wrong", hypotheses=(exact,)),
        Prediction(counts, of="accepted", dims=("formula", "letters")),
        Prediction(cell.depth, of="layers"),
    )


CONTROLS = (
    control("one layer fewer", "k - 1 layers give formulas of nesting depth k", measure="one_layer_fewer"),
    control("ties reversed", "ties may go to the farthest position", objects=partial(objects, ties="farthest")),
    control("mask not strict", "the heads may see their own position", objects=partial(objects, mask="causal")),
)

RIVALS = (off_by(-1, of="layers"), off_by(1, of="accepted", name="one more word of every length"))
