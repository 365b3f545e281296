"""Cost estimates of the automata of formulas, from sizes; see `theory.cost`."""

from __future__ import annotations

from theory.cost import Estimate

__all__ = ["guesses"]

_GIB = 2.0**30


def guesses(formula: str, states: int, letters: int, until: int) -> Estimate:
    """Cost of the states of a formula's automaton found so far; a state is a set of guesses of `until` until-formulas."""
    work = f"the automaton of the formula {formula} (more than {states} states before any are merged)"
    sets = 2.0**until
    return Estimate(work, 2e-6 * states * letters * (20 + sets), states * (300.0 + 60.0 * letters + 200.0 * sets) / _GIB)
