r"""A formula of since and until with k nested operators is k layers of masked hard attention.

Statement: Let a formula of strict since and until have nesting depth k. One layer of masked unique hard attention, repeated k
    times, gives the truth of the formula at every position of every word. A head for each since (strict past, ties to the
    rightmost) and for each until (strict future, ties to the leftmost) attends to the largest score [not f(j) or g(j)] and
    reads g(j).
    $$ j^* = \arg\max_{j<i}\,([\phi_j \to \psi_j],\, j), \qquad (\phi\,\mathbf{S}\,\psi)_i = \psi_{j^*} $$
Hypotheses: strict masks; ties to the nearest position; the feed-forward part computes Boolean functions of the bits at a
    position. That so many layers are needed holds of random formulas over two letters or more: over one letter they collapse.
Source: Yang, Chiang, Angluin, “Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages”, arXiv 2310.13897,
    the compiler is derived here.
Refuted by: a position where the attention layers and the evaluator disagree, or a language with another word count.
Cost: quick 10 s on one core, full about 3 min.

A head that sees nothing reads 0. The derivation is in `theory.logic.program`. The answers are checked by two routes: the
recursive evaluator at every position, and, at the last position, the minimal automaton, whose transfer matrix counts the
accepted words of each length. The right positions are counted, not the wrong ones, so that positions which nobody looks at are
missed. Networks that are built otherwise read other formulas; the positions where these agree with the first are counted too.
"""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, whole
from experiments.logic._programs import programs
from experiments.logic.ltl_depth_compiles.misread import after_layers, ties_to_the_farthest, with_own_position
from theory.logic import Formula, Since, Until, evaluate, minimal_dfa
from theory.logic.sampling import random_formula

CLAIM = claim(Relation.EQUALS)


GUESSES = 10  # until-formulas that the minimal automaton follows at once


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The nesting depth is the axis: so many random formulas of this depth, on all words up to a length."""

    depth: int = axis(1, 2, 3, 4)
    formulas: int = 16
    length: int = 10
    letters: str = "ab"
    draw: int = 0

    @property
    def words(self) -> int:
        """How many words are read, at the most."""
        return len(self.letters) ** (self.length + 1)


DOMAIN = domain(
    depth=whole(1, 6, quick=5, test=3),
    letters=among("ab", "abc", "abcd"),
    length=whole(4, 12, quick=10, test=6),
    draw=whole(0, 9999),
    where={"at most 2^12 words are read": lambda cell: cell.words <= 2**12},
)
GRIDS = {
    "test": Sizes(depth=axis(2), formulas=6, length=6),
    "quick": Sizes(),
    "full": Sizes(formulas=150, length=11),
    "paper": Sizes(formulas=300, length=12),
}


@cache
def _formulas(cell: Sizes) -> tuple[Formula, ...]:
    """Random formulas of the cell's depth whose minimal automaton is within reach."""
    rng = np.random.default_rng([cell.depth, cell.draw])
    found: list[Formula] = []
    while len(found) < cell.formulas:
        formula = random_formula(rng, cell.letters, cell.depth)
        if sum(isinstance(part, Until) for part in formula.subformulas) <= GUESSES:
            found.append(formula)
    return tuple(found)


@cache
def _words(letters: int, length: int) -> np.ndarray:
    """All words of a length, in lexicographic order."""
    return np.array(list(itertools.product(range(letters), repeat=length)), np.int8)


def _truth(cell: Sizes, formulas: Sequence[Formula]) -> list[np.ndarray]:
    """The truth of each formula at each position of each word, an array (formulas, words, positions) for each length."""
    words = [_words(len(cell.letters), length) for length in range(1, cell.length + 1)]
    return [np.stack([evaluate(formula, some, cell.letters) for formula in formulas]) for some in words]


def objects(cell: Sizes) -> dict:
    """The formulas as programs, and the truth of each at each position by its definition, on all words of each length.

    The words of a length are in lexicographic order; `truth` holds an array (formulas, words, positions) for each length.
    """
    return {
        "programs": programs(_formulas(cell), cell.letters),
        "letters": cell.letters,
        "truth": _truth(cell, _formulas(cell)),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Every position right with as many layers as the nesting depth; word counts by the minimal automaton's transfer matrix.

    The networks of the controls read other formulas, which `misread` writes down: in how many positions these say the same.
    """
    formulas, lengths = _formulas(cell), range(1, cell.length + 1)
    counts = np.array([minimal_dfa(formula, cell.letters).counts(cell.length)[1:] for formula in formulas])
    parts = [{type(part) for part in formula.subformulas} for formula in formulas]
    exact = Hypothesis("every formula has this nesting depth", all(formula.depth == cell.depth for formula in formulas))
    both = Hypothesis("some formulas look back, and some ahead", {Since, Until} <= set().union(*parts))
    positions = [length * len(cell.letters) ** length for length in lengths]
    true = [truth.sum(axis=(1, 2)) for truth in given["truth"]]

    def right(reading: Callable[[Formula], Formula], of: str) -> Prediction:
        read = _truth(cell, [reading(formula) for formula in formulas])
        same = [(found == truth).sum(axis=(1, 2)) for found, truth in zip(read, given["truth"], strict=True)]
        return Prediction(np.stack(same, axis=1), of=of, dims=("formula", "letters"))

    return (
        Prediction([positions] * len(formulas), of="right", dims=("formula", "letters"), hypotheses=(exact, both)),
        Prediction(np.stack(true, axis=1), of="true", dims=("formula", "letters")),
        Prediction(counts, of="accepted", dims=("formula", "letters")),
        Prediction(cell.depth, of="layers"),
        right(partial(after_layers, layers=cell.depth - 1), "right_before"),
        right(ties_to_the_farthest, "right_farthest"),
        right(with_own_position, "right_own"),
    )


CONTROLS = (
    control("one layer fewer", "k - 1 layers give formulas of nesting depth k", instead={"right": "right_before"}),
    control("ties reversed", "ties may go to the farthest position", instead={"right": "right_farthest"}),
    control("mask not strict", "the heads may see their own position", instead={"right": "right_own"}),
)

RIVALS = (off_by(-1, of="layers"), off_by(1, of="accepted", name="one more word of every length"))
