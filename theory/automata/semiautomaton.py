"""Semiautomata for users: a checked table, and one-line access to everything that is computed from the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from theory.automata.cascade import Cascade
from theory.automata.holonomy import holonomy
from theory.automata.images import Images, images
from theory.automata.inside import GroupInside, groups_inside, perfect_witness, period_witness
from theory.automata.monoid import TransitionMonoid, transition_monoid
from theory.automata.table import TransitionTable
from theory.checks import integer
from theory.facts import fact

__all__ = ["Semiautomaton"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Semiautomaton(TransitionTable):
    """A semiautomaton: its transition table and everything that is computed from it, each part when first asked for.

    >>> parity = Semiautomaton.from_table([[0, 1], [1, 0]])
    >>> parity.run((1, 1, 0, 1), 0), parity.is_aperiodic, parity.is_solvable
    ((1, 0, 0, 1), False, True)
    """

    @classmethod
    def from_table(
        cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "this automaton", *, initial: int | None = None
    ) -> Semiautomaton:
        """A semiautomaton from its table, checked.

        Args:
            table: One row per state, one column per letter.
            name: Name used in messages.
            initial: A state from which all others must be reachable. None asks for nothing.

        Raises:
            ValueError: A row is too short, an entry is missing or is not a state, or some states cannot be reached.
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
                    "moves on every letter; send the missing transitions to a sink state"
                )
            for letter, target in enumerate(row):
                if isinstance(target, bool) or not isinstance(target, (int, np.integer)) or not 0 <= target < len(rows):
                    counted = {entry for row in rows for entry in row if isinstance(entry, (int, np.integer))}
                    from_one = max(counted, default=0) == len(rows) and min(counted, default=0) >= 1
                    hint = "it counts from 1, so subtract 1" if from_one else "complete a partial table with a sink state"
                    raise ValueError(
                        f"table[{state}, {letter}] = {target!r} is not a state: expected an integer in 0 .. {len(rows) - 1}, "
                        f"because every letter moves every state; {hint}"
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

    def transition_monoid(self, limit: int = 500_000) -> TransitionMonoid:
        """All maps of the states that words induce, see `theory.automata.monoid`; at most `limit` of them."""
        return transition_monoid(self, limit)

    @property
    def images(self) -> Images:
        """The sets onto which words map all states, and how letters move them, see `theory.automata.images`."""
        return images(self)

    @fact
    def groups_inside(self) -> tuple[GroupInside, ...]:
        """The non-trivial groups by which words permute an image, one per class of images.

        Every simple group that divides the monoid divides one of them.
        """
        return groups_inside(self)

    @property
    def is_aperiodic(self) -> bool:
        """Whether every group inside is trivial: the languages it recognises are star-free (Schuetzenberger 1965)."""
        return self.period_witness() is None

    def period_witness(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """A word and states that the word permutes without fixing all of them; None if the automaton is aperiodic."""
        return period_witness(self)

    @property
    def is_solvable(self) -> bool:
        """Whether every group inside is solvable: then a cascade of abelian stages and resets simulates the automaton."""
        return self.perfect_witness() is None

    def perfect_witness(self) -> GroupInside | None:
        """A group inside that is not solvable, with its perfect subgroup; None if all groups inside are solvable."""
        return perfect_witness(self)

    def holonomy(self, by: str = "height") -> Cascade:
        """The holonomy decomposition as a cascade of permutation-reset levels, see `theory.automata.holonomy`.

        Args:
            by: The construction: levels by the "height" of images; "group" or "size", where images of equal size share levels;
                or "fewest", that of these three with the fewest layers, which `bounds.automaton` counts.

        Raises:
            ValueError: There is no such construction.
            TooExpensive: There are too many images for the limit of `theory.cost`.

        >>> tall = Semiautomaton.from_table([[0, 0], [0, 0], [1, 2]])
        >>> len(tall.holonomy().levels), len(tall.holonomy("size").levels)
        (3, 2)
        """
        return holonomy(self, by)


def _reachable(table: np.ndarray, initial: int) -> set[int]:
    if not 0 <= integer("initial", initial, "the number of a state") < len(table):
        raise ValueError(f"initial = {initial} is not a state: expected an integer in 0 .. {len(table) - 1}")
    found = [initial]
    for state in found:  # grows while it is walked
        found += [int(target) for target in dict.fromkeys(table[state].tolist()) if target not in found]
    return set(found)
