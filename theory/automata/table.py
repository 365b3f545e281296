"""A semiautomaton as its transition table, with what needs nothing but the table: runs of words.

Everything else about a semiautomaton is a function of this table, in a file of its own. `theory.automata.Semiautomaton` joins
them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

__all__ = ["TransitionTable"]


@dataclasses.dataclass(frozen=True, eq=False)
class TransitionTable:
    """States ``0 .. num_states - 1`` and letters ``0 .. num_letters - 1``; words are read from left to right.

    Attributes:
        table: Integer array, ``table[state, letter]`` is the next state.
        name: Name used in messages.
    """

    table: np.ndarray
    name: str = "this automaton"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.num_states} states, {self.num_letters} letters>"

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.table.shape[0]

    @property
    def num_letters(self) -> int:
        """Number of letters."""
        return self.table.shape[1]

    def run(self, word: Sequence[int], state: int) -> tuple[int, ...]:
        """The state after each letter of a word.

        Raises:
            ValueError: A letter or the state is out of range.
        """
        self.check(word, state)
        states = []
        for letter in word:
            state = int(self.table[state, letter])
            states.append(state)
        return tuple(states)

    def check(self, word: Sequence[int], state: int) -> None:
        """Refuse letters and states that do not exist.

        Raises:
            ValueError: Names the first letter or the state that is out of range.
        """
        if not 0 <= state < self.num_states:
            raise ValueError(f"state {state} is out of range: {self.name} has states 0 .. {self.num_states - 1}")
        for position, letter in enumerate(word):
            if not 0 <= letter < self.num_letters:
                raise ValueError(
                    f"letter {letter} at position {position} is out of range: {self.name} has letters "
                    f"0 .. {self.num_letters - 1}"
                )
