"""A semiautomaton: finitely many states, finitely many letters, and the state each letter leads to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from theory.checks import integer

if TYPE_CHECKING:
    from theory.automata.cascade import Cascade
    from theory.automata.images import Images
    from theory.automata.inside import GroupInside
    from theory.automata.monoid import TransitionMonoid

__all__ = ["Semiautomaton"]


@dataclasses.dataclass(frozen=True, eq=False)
class Semiautomaton:
    """States ``0 .. num_states - 1``, letters ``0 .. num_letters - 1``; words are read from left to right.

    Attributes:
        table: integer array, ``table[state, letter]`` is the next state.
        name: for people.

    >>> Semiautomaton.from_table([[0, 1], [1, 0]]).run((1, 1, 0, 1), 0)
    (1, 0, 0, 1)
    """

    table: np.ndarray
    name: str = "this automaton"

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.table.shape[0]

    @property
    def num_letters(self) -> int:
        """Number of letters."""
        return self.table.shape[1]

    @classmethod
    def from_table(
        cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "this automaton", *, initial: int | None = None
    ) -> Semiautomaton:
        """A semiautomaton from its table, checked.

        Args:
            table: one row per state, one column per letter.
            name: for people.
            initial: a state from which all others must be reachable (default: nothing is asked).

        Raises:
            ValueError: a row too short, an entry that is missing or not a state, or states that cannot be reached.
        """
        try:
            rows = [list(row) for row in table]
        except TypeError:
            raise ValueError(
                f"table = {table!r:.80}: expected rows, one per state, with the next state for each letter"
            ) from None
        if not rows or not rows[0]:
            raise ValueError("table has no states or no letters: expected one row per state and one column per letter")
        for state, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(
                    f"table is partial: state {state} has {len(row)} transitions, state 0 has {len(rows[0])}. A semiautomaton "
                    "moves on every letter; send the missing ones to a sink state"
                )
            for letter, target in enumerate(row):
                if isinstance(target, bool) or not isinstance(target, (int, np.integer)) or not 0 <= target < len(rows):
                    raise ValueError(
                        f"table[{state}, {letter}] = {target!r} is not a state: expected an integer in 0 .. {len(rows) - 1}, "
                        "because every letter moves every state; complete a partial table with a sink state"
                    )
        array = np.array(rows, dtype=np.int64)
        if initial is not None:
            lost = sorted(set(range(len(rows))) - _reachable(array, initial))
            if lost:
                raise ValueError(
                    f"states {lost} are unreachable from {initial}: they would add levels to the decomposition and never "
                    "occur; remove them from the table, or give no initial state"
                )
        return cls(array, name)

    def run(self, word: Sequence[int], state: int) -> tuple[int, ...]:
        """The state after each letter of a word.

        Raises:
            ValueError: a letter or the state is out of range.
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
            ValueError: names the first one.
        """
        if not 0 <= state < self.num_states:
            raise ValueError(f"state {state} is out of range: {self.name} has states 0 .. {self.num_states - 1}")
        for position, letter in enumerate(word):
            if not 0 <= letter < self.num_letters:
                raise ValueError(
                    f"letter {letter} at position {position} is out of range: {self.name} has letters "
                    f"0 .. {self.num_letters - 1}"
                )

    def transition_monoid(self, limit: int = 500_000) -> TransitionMonoid:
        """All maps of the states that words induce; see :func:`theory.automata.monoid.transition_monoid`."""
        from theory.automata.monoid import transition_monoid

        return transition_monoid(self, limit)

    @cached_property
    def images(self) -> Images:
        """The sets that words map all states onto, with the permutations between them."""
        from theory.automata.images import images

        return images(self)

    def groups_inside(self) -> tuple[GroupInside, ...]:
        """The non-trivial groups by which words permute an image, one per class of images.

        Every simple group that divides the monoid divides one of them.
        """
        from theory.automata.inside import groups_inside

        return groups_inside(self)

    def is_aperiodic(self) -> bool:
        """Whether every group inside is trivial: the languages it recognises are star-free (Schuetzenberger 1965)."""
        return self.period_witness() is None

    def period_witness(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """A word and states that it permutes without fixing them all, which no aperiodic automaton has; None without one."""
        from theory.automata.inside import period_witness

        return period_witness(self)

    def is_solvable(self) -> bool:
        """Whether every group inside is solvable: then a cascade of abelian stages and resets simulates it."""
        return self.perfect_witness() is None

    def perfect_witness(self) -> GroupInside | None:
        """A group inside that is not solvable, which knows its perfect subgroup; None where all are solvable."""
        return next((found for found in self.groups_inside() if not found.is_solvable), None)

    def holonomy(self) -> Cascade:
        """The holonomy decomposition as a cascade of permutation-reset levels; see :mod:`theory.automata.holonomy`."""
        from theory.automata.holonomy import holonomy

        return holonomy(self)


def _reachable(table: np.ndarray, initial: int) -> set[int]:
    if not 0 <= integer("initial", initial, "the number of a state") < len(table):
        raise ValueError(f"initial = {initial} is not a state: expected an integer in 0 .. {len(table) - 1}")
    found = [initial]
    for state in found:  # grows while it is walked
        found += [int(target) for target in dict.fromkeys(table[state].tolist()) if target not in found]
    return set(found)
