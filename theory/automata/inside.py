"""The groups inside a semiautomaton, with witnesses that they are not trivial or not solvable.

The words that map an image R onto itself permute R. These groups, one per class of images, are quotients of submonoids of the
transition monoid, and every group that divides the monoid divides one of them. An automaton is aperiodic if all of them are
trivial, and solvable if all of them are solvable. By Schreier's lemma, a spanning tree of the class and one generator for each
letter and image give the group.

Source: Krohn and Rhodes, Transactions of the AMS 116 (1965); Eilenberg, Automata, Languages and Machines B (1976), chapter II.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np
from sympy.combinatorics import Permutation, PermutationGroup
from sympy.combinatorics.util import _distribute_gens_by_base, _orbits_transversals_from_bsgs
from sympy.core.random import rng

from theory.automata.cost import permutations, stabilizers
from theory.automata.images import Images, images
from theory.automata.permutations import commute, cycle_lengths, holds_all_even, is_odd, is_transitive
from theory.automata.table import TransitionTable
from theory.caching import once_per_object
from theory.cost import TooExpensive, refuse, share
from theory.groups import FiniteGroup
from theory.groups.series import spelled

__all__ = ["GroupInside", "groups_inside", "perfect_witness", "period_witness"]

FEW = 32  # points on which every chain of stabilizers is short
SHOWN = 20  # states that a line names
LISTED = 0.2
"""Share of the limit that may be spent on listing a group in the hope that it is small."""


@dataclasses.dataclass(frozen=True, eq=False)
class GroupInside:
    """A group of permutations of an image.

    Attributes:
        states: The image.
        generators: Permutations of ``0 .. len(states) - 1``, the positions in ``states``; words act from the right.
    """

    states: tuple[int, ...]
    generators: tuple[tuple[int, ...], ...]

    @cached_property
    def _group(self) -> PermutationGroup:
        points = len(self.states)
        refuse(permutations(points))
        group = PermutationGroup([Permutation(list(generator)) for generator in self.generators])
        if points > FEW:
            with _same_draws():
                base, strong = group.schreier_sims_random([0, 1], group.generators)  # sympy fails on a base of one point
            by_level = _distribute_gens_by_base(base, strong)
            orbits, _ = _orbits_transversals_from_bsgs(base, by_level)  # type: ignore[misc]
            refuse(stabilizers(points, list(map(len, orbits)), list(map(len, by_level))))  # type: ignore[arg-type]
        return group

    @cached_property
    def _listed(self) -> FiniteGroup | None:
        """The group with all its elements, where it is small but moves too many points for a chain of stabilizers."""
        points = len(self.states)
        if permutations(points).factor <= 1:
            return None
        try:
            with share(LISTED):
                return FiniteGroup.from_permutations(self.generators)
        except (TooExpensive, ValueError):  # or it has more elements than a table may
            return None

    @cached_property
    def _commutes(self) -> bool:
        return all(commute(g, h) for g, h in itertools.combinations(self.generators, 2))

    @cached_property
    def order(self) -> int:
        """Number of permutations."""
        if len(self.generators) == 1:
            return math.lcm(*cycle_lengths(self.generators[0]))
        if self._commutes and is_transitive(self.generators, len(self.states)):
            return len(self.states)  # what fixes a point fixes every point that a commuting permutation makes of it
        if holds_all_even(self.generators):
            odd = any(map(is_odd, self.generators))
            return math.factorial(len(self.states)) // (1 if odd else 2)
        return self._listed.order if self._listed else int(self._group.order())

    @cached_property
    def derived_orders(self) -> tuple[int, ...]:
        """Orders of the derived series, down to 1 or to the first repetition.

        Raises:
            TooExpensive: The permutations move too many states, and neither commute nor give all even permutations.
        """
        if self._commutes:
            return (self.order, 1) if self.order > 1 else (1,)
        if holds_all_even(self.generators):  # at least 8 states, so the alternating group is perfect
            even = math.factorial(len(self.states)) // 2
            return (self.order, even) if self.order > even else (even,)
        if self._listed:
            return tuple(map(len, self._listed.derived_series))
        if len(self.states) <= FEW:
            return _derived_orders(self.generators)
        return tuple(int(term.order()) for term in self._group.derived_series())

    @property
    def is_solvable(self) -> bool:
        """Whether the derived series reaches the trivial group."""
        return self.derived_orders[-1] == 1

    @property
    def perfect_order(self) -> int:
        """Order of the perfect subgroup in which the derived series ends; 1 if and only if the group is solvable."""
        return self.derived_orders[-1]

    @property
    def description(self) -> str:
        """One line with the order, the states that the group moves, and the perfect subgroup if there is one."""
        shown = list(map(str, self.states))
        if len(shown) > SHOWN:
            shown = [*shown[: SHOWN - 2], "...", shown[-1]]
        line = f"a group of order {spelled(self.order)} on the states {{{', '.join(shown)}}}"
        if self.is_solvable:
            return line
        # each of these orders has only one perfect group
        name = {60: " (A5)", 168: " (PSL(2,7))", 360: " (A6)", 2520: " (A7)"}.get(self.perfect_order, "")
        return f"{line}, whose perfect subgroup has order {spelled(self.perfect_order)}{name}"


@once_per_object
def groups_inside(automaton: TransitionTable) -> tuple[GroupInside, ...]:
    """The non-trivial groups, one per class of images, largest image first.

    Neither permutation automata nor automata whose states never return once they are left need their images listed.
    """
    n = automaton.num_states
    columns = {tuple(column) for column in automaton.table.T.tolist()}
    if all(len(set(column)) == n for column in columns):
        moving = tuple(sorted(columns - {tuple(range(n))}))
        return (GroupInside(tuple(range(n)), moving),) if moving else ()
    if never_returns(automaton):
        return ()
    found = images(automaton)
    generators: dict[int, set[tuple[int, ...]]] = {}
    for root, permutation, _, _ in _schreier(found):
        generators.setdefault(root, set()).add(permutation)
    roots = sorted(generators, key=lambda root: (-int(found.sizes[root]), root))
    return tuple(GroupInside(found.members(root), tuple(sorted(generators[root]))) for root in roots)


def perfect_witness(automaton: TransitionTable) -> GroupInside | None:
    """The first group inside that is not solvable; None if all of them are solvable."""
    return next((group for group in groups_inside(automaton) if not group.is_solvable), None)


def period_witness(automaton: TransitionTable) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """A word and the states of an image that the word permutes without fixing all; None if the automaton is aperiodic."""
    if never_returns(automaton):
        return None
    found = images(automaton)
    for root, _, here, letter in _schreier(found):
        there = int(found.move[here, letter])
        # some power of the tree's word to the second image leads back, but a walk in the class is shorter
        back = _path(found, there, root)
        word = (*found.word_to(here), letter, *back)
        states = found.members(root)
        ends = [automaton.run(word, q)[-1] for q in states]
        if ends != list(states):
            return word, states
        # the way back undoes this permutation, so the tree's word followed by the way back is another permutation
        loop = (*found.word_to(there), *back)
        if [automaton.run(loop, q)[-1] if loop else q for q in states] != list(states):
            return loop, states
    return None


@once_per_object
def never_returns(automaton: TransitionTable) -> bool:
    """Whether no word leads from a state to another one and back, as for finite languages; then no word permutes states.

    Cost: O(states * letters).
    """
    ahead = [set(row) - {state} for state, row in enumerate(automaton.table.tolist())]
    entries = [0] * len(ahead)
    for targets in ahead:
        for target in targets:
            entries[target] += 1
    free = [state for state, count in enumerate(entries) if not count]
    for state in free:  # grows while it is walked: states to which only states before them lead
        for target in ahead[state]:
            entries[target] -= 1
            if not entries[target]:
                free.append(target)
    return len(free) == len(ahead)


@lru_cache(maxsize=4096)
def _derived_orders(generators: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The orders of the derived series on few points, kept because all constructions of a cascade ask for the same groups."""
    group = PermutationGroup([Permutation(list(generator)) for generator in generators])
    return tuple(int(term.order()) for term in group.derived_series())


@contextlib.contextmanager
def _same_draws() -> Iterator[None]:
    """A context in which sympy draws the same random numbers in every run, and after which it goes on as before."""
    state = rng.getstate()
    rng.seed(0)
    try:
        yield
    finally:
        rng.setstate(state)


def _schreier(found: Images) -> Iterator[tuple[int, tuple[int, ...], int, int]]:
    """Non-trivial generators: the representative, a permutation of its positions, and the image and letter of its origin."""
    table, classes = found.automaton.table, found.classes
    place: dict[int, np.ndarray] = {}  # the image of the i-th state of the representative under the tree's word
    for index in found.forest_order.tolist():
        parent, letter = found.forest[index]
        place[index] = np.array(found.members(index)) if parent < 0 else table[place[int(parent)], letter]
    for here in found.forest_order.tolist():
        if found.sizes[here] == 1:
            continue
        for letter, there in enumerate(found.move[here].tolist()):
            if classes[there] == classes[here]:
                position = {int(q): i for i, q in enumerate(place[there])}
                permutation = tuple(position[int(q)] for q in table[place[here], letter])
                if permutation != tuple(range(len(permutation))):
                    yield int(found.representatives[here]), permutation, here, letter


def _path(found: Images, start: int, goal: int) -> tuple[int, ...]:
    """A shortest word from one set of a class to another."""
    reached: dict[int, tuple[int, ...]] = {start: ()}
    queue = [start]
    for here in queue:  # grows while it is walked
        if here == goal:
            break
        for letter, there in enumerate(found.move[here].tolist()):
            if there not in reached:
                reached[there] = (*reached[here], letter)
                queue.append(there)
    return reached[goal]
