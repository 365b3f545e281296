"""The transition monoid: all maps of the states that words induce."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from theory.automata.cost import monoid
from theory.cost import refuse

if TYPE_CHECKING:
    from theory.automata.semiautomaton import Semiautomaton

__all__ = ["TransitionMonoid", "transition_monoid"]


@dataclasses.dataclass(frozen=True, eq=False)
class TransitionMonoid:
    """The maps of the states that words induce, shortest words first; element 0 is the identity, of the empty word.

    Attributes:
        elements: integer array (size, states): ``elements[i, q]`` is where element i sends state q.
        right: integer array (size, letters): the element of the same word with one more letter behind it.
        parent: integer array (size, 2): the element and the letter from which an element was first reached; (-1, -1) for 0.
    """

    elements: np.ndarray
    right: np.ndarray
    parent: np.ndarray

    @property
    def size(self) -> int:
        """Number of elements, the identity included."""
        return len(self.elements)

    def word(self, element: int) -> tuple[int, ...]:
        """A shortest word that induces an element."""
        letters = []
        while element:
            element, letter = (int(x) for x in self.parent[element])
            letters.append(letter)
        return tuple(reversed(letters))

    def idempotents(self) -> np.ndarray:
        """Indices of the elements e with ee = e; O(size * states)."""
        return np.flatnonzero((np.take_along_axis(self.elements, self.elements.astype(np.intp), 1) == self.elements).all(1))

    def is_aperiodic(self) -> bool:
        """Whether s^n = s^(n+1) for every element s, n the number of states: O(size * states log states)."""
        power = self.elements.astype(np.intp)
        for _ in range(int(power.shape[1]).bit_length()):  # the exponent 2^j passes n
            power = np.take_along_axis(power, power, 1)
        return bool((np.take_along_axis(self.elements, power, 1) == power).all())


def transition_monoid(automaton: Semiautomaton, limit: int = 500_000) -> TransitionMonoid:
    """Enumerate the monoid breadth first, a whole generation of words at a time.

    Cost: O(size * letters * states) time and memory.

    Raises:
        ValueError: more than ``limit`` elements; says how far it got.
        TooExpensive: too many elements for so many states, see `theory.cost`.

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
                "the limit, or ask is_aperiodic(), is_solvable() or holonomy(), which do not enumerate it"
            )
        # positions at which a new element appears for the first time, in order
        _, first = np.unique(found, return_index=True)
        first = np.sort(first[found[first] >= before])
        right.append(found.reshape(-1, automaton.num_letters))
        parents.append(np.stack([start + first // automaton.num_letters, first % automaton.num_letters], axis=1))
        start, length = before, length + 1
        generations.append(products[first])
    return TransitionMonoid(np.concatenate(generations), np.concatenate(right), np.concatenate(parents))
