"""A machine that answers at every letter (a Mealy machine): its runs, its least form, and a word on which two differ."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int


class Machine(NamedTuple):
    """A machine that answers at every letter; state 0 is the state before the first.

    Attributes:
        table: Next state, by state and letter.
        outputs: Answer at that letter, by state and letter.
        access: A shortest word that leads to each state.

    >>> parity = Machine(np.array([[0, 1], [1, 0]]), np.array([[0, 1], [1, 0]]), [(), (1,)])
    >>> parity
    <Machine: 2 states, 2 letters>
    >>> parity.run(np.array([[1, 0, 1]])).tolist()
    [[1, 1, 0]]
    """

    table: Int[np.ndarray, "states letters"]
    outputs: Int[np.ndarray, "states letters"]
    access: list[tuple[int, ...]]

    def __repr__(self) -> str:
        return f"<Machine: {self.states} state{'s' * (self.states != 1)}, {self.table.shape[1]} letters>"

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.table)

    def run(self, words: Int[np.ndarray, "batch length"]) -> Int[np.ndarray, "batch length"]:
        """Return the answers at every position."""
        state, found = np.zeros(len(words), int), np.empty(words.shape, int)
        for at, letter in enumerate(words.T):
            found[:, at] = self.outputs[state, letter]
            state = self.table[state, letter]
        return found

    def merged(self, kept: int, dropped: int) -> "Machine":
        """Return the machine in which one state takes the place of another."""
        return self._replace(table=np.where(self.table == dropped, kept, self.table))

    def least(self) -> "Machine":
        """Return the machine with the fewest states that gives the same answers; its states are numbered breadth first.

        So two machines give the same answers if and only if their least machines are equal. Cost: O(states^2 letters).
        """
        classes = _classes(self.outputs)
        while True:
            refined = _classes(np.column_stack([classes, classes[self.table]]))
            if refined.max() == classes.max():
                break
            classes = refined
        first = np.unique(classes, return_index=True)[1]
        step, order = classes[self.table[first]], [int(classes[0])]
        access: list[tuple[int, ...]] = [()]
        for place, here in enumerate(order):  # grows while it is walked
            for letter, there in enumerate(step[here].tolist()):
                if there not in order:
                    order.append(there)
                    access.append((*access[place], letter))
        number = np.empty(len(first), int)
        number[order] = np.arange(len(order))
        return Machine(number[step[order]], self.outputs[first[order]], access)

    def first_difference(self, other: "Machine") -> tuple[int, ...] | None:
        """Return a shortest word at whose end the two machines answer differently, or None if there is none.

        Cost: O(states * states of the other * letters).
        """
        words: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
        pairs = [(0, 0)]
        for pair in pairs:  # grows while it is walked
            for letter in range(self.table.shape[1]):
                word = (*words[pair], letter)
                if self.outputs[pair[0], letter] != other.outputs[pair[1], letter]:
                    return word
                following = int(self.table[pair[0], letter]), int(other.table[pair[1], letter])
                if following not in words:
                    words[following] = word
                    pairs.append(following)
        return None


def _classes(rows: np.ndarray) -> np.ndarray:
    """The number of each row among the distinct ones."""
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()
