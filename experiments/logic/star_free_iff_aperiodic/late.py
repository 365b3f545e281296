"""When the truth of a formula on x u^n y stops changing with n, and formulas for which this is late."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from theory.automata import Dfa
from theory.checks import positive_integer
from theory.logic.automaton import minimal_dfa
from theory.logic.formula import Formula, Until
from theory.logic.sampling import random_formula

__all__ = ["late_formulas", "settling"]

Loop = tuple[Sequence[int], Sequence[int], Sequence[int]]


def settling(dfa: Dfa, loops: Iterable[Loop]) -> list[int]:
    """Return, for each of these x, u, y, the least n >= 1 from which on membership of x u^n y stays as it is.

    Words are sequences of letter indices.

    Raises:
        ValueError: Membership goes on changing, so the language is not star-free.

    >>> from theory.automata import regular
    >>> settling(regular("aaab*"), [((), (0,), ()), ((0,), (1,), ())])
    [4, 1]
    """
    table, found = dfa.automaton.table.tolist(), []
    for x, u, y in loops:
        state, seen = _moved(table, 0, x), []
        for _ in range(2 * len(table) + 1):
            state = _moved(table, state, u)
            seen.append(bool(dfa.accepting[_moved(table, state, y)]))
        last = max((n for n, (here, then) in enumerate(itertools.pairwise(seen), 1) if here != then), default=0)
        if last > len(table):  # states repeat by then, and what repeats with a change repeats for ever
            raise ValueError(f"membership of x u^n y with x, u, y = {x}, {u}, {y} never settles: the language is not star-free")
        found.append(last + 1)
    return found


def late_formulas(
    rng: np.random.Generator, letters: str, depth: int, count: int, draws: int, guesses: int, loops: Sequence[Loop]
) -> list[tuple[Dfa, Formula]]:
    """Draw formulas and keep those that settle last, in the order in which they were drawn, with their minimal automata.

    Args:
        rng: Source of the formulas.
        letters: The alphabet.
        depth: of every formula.
        count: Number of formulas that are kept.
        draws: Number of formulas that are drawn.
        guesses: Most until-formulas in a formula; others are drawn again.
        loops: The words x, u, y by which `settling` judges.

    Raises:
        ValueError: A number is not positive.
    """
    positive_integer("count", count, "the number of formulas that are kept")
    found: list[tuple[Dfa, Formula]] = []
    while len(found) < max(draws, count):
        formula = random_formula(rng, letters, depth)
        if sum(isinstance(part, Until) for part in formula.subformulas) <= guesses:
            found.append((minimal_dfa(formula, letters), formula))
    late = np.argsort([-max(settling(dfa, loops)) for dfa, _ in found], kind="stable")[:count]
    return [found[index] for index in sorted(late)]


def _moved(table: list[list[int]], state: int, word: Sequence[int]) -> int:
    for letter in word:
        state = table[state][letter]
    return state
