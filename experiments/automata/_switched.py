"""A cascade letter by letter, in plain numbers, with one of its layers switched off: what is left of the automaton.

A claim alone imports this: a measurement runs the layers, each over the whole word at once.
"""

from typing import Any

import numpy as np

__all__ = ["switched"]


def switched(program: Any, words: np.ndarray, start: int, off: int) -> np.ndarray:
    """Return the states after each letter of all words, where layer `off` keeps its first state.

    Args:
        program: The arrays of a cascade (`theory.automata.program`).
        words: Letters, shape (words, length).
        start: State before the first letter.
        off: Number of the layer, lowest first: the abelian stages of a level, and its resets; -1 for none.

    >>> from theory.automata import semiautomaton
    >>> parity = semiautomaton("parity").holonomy().program()
    >>> [switched(parity, np.array([[1, 1, 1]]), 0, off).tolist() for off in (-1, 0)]
    [[[1, 0, 1]], [[0, 0, 0]]]
    """
    levels, layers = [], 0
    for number, level in enumerate(program.levels):
        levels.append(_Level(program, level, program.encode[start][number], len(words), off - layers))
        layers += levels[-1].layers
    states = np.empty(words.shape, int)
    for place, letters in enumerate(words.T):
        old = new = np.zeros(len(words), int)
        for one in levels:
            old, new = one.moved(old, new, letters)
        states[:, place] = program.state[new]
    return states


class _Level:
    """The stages and the resets of a level, in every word."""

    def __init__(self, program: Any, level: Any, tile: int, words: int, off: int) -> None:
        self.program, self.level, self.off = program, level, off
        self.stages = max((len(part.moduli) for part in level.components), default=0)
        self.layers = self.stages + bool(level.resets)
        self.counts = [[np.zeros((words, len(moduli)), int) for moduli in part.moduli] for part in level.components]
        self.tile = np.full(words, tile)  # that was written last
        self.since = [np.zeros(words, int) for _ in level.components]  # the products at that time

    def moved(self, old: np.ndarray, new: np.ndarray, letters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Read a letter, and return the next sets of the chains before and after it."""
        program, here = self.program, self.level.height
        image = program.move[old, letters]
        acts = (image == new) & (program.heights[old] == here) & (program.heights[new] == here)
        before = self._next(old)
        writes = (program.heights[new] == here) & ~acts
        products = [self._product(part, self.stages) for part in range(len(self.counts))]
        for part, component in enumerate(self.level.components):
            element = np.where(acts, component.element[old, letters], 0)
            cosets = [self._product(part, k) for k in range(len(component.moduli))]
            for k, moduli in enumerate(component.moduli):
                if k != self.off:
                    added = component.increments[k][cosets[k], element]
                    self.counts[part][k] = (self.counts[part][k] + added) % moduli
        if self.level.resets and self.off != self.stages:
            self.tile = np.where(writes, program.cover[image, new], self.tile)
            self.since = [np.where(writes, now, was) for now, was in zip(products, self.since, strict=True)]
        return before, self._next(new)

    def _product(self, part: int, stages: int) -> np.ndarray:
        """The number of a component's product, or of its coset after so many stages."""
        number = np.zeros(len(self.tile), int)
        for counts, moduli in zip(self.counts[part][:stages], self.level.components[part].moduli, strict=False):
            for column, modulus in zip(counts.T, moduli.tolist(), strict=True):
                number = number * modulus + column
        return number

    def _next(self, sets: np.ndarray) -> np.ndarray:
        """A tile of each set that has the height of this level, moved since it was written; other sets as they are."""
        tile = self.tile
        for part, component in enumerate(self.level.components):
            moves = component.since[self.since[part], self._product(part, self.stages)]
            moved = component.action[moves, np.minimum(self.tile, component.action.shape[1] - 1)]
            tile = np.where(component.sets[sets], moved, tile)
        return np.where(self.program.heights[sets] == self.level.height, self.program.tiles[sets, tile], sets)
