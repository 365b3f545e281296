"""The groups inside a semiautomaton, with witnesses that they are not trivial or not solvable.

The words that map an image R onto itself permute R. These groups, one per class of images, are quotients of submonoids of the
transition monoid, and every group that divides the monoid divides one of them. An automaton is aperiodic if all of them are
trivial, and solvable if all of them are solvable. By Schreier's lemma, a spanning tree of the class and one generator for each
letter and image give the group.

Source: Krohn and Rhodes, Transactions of the AMS 116 (1965); Eilenberg, Automata, Languages and Machines B (1976), chapter II.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from sympy.combinatorics import Permutation, PermutationGroup

from theory.automata.images import Images, images
from theory.automata.table import TransitionTable
from theory.caching import once_per_object

__all__ = ["GroupInside", "groups_inside", "perfect_witness", "period_witness"]


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
        return PermutationGroup([Permutation(list(generator)) for generator in self.generators])

    @cached_property
    def order(self) -> int:
        """Number of permutations."""
        return int(self._group.order())

    @cached_property
    def derived_orders(self) -> tuple[int, ...]:
        """Orders of the derived series, down to 1 or to the first repetition."""
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
        line = f"a group of order {self.order} on the states {{{', '.join(map(str, self.states))}}}"
        if self.is_solvable:
            return line
        # each of these orders has only one perfect group
        name = {60: " (A5)", 168: " (PSL(2,7))", 360: " (A6)", 2520: " (A7)"}.get(self.perfect_order, "")
        return f"{line}, whose perfect subgroup has order {self.perfect_order}{name}"


@once_per_object
def groups_inside(automaton: TransitionTable) -> tuple[GroupInside, ...]:
    """The non-trivial groups, one per class of images, largest image first."""
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
