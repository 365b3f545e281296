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
from functools import cache, partial

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import compile_formulas
from depthjax.probe.layers_needed import fewest_layers
from depthjax.tasks.short_words import short_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory.logic import Formula, Until, evaluate, minimal_dfa
from theory.logic.program import program
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
        if sum(isinstance(part, Until) for part in formula.subformulas()) <= GUESSES:
            found.append(formula)
    return tuple(found)


def objects(cell: Sizes, mask: str = "strict", ties: str = "nearest") -> dict:
    """The formulas as one network, all short words, and the truth of each formula at each position by its definition."""
    formulas = _formulas(cell.depth, cell.formulas)
    words = short_words(len(LETTERS), cell.length)
    truth = np.zeros((len(formulas), *words.words.shape), bool)
    for length in range(1, cell.length + 1):
        rows = words.lengths == length
        for index, formula in enumerate(formulas):
            truth[index, rows, :length] = evaluate(formula, words.words[rows, :length], LETTERS)
    network = compile_formulas([program(formula, LETTERS) for formula in formulas], mask, ties)
    return {"network": network, "words": words.words, "lengths": words.lengths, "truth": truth}


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


def measure(cell: Sizes, key: jax.Array, given: dict, most: int | None = None) -> xr.Dataset:
    """Wrong positions, accepted words by length, and the fewest layers with which no position is wrong."""
    words, lengths = given["words"], given["lengths"]
    most = cell.depth if most is None else most

    @cache
    def answers(layers: int) -> np.ndarray:
        return np.asarray(given["network"](words, layers, lengths=lengths))

    def errors(layers: int) -> int:
        return int((answers(layers) != given["truth"]).sum())

    last = answers(most)[:, np.arange(len(lengths)), lengths - 1]
    letters = np.arange(1, cell.length + 1)
    accepted = np.stack([last[:, lengths == length].sum(axis=1) for length in letters], axis=1)
    return measured(
        wrong=Quantity(errors(most), label="positions where attention and evaluator differ"),
        accepted=Quantity(accepted, "formula letters", label="accepted words of a length"),
        layers=Quantity(fewest_layers(errors, most), label="layers needed"),
        letters=letters,
    )


def _one_layer_fewer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measure(cell, key, given, cell.depth - 1)


CONTROLS = (
    control("one layer fewer", "k - 1 layers give formulas of nesting depth k", measure=_one_layer_fewer),
    control("ties reversed", "ties may go to the farthest position", objects=partial(objects, ties="farthest")),
    control("mask not strict", "the heads may see their own position", objects=partial(objects, mask="causal")),
)
RIVALS = (off_by(-1, of="layers"), off_by(1, of="accepted", name="one more word of every length"))
