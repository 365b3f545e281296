"""Random formulas of a given depth, and random automata."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from theory.automata import Dfa, Semiautomaton
from theory.logic.formula import And, AtLeast, Atom, Count, Formula, Not, Or, Since, Until

__all__ = ["random_counting_formula", "random_dfa", "random_formula"]


def random_formula(rng: np.random.Generator, letters: Sequence[str], depth: int, *, past: bool = False) -> Formula:
    """A random formula of exactly this nesting depth, with since and, unless `past`, until.

    Each temporal operator has one side of full depth and one of any smaller depth. About half of the levels get a negation,
    and half get a conjunction or disjunction with a shallower formula.

    >>> random_formula(np.random.default_rng(0), "ab", 3).depth
    3
    """
    if depth == 0:
        formula: Formula = Atom(letters[int(rng.integers(len(letters)))])
    else:
        sides = [random_formula(rng, letters, int(d), past=past) for d in (depth - 1, rng.integers(depth))]
        left, right = sides if rng.random() < 0.5 else sides[::-1]
        formula = Since(left, right) if past or rng.random() < 0.5 else Until(left, right)
    return _dressed(rng, formula, lambda d: random_formula(rng, letters, d, past=past))


def random_counting_formula(rng: np.random.Generator, letters: Sequence[str], depth: int, size: int) -> Formula:
    """A random formula of exactly this depth with counts of the past; coefficients and bounds are at most `size` in size.

    >>> random_counting_formula(np.random.default_rng(0), "ab", 2, 3).depth
    2
    """
    if depth == 0:
        formula: Formula = Atom(letters[int(rng.integers(len(letters)))])
    else:
        depths = (depth - 1, *rng.integers(depth, size=rng.integers(1, 3)).tolist())
        parts = [random_counting_formula(rng, letters, d, size) for d in depths]
        formula = AtLeast(
            tuple(Count(int(rng.integers(-size, size + 1)), part) for part in parts), int(rng.integers(-size, size + 1))
        )
    return _dressed(rng, formula, lambda d: random_counting_formula(rng, letters, d, size))


def _dressed(rng: np.random.Generator, formula: Formula, other: Callable[[int], Formula]) -> Formula:
    """The formula with a random negation, and a random conjunction or disjunction with a shallower formula."""
    if rng.random() < 0.5:
        formula = Not(formula)
    if formula.depth and rng.random() < 0.5:
        parts = (formula, other(int(rng.integers(formula.depth))))
        formula = And(parts) if rng.random() < 0.5 else Or(parts)
    return formula


def random_dfa(rng: np.random.Generator, letters: str, states: int) -> Dfa:
    """The minimal automaton of a uniformly random table with this many states, each accepting with probability 1/2."""
    table = rng.integers(states, size=(states, len(letters)))
    accepting = rng.random(states) < 0.5
    return Dfa(Semiautomaton(table, "a random automaton", letters=tuple(letters)), accepting, tuple(letters)).minimal
