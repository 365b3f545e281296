"""A semiautomaton as its transition table, with what needs nothing but the table: runs of words, and names.

Everything else about a semiautomaton is a function of this table, in a file of its own. `theory.automata.Semiautomaton` joins
them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from numbers import Real

import numpy as np

__all__ = ["TransitionTable"]


@dataclasses.dataclass(frozen=True, eq=False)
class TransitionTable:
    """States ``0 .. num_states - 1`` and letters ``0 .. num_letters - 1``; words are read from left to right.

    Attributes:
        table: Integer array, ``table[state, letter]`` is the next state.
        name: Name used in messages.
        states: Names of the states; empty if they are numbers alone.
        letters: Names of the letters; empty if they are numbers alone.

    Raises:
        ValueError: There are no states or no letters.
    """

    table: np.ndarray
    name: str = "this automaton"
    states: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.table.ndim != 2 or not self.table.size:
            raise ValueError(
                f"{self.name} has no states or no letters (its table has the shape {self.table.shape}): expected one row per "
                "state and one column per letter, because words are read letter by letter; give at least one of each"
            )

    def __repr__(self) -> str:
        states = self._listed(self.num_states, "state", self.states)
        return f"<{type(self).__name__} {self.name}: {states}, {self._listed(self.num_letters, 'letter', self.letters)}>"

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.table.shape[0]

    @property
    def num_letters(self) -> int:
        """Number of letters."""
        return self.table.shape[1]

    def run(self, word: Iterable[int | str], state: int | str = 0) -> tuple[int, ...] | tuple[str, ...]:
        """The state after each letter: names for a word in names (a string spells letters of one character), else numbers.

        Raises:
            ValueError: A letter or the state is out of range, or has no such name.
        """
        read = tuple(word)  # an iterator is read once
        letters, current = self.numbers(read, state)
        states = []
        for letter in letters:
            current = int(self.table[current, letter])
            states.append(current)
        return self.spelled(states, read)

    def numbers(self, word: Iterable[int | str], state: int | str = 0) -> tuple[tuple[int, ...], int]:
        """A word and a state as numbers.

        Raises:
            ValueError: Names the first letter or the state that is out of range or has no such name.
        """
        start = self._number(state, "state", self.states, self.num_states)
        return tuple(
            self._number(letter, "letter", self.letters, self.num_letters, f" at position {position}")
            for position, letter in enumerate(word)
        ), start

    def spelled(self, states: Iterable[int], word: Iterable[int | str] = "") -> tuple[int, ...] | tuple[str, ...]:
        """States as a word speaks of them: by their names if the word is in names and they have names, else as numbers."""
        named = self.states and all(isinstance(letter, str) for letter in word)
        return tuple(self.states[state] for state in states) if named else tuple(map(int, states))

    def _number(self, given: int | str, kind: str, names: tuple[str, ...], count: int, place: str = "") -> int:
        if isinstance(given, str) and given in names:
            return names.index(given)
        if not isinstance(given, str) and isinstance(given, Real) and 0 <= given < count and given == int(given):
            return int(given)
        known = ", ".join(names) if names and isinstance(given, str) else f"0 .. {count - 1}"
        shown = repr(given) if isinstance(given, str) else given
        raise ValueError(f"{kind} {shown}{place} is out of range: {self.name} has {kind}s {known}")

    @staticmethod
    def _listed(count: int, kind: str, names: tuple[str, ...]) -> str:
        listed = f" {', '.join(names)}"
        return f"{count} {kind}s" + (listed if names and len(listed) <= 60 else "")
