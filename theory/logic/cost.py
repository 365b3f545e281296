"""Cost estimates of words and of automata of formulas, from lengths and sizes; see `theory.cost`."""

from __future__ import annotations

from theory.cost import Estimate, power

__all__ = ["guesses", "words"]

_GIB = 2.0**30


def words(letters: int, length: int) -> Estimate:
    """Cost of all words of a length, as one number for each letter."""
    cells = power(letters, length) * max(length, 1)
    return Estimate(f"all words of length {length} over {letters} letters", 1e-8 * cells, 32.0 * cells / _GIB)


def guesses(formula: str, states: int, letters: int, until: int) -> Estimate:
    """Cost of so many states of a formula's automaton; a state holds a set of guesses of the `until` until-formulas."""
    work = f"the automaton of the formula {formula} (more than {states} states before any are merged)"
    sets = 2.0**until
    return Estimate(work, 2e-6 * states * letters * (20 + sets), states * (300.0 + 60.0 * letters + 200.0 * sets) / _GIB)
