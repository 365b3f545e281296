"""How well the last letter and the counts of all letters tell the state of an automaton: what one sum can know of a word."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from theory.automata.semiautomaton import Semiautomaton
from theory.checks import integer

__all__ = ["least_misses"]


def least_misses(automaton: Semiautomaton, length: int, kept: int = 1) -> int:
    """Return on how many words of this length, from all starts, every reader of counts and last letters misses the state.

    The reader knows the start. It answers best with the state that most words with these counts and these last letters reach,
    so it misses all other words. Words are counted by a recursion over their letters.

    Cost: O(length^letters * states^2 * letters^kept).

    Raises:
        ValueError: `length` or `kept`, the number of last letters, is not an integer >= 1.

    >>> from theory.automata import semiautomaton
    >>> least_misses(semiautomaton("C5"), 4), [least_misses(semiautomaton("gridworld3"), 4, kept) for kept in (1, 2, 3)]
    (0, [24, 8, 0])
    """
    integer("length", length, "the length of the words", least=1)
    integer("kept", kept, "the number of last letters that are known", least=1)
    states, letters = automaton.table.shape
    # counts, last letters -> words by start and state
    found: dict = {((0,) * letters, ()): np.eye(states, dtype=object)}
    for _ in range(length):
        longer: dict = defaultdict(lambda: np.zeros((states, states), object))
        for (counts, last), ways in found.items():
            for letter in range(letters):
                ends = (*last, letter)[-kept:]
                more = tuple(count + (letter == place) for place, count in enumerate(counts))
                for state in range(states):
                    longer[more, ends][:, automaton.table[state, letter]] += ways[:, state]
        found = longer
    return int(sum(ways.sum() - ways.max(axis=1).sum() for ways in found.values()))
