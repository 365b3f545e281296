"""A cascade of permutation-reset levels, with its encoding and decoding, as the holonomy decomposition makes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from theory.automata.inside import GroupInside

if TYPE_CHECKING:
    from theory.automata.images import Images
    from theory.automata.program import Program

__all__ = ["Cascade", "Component", "Level"]


@dataclasses.dataclass(frozen=True, eq=False)
class Component:
    """A permutation-reset automaton on the tiles of one class of images.

    Attributes:
        representative: the image whose tiles are its states.
        tiles: the tiles, as sets of states.
        generators: the permutations of the tiles by which letters act, without the identity.
    """

    representative: tuple[int, ...]
    tiles: tuple[tuple[int, ...], ...]
    generators: tuple[tuple[int, ...], ...]

    @cached_property
    def group(self) -> GroupInside:
        """The holonomy group, acting on the indices of the tiles."""
        return GroupInside(tuple(range(len(self.tiles))), self.generators or (tuple(range(len(self.tiles))),))

    def __str__(self) -> str:
        if not self.generators:
            return f"resets on {len(self.tiles)} tiles"
        return f"a group of order {self.group.order} on {len(self.tiles)} tiles"


@dataclasses.dataclass(frozen=True, eq=False)
class Level:
    """The components at one height: they never act at once, so they share one coordinate.

    Attributes:
        height: of their images.
        components: one per class of images of this height.
    """

    height: int
    components: tuple[Component, ...]

    @property
    def derived_length(self) -> int | None:
        """Abelian stages that its groups need, side by side; None if one of them is not solvable."""
        groups = [component.group for component in self.components if component.generators]
        if not all(group.is_solvable for group in groups):
            return None
        return max((len(group.derived_orders) - 1 for group in groups), default=0)


@dataclasses.dataclass(frozen=True, eq=False)
class Cascade:
    """Permutation-reset levels, highest first: each letter acts on a level by a map that the levels above determine.

    Attributes:
        images: the sets of states that the coordinates name.
        heights: of every set; shape (sets,). The level of height h is ``levels[heights[0] - h]``.
        tiles: the tiles of every set, in the order of its representative's; shape (sets, most tiles), -1 fills up.

    >>> from theory.automata import semiautomaton
    >>> cascade = semiautomaton("gridworld3").holonomy()
    >>> len(cascade.levels), cascade.run((2, 2, 2, 0), 0)
    (2, (1, 2, 2, 1))
    """

    images: Images
    heights: np.ndarray
    tiles: np.ndarray

    @property
    def height(self) -> int:
        """Number of levels."""
        return int(self.heights[0])

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels, highest first."""
        return tuple(Level(h, tuple(self.component(int(root)) for root in self.roots(h))) for h in range(self.height, 0, -1))

    @property
    def derived_lengths(self) -> tuple[int | None, ...]:
        """Abelian stages of each level."""
        return tuple(level.derived_length for level in self.levels)

    def roots(self, height: int) -> np.ndarray:
        """The representatives of the classes at a height."""
        return np.unique(self.images.representatives[self.heights == height])

    def encode(self, state: int) -> tuple[int, ...]:
        """Coordinates of a state, one per level; 0 where its chain of tiles jumps over a level."""
        coordinates, index = [0] * self.height, 0
        while self.heights[index]:
            tile = next(
                c for c, t in enumerate(self.tiles[index].tolist()) if t >= 0 and int(self.images.masks[t]) >> state & 1
            )
            coordinates[self.height - self.heights[index]] = tile
            index = int(self.tiles[index, tile])
        return tuple(coordinates)

    def decode(self, coordinates: Sequence[int]) -> int:
        """The state that coordinates name."""
        index = 0
        while self.heights[index]:
            index = int(self.tiles[index, coordinates[self.height - self.heights[index]]])
        return int(self.images.masks[index]).bit_length() - 1

    def step(self, coordinates: Sequence[int], letter: int) -> tuple[int, ...]:
        """The coordinates after a letter, from the highest level down."""
        old = new = 0  # the sets P and P' of the two chains
        after = list(coordinates)
        for level, h in enumerate(range(self.height, 0, -1)):
            before = coordinates[level]
            if self.heights[new] == h:
                tile = self.action(old, new, letter)
                after[level] = tile if isinstance(tile, int) else tile[before]
                new = int(self.tiles[new, after[level]])
            if self.heights[old] == h:
                old = int(self.tiles[old, before])
        return tuple(after)

    def run(self, word: Sequence[int], state: int) -> tuple[int, ...]:
        """The state after each letter, computed in coordinates.

        Raises:
            ValueError: a letter or the state is out of range.
        """
        self.images.automaton.check(word, state)
        coordinates, states = self.encode(state), []
        for letter in word:
            coordinates = self.step(coordinates, letter)
            states.append(self.decode(coordinates))
        return tuple(states)

    def action(self, old: int, new: int, letter: int) -> int | tuple[int, ...]:
        """What a letter does at the height of set ``new``: a permutation of the tiles, or the tile it resets to."""
        moved = int(self.images.move[old, letter])
        if moved == new:
            return self.permutation(old, letter)
        lies_in = (int(self.images.masks[moved]) & ~self.images.masks[self.tiles[new]]) == 0
        return int(np.argmax(lies_in & (self.tiles[new] >= 0)))

    def permutation(self, index: int, letter: int) -> tuple[int, ...]:
        """How a letter that maps a set onto an equivalent one permutes their tiles."""
        target = self.tiles[int(self.images.move[index, letter])]
        place = {tile: c for c, tile in enumerate(target.tolist()) if tile >= 0}
        return tuple(place[int(self.images.move[tile, letter])] for tile in self.tiles[index] if tile >= 0)

    def is_permutation(self) -> np.ndarray:
        """Boolean array (sets, letters): whether a letter maps a set of several states onto an equivalent one."""
        classes, move = self.images.classes, self.images.move
        return (classes[move] == classes[:, None]) & (self.images.sizes > 1)[:, None]

    def program(self) -> Program:
        """The cascade as plain arrays for `depthjax.constructions.compile_cascade`; see :mod:`theory.automata.program`.

        Raises:
            OutsideHypotheses: a holonomy group is not solvable; names the perfect subgroup.
        """
        from theory.automata.program import program

        return program(self)

    def component(self, root: int) -> Component:
        """The component of the class of a representative."""
        identity = tuple(range(int((self.tiles[root] >= 0).sum())))
        inside = self.images.representatives == root
        generators = {self.permutation(int(i), int(a)) for i, a in np.argwhere(self.is_permutation() & inside[:, None])}
        return Component(
            self.images.members(root),
            tuple(self.images.members(int(tile)) for tile in self.tiles[root] if tile >= 0),
            tuple(sorted(generators - {identity})),
        )
