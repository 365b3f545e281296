"""The transition monoid: all maps of the states that words induce, and the index and period of its elements."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from theory.automata.cost import monoid
from theory.automata.table import TransitionTable
from theory.checks import integer
from theory.cost import refuse

__all__ = ["TransitionMonoid", "index_and_period", "transition_monoid"]


@dataclasses.dataclass(frozen=True, eq=False)
class TransitionMonoid:
    """The maps of the states that words induce, shortest words first; element 0 is the identity, from the empty word.

    Attributes:
        elements: Integer array (size, states): element i sends state q to ``elements[i, q]``.
        right: Integer array (size, letters): the element of the same word followed by a letter.
        parent: Integer array (size, 2): the element and the letter from which an element was first reached; (-1, -1) for 0.
    """

    elements: np.ndarray
    right: np.ndarray
    parent: np.ndarray

    def __repr__(self) -> str:
        return f"<TransitionMonoid: {self.size} elements on {self.elements.shape[1]} states>"

    @property
    def size(self) -> int:
        """Number of elements, the identity included."""
        return len(self.elements)

    def word(self, element: int) -> tuple[int, ...]:
        """A shortest word that induces an element.

        Raises:
            ValueError: There is no element of this number.
        """
        element = integer("element", element, f"the number of an element, below {self.size}", least=0)
        if element >= self.size:
            raise ValueError(f"element = {element}: expected one of 0 .. {self.size - 1}, because the monoid has no others.")
        letters = []
        while element:
            element, letter = (int(x) for x in self.parent[element])
            letters.append(letter)
        return tuple(reversed(letters))

    @property
    def is_aperiodic(self) -> bool:
        """Whether s^n = s^(n+1) for every element s, where n is the number of states: O(size * states log states)."""
        power = self.elements.astype(np.intp)
        for _ in range(int(power.shape[1]).bit_length()):  # the exponent 2^j exceeds n
            power = np.take_along_axis(power, power, 1)
        return bool((np.take_along_axis(self.elements, power, 1) == power).all())


def transition_monoid(automaton: TransitionTable, limit: int = 500_000) -> TransitionMonoid:
    """Enumerate the monoid breadth first, all words of one length at a time.

    Cost: O(size * letters * states) time and memory.

    Raises:
        ValueError: There are more than ``limit`` elements; the message says how many were found.
        TooExpensive: The elements found so far exceed the limit of `theory.cost`.

    >>> from theory.automata import semiautomaton
    >>> semiautomaton("flip_flop").transition_monoid().size
    3
    """
    letters = automaton.table.T.astype(np.min_scalar_type(automaton.num_states - 1))
    identity = np.arange(automaton.num_states, dtype=letters.dtype)[None]
    index = {identity.tobytes(): 0}
    generations, right, parents = [identity], [], [np.array([[-1, -1]])]
    start, length = 0, 0
    while len(generations[-1]):
        refuse(monoid(automaton.name, len(index), automaton.num_states, automaton.num_letters))
        products = letters[:, generations[-1]].transpose(1, 0, 2).reshape(-1, automaton.num_states)
        keys = np.ascontiguousarray(products).view(np.dtype((np.void, products.itemsize * products.shape[1]))).ravel().tolist()
        before = len(index)
        found = np.array([index.setdefault(key, len(index)) for key in keys])
        if len(index) > limit:
            raise ValueError(
                f"the transition monoid of {automaton.name} has more than {limit} elements: {len(index)} were found "
                f"among words of length at most {length + 1}, and it may have "
                f"{automaton.num_states}^{automaton.num_states}. Raise "
                "the limit, or ask for is_aperiodic, is_solvable or holonomy(), which do not enumerate it"
            )
        # positions at which a new element appears for the first time, in order
        _, first = np.unique(found, return_index=True)
        first = np.sort(first[found[first] >= before])
        right.append(found.reshape(-1, automaton.num_letters))
        parents.append(np.stack([start + first // automaton.num_letters, first % automaton.num_letters], axis=1))
        start, length = before, length + 1
        generations.append(products[first])
    return TransitionMonoid(np.concatenate(generations), np.concatenate(right), np.concatenate(parents))


def index_and_period(automaton: TransitionTable) -> tuple[int, int]:
    """The least n and p with s^n = s^(n + p) for every element s of the transition monoid of an automaton.

    Enumerates the monoid. Cost: O(size * states * (index + period)).

    >>> from theory.automata import semiautomaton
    >>> index_and_period(semiautomaton("C5")), index_and_period(semiautomaton("gridworld4"))
    ((0, 5), (3, 1))
    """
    elements = transition_monoid(automaton).elements.astype(np.int64)
    late = elements
    for _ in range(elements.shape[1].bit_length()):  # the index of a map of n points is below n, and 2^j exceeds n
        late = np.take_along_axis(late, late, axis=1)
    period, current = np.ones(len(elements), np.int64), np.take_along_axis(elements, late, axis=1)
    while (moving := (current != late).any(axis=1)).any():
        period[moving] += 1
        current = np.where(moving[:, None], np.take_along_axis(elements, current, axis=1), current)
    common = math.lcm(*set(period.tolist()))
    cycle = _powers(elements, common)  # s^common fixes s^n if and only if s^n is in the cycle of s
    index, power = 0, np.broadcast_to(np.arange(elements.shape[1]), elements.shape)
    while (out := (np.take_along_axis(cycle, power, axis=1) != power).any(axis=1)).any():
        elements, cycle = elements[out], cycle[out]  # few elements stay outside for long
        index, power = index + 1, np.take_along_axis(elements, power[out], axis=1)
    return index, common


def _powers(maps: np.ndarray, exponent: int) -> np.ndarray:
    """The power of every map, by repeated squaring."""
    result = np.broadcast_to(np.arange(maps.shape[1]), maps.shape)
    while exponent:
        if exponent & 1:
            result = np.take_along_axis(maps, result, axis=1)
        maps, exponent = np.take_along_axis(maps, maps, axis=1), exponent >> 1
    return result
