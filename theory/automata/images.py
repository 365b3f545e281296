"""The images of a semiautomaton: the sets onto which words map all states, and how letters move them.

The images and the singletons are closed under the letters. Two images are equivalent if words lead from each to the other.
Those words are bijections between the images, and the words from an image to itself form a group of permutations. The groups
inside and the holonomy decomposition need nothing else: at most 2^states sets, where the monoid may have states^states maps.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from theory.automata.cost import decomposition, sets
from theory.automata.table import TransitionTable
from theory.caching import once_per_object
from theory.cost import refuse

__all__ = ["Images", "closure", "images"]


@dataclasses.dataclass(frozen=True, eq=False)
class Images:
    """The images and the singletons of a semiautomaton, the set of all states first.

    Attributes:
        contains: Bool array (sets, states): whether a set contains a state.
        move: Integer array (sets, letters): the set onto which a letter maps a set.
        classes: Integer array (sets,): equal for sets that words map onto each other.
        automaton: The automaton of the images.
    """

    contains: np.ndarray
    move: np.ndarray
    classes: np.ndarray
    automaton: TransitionTable

    def __repr__(self) -> str:
        return f"<Images of {self.automaton.name}: {self.number} sets of states>"

    @property
    def number(self) -> int:
        """Number of sets."""
        return len(self.contains)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of states in each set."""
        return self.contains.sum(axis=1)

    @cached_property
    def inside(self) -> np.ndarray:
        """Bool array (sets, sets): whether the first set is a subset of the second.

        Raises:
            TooExpensive: There are too many pairs for the limit of `theory.cost`.
        """
        refuse(decomposition(self.automaton.name, self.number, self.automaton.num_states))
        # float32 counts exactly up to 2^24 states, and its products are fast
        return self.contains.astype(np.float32) @ (~self.contains.T).astype(np.float32) == 0

    @cached_property
    def representatives(self) -> np.ndarray:
        """The first set in the class of each set; shape (sets,)."""
        _, first, inverse = np.unique(self.classes, return_index=True, return_inverse=True)
        return first[inverse]

    @cached_property
    def forest(self) -> np.ndarray:
        """A spanning tree of each class; shape (sets, 2): the set and the letter from which a set is reached, -1 at roots."""
        return self._forest[0]

    @property
    def forest_order(self) -> np.ndarray:
        """All sets, each after the set from which the forest reaches it."""
        return self._forest[1]

    @cached_property
    def number_of(self) -> dict[bytes, int]:
        """The number of each set, by its packed row."""
        return {key: number for number, key in enumerate(_keys(self.contains))}

    @cached_property
    def _forest(self) -> tuple[np.ndarray, np.ndarray]:
        parent = np.full((self.number, 2), -1)
        order = sorted(set(self.representatives.tolist()))
        seen = set(order)
        moves, classes = self.move.tolist(), self.classes.tolist()
        for here in order:  # grows while it is walked
            for letter, there in enumerate(moves[here]):
                if classes[there] == classes[here] and there not in seen:
                    seen.add(there)
                    order.append(there)
                    parent[there] = here, letter
        return parent, np.array(order)

    def members(self, index: int) -> tuple[int, ...]:
        """The states in a set."""
        return tuple(self.contains[index].nonzero()[0].tolist())

    def found(self, contains: np.ndarray) -> np.ndarray:
        """The number of each set among these, given by the states that it contains; -1 where a set is not listed."""
        return np.array([self.number_of.get(key, -1) for key in _keys(contains)], dtype=int)

    def word_to(self, index: int) -> tuple[int, ...]:
        """The word by which the forest leads from the representative to a set."""
        letters = []
        while self.forest[index, 0] >= 0:
            letters.append(int(self.forest[index, 1]))
            index = int(self.forest[index, 0])
        return tuple(reversed(letters))


@once_per_object
def images(automaton: TransitionTable) -> Images:
    """The images and the singletons, and their classes: O(sets * letters * states).

    Raises:
        TooExpensive: The sets found so far exceed the limit of `theory.cost`; there may be 2^states of them.
    """
    return closure(automaton, np.zeros((0, automaton.num_states), dtype=bool))


def closure(automaton: TransitionTable, more: np.ndarray) -> Images:
    """The images, the singletons, further sets, and all their images under words.

    Args:
        automaton: The automaton.
        more: The further sets, bool (sets, states): whether a set contains a state.

    Raises:
        TooExpensive: The sets found so far exceed the limit of `theory.cost`.
    """
    n, letters = automaton.num_states, automaton.num_letters
    refuse(sets(automaton.name, n + 1 + len(more), n, letters))
    # all letters at once: letter a sends the states of one run, in the order of their targets, to the state t in column a n + t
    columns = (automaton.table.T + n * np.arange(letters)[:, None]).ravel()
    order = columns.argsort(kind="stable")
    runs = np.flatnonzero(np.diff(columns[order], prepend=-1))
    targets = columns[order][runs]
    index: dict[bytes, int] = {}
    listed, move = [], []
    rows = np.concatenate([np.ones((1, n), dtype=bool), np.eye(n, dtype=bool), more])
    new, _ = _numbered(rows, index)
    while new:
        refuse(sets(automaton.name, len(index), n, letters))
        listed.append(rows[new])
        moved = np.zeros((len(new), letters * n), dtype=bool)
        moved[:, targets] = np.logical_or.reduceat(listed[-1][:, order % n], runs, axis=1)
        rows = moved.reshape(-1, n)
        new, numbers = _numbered(rows, index)
        move += numbers
    moves = np.array(move).reshape(-1, letters)
    ends = np.arange(0, moves.size + 1, letters)
    graph = csr_array((np.ones(moves.size), moves.flatten(), ends), shape=(len(moves), len(moves)))
    graph.sum_duplicates()  # the search for components never ends on an edge that is there twice
    _, classes = connected_components(graph, directed=True, connection="strong")
    return Images(np.concatenate(listed), moves, classes, automaton)


def _keys(rows: np.ndarray) -> list[bytes]:
    """Each row of bools as bytes."""
    packed = np.packbits(rows, axis=1)
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel().tolist()


def _numbered(rows: np.ndarray, index: dict[bytes, int]) -> tuple[list[int], list[int]]:
    """The places of rows that are new, which take the next numbers, and the number of every row."""
    new, numbers = [], []
    for place, key in enumerate(_keys(rows)):
        if key not in index:
            index[key] = len(index)
            new.append(place)
        numbers.append(index[key])
    return new, numbers
