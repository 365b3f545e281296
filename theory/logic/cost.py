"""Cost estimates of the automata of formulas, from sizes; see `theory.cost`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theory.cost import Estimate

__all__ = ["guesses", "levels"]

_GIB = 2.0**30


def guesses(formula: str, states: int, letters: int, until: int) -> Estimate:
    """Cost of the states of a formula's automaton found so far; a state is a set of guesses of `until` until-formulas."""
    work = f"the automaton of the formula {formula} (more than {states} states before any are merged)"
    sets = 2.0**until
    return Estimate(work, 2e-6 * states * letters * (20 + sets), states * (300.0 + 60.0 * letters + 200.0 * sets) / _GIB)


def levels(name: str, sizes: Sequence[int] | np.ndarray) -> Estimate:
    """Cost of the levels of an automaton's cascade: each set of several states is compared with pairs of smaller sets.

    >>> levels("a chain", [1, 1, 2, 3]).seconds == 1.3e-9 * (2**2 + 3**2)
    True
    """
    ordered = np.sort(np.asarray(sizes))
    smaller = np.searchsorted(ordered, ordered[ordered > 1]).astype(float)
    work = f"the formula of {name} ({len(ordered)} sets of states in triples; that it is star-free is known without them)"
    return Estimate(work, 1.3e-9 * float(smaller @ smaller), 6.0 * len(ordered) ** 2 / _GIB)
