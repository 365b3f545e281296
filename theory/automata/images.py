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

from theory.automata.table import TransitionTable
from theory.caching import once_per_object

__all__ = ["Images", "images"]

MOST_STATES = 62
"""Largest number of states: a set is the bits of one 64-bit integer."""
MOST_SETS = 200_000
"""Largest number of sets that are listed."""


@dataclasses.dataclass(frozen=True, eq=False)
class Images:
    """The images and the singletons of a semiautomaton, the set of all states first.

    Attributes:
        masks: Integer array (sets,): bit q of ``masks[i]`` says whether set i contains state q.
        move: Integer array (sets, letters): the set onto which a letter maps a set.
        classes: Integer array (sets,): equal for sets that words map onto each other.
        automaton: The automaton of the images.
    """

    masks: np.ndarray
    move: np.ndarray
    classes: np.ndarray
    automaton: TransitionTable

    def __repr__(self) -> str:
        return f"<Images of {self.automaton.name}: {self.number} sets of states>"

    @property
    def number(self) -> int:
        """Number of sets."""
        return len(self.masks)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of states in each set."""
        return np.bitwise_count(self.masks).astype(int)

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
    def _forest(self) -> tuple[np.ndarray, np.ndarray]:
        parent = np.full((self.number, 2), -1)
        order = np.unique(self.representatives).tolist()
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
        return tuple(q for q in range(self.automaton.num_states) if int(self.masks[index]) >> q & 1)

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
        ValueError: There are more than `MOST_STATES` states or `MOST_SETS` sets; the message says what to use instead.
    """
    instead = "Use the scan (depthjax.constructions.scan_automaton), which needs the table alone"
    n = automaton.num_states
    if n > MOST_STATES:
        raise ValueError(
            f"{automaton.name} has {n} states, but the decomposition takes at most {MOST_STATES}: its size may grow as "
            f"2^states. {instead}"
        )
    index = {(1 << n) - 1: 0}
    index |= {1 << q: len(index) + i for i, q in enumerate(q for q in range(n) if 1 << q not in index)}
    start, move = 0, []
    while start < len(index):
        masks = np.array(list(index)[start:], dtype=np.int64)
        start = len(index)
        images_of = np.zeros((len(masks), automaton.num_letters), dtype=np.int64)
        for q in range(n):
            images_of |= (masks[:, None] >> q & 1) << automaton.table[q]
        move.append([[index.setdefault(mask, len(index)) for mask in row] for row in images_of.tolist()])
        if len(index) > MOST_SETS:
            raise ValueError(f"{automaton.name} has more than {MOST_SETS} images ({len(index)} found). {instead}")
    moves = np.concatenate([np.array(part) for part in move])
    rows = np.repeat(np.arange(len(moves)), automaton.num_letters)
    graph = csr_array((np.ones(moves.size, dtype=np.int8), (rows, moves.ravel())), shape=(len(moves), len(moves)))
    _, classes = connected_components(graph, directed=True, connection="strong")
    return Images(np.array(list(index), dtype=np.int64), moves, classes, automaton)
