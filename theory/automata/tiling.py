r"""Chains of tiles: how the holonomy decomposition names states by coordinates, and how letters change the coordinates.

A state q has a chain Q = P_0 > P_1 > ... > {q} of sets, each a tile of the set before. The coordinate at the height of P_i
is the number of P_{i+1} among the tiles of P_i. A letter s keeps this invariant, from the highest level down: if the old chain
is at P and the new chain at P', then P s lies in P'.

* P' has another height: nothing happens at this height.
* P s = P': then P and P' are equivalent, and s permutes the tiles.
* Otherwise P s lies strictly inside P', so some tile of P' contains P s, and the coordinate is reset to that tile.

P and P' depend on the coordinates above alone, so the levels form a cascade of permutation-reset automata.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from theory.automata.images import Images

__all__ = ["Tiling"]


@dataclasses.dataclass(frozen=True, eq=False)
class Tiling:
    """The images of a semiautomaton with their heights and tiles, see `theory.automata.holonomy`.

    Attributes:
        images: The sets of states that the coordinates name.
        heights: Height of every set; shape (sets,).
        tiles: Tiles of every set, in the order of its representative's tiles; shape (sets, most tiles), filled up with -1.
    """

    images: Images
    heights: np.ndarray
    tiles: np.ndarray

    @property
    def height(self) -> int:
        """Number of levels."""
        return int(self.heights[0])

    def roots(self, height: int) -> np.ndarray:
        """The representatives of the classes at a height."""
        return np.unique(self.images.representatives[self.heights == height])

    def encode(self, state: int) -> tuple[int, ...]:
        """Coordinates of a state, highest level first; 0 where its chain of tiles skips a level."""
        coordinates, index = [0] * self.height, 0
        while self.heights[index]:
            tile = next(
                c for c, t in enumerate(self.tiles[index].tolist()) if t >= 0 and int(self.images.masks[t]) >> state & 1
            )
            coordinates[self.height - self.heights[index]] = tile
            index = int(self.tiles[index, tile])
        return tuple(coordinates)

    def decode(self, coordinates: Sequence[int]) -> int:
        """The state with these coordinates."""
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

    def action(self, old: int, new: int, letter: int) -> int | tuple[int, ...]:
        """The action of a letter at the height of set ``new``: a permutation of the tiles, or the tile of the reset."""
        moved = int(self.images.move[old, letter])
        if moved == new:
            return self.permutation(old, letter)
        lies_in = (int(self.images.masks[moved]) & ~self.images.masks[self.tiles[new]]) == 0
        return int(np.argmax(lies_in & (self.tiles[new] >= 0)))

    def permutation(self, index: int, letter: int) -> tuple[int, ...]:
        """The permutation of the tiles by a letter that maps a set onto an equivalent set."""
        target = self.tiles[int(self.images.move[index, letter])]
        place = {tile: c for c, tile in enumerate(target.tolist()) if tile >= 0}
        return tuple(place[int(self.images.move[tile, letter])] for tile in self.tiles[index] if tile >= 0)

    @cached_property
    def permutes(self) -> np.ndarray:
        """Boolean array (sets, letters): whether a letter maps a set of several states onto an equivalent set."""
        classes, move = self.images.classes, self.images.move
        return (classes[move] == classes[:, None]) & (self.images.sizes > 1)[:, None]

    def generators(self, root: int) -> tuple[tuple[int, ...], ...]:
        """The permutations of its tiles by which letters act on the class of a representative, without the identity."""
        identity = tuple(range(int((self.tiles[root] >= 0).sum())))
        inside = self.images.representatives == root
        found = {self.permutation(int(i), int(a)) for i, a in np.argwhere(self.permutes & inside[:, None])}
        return tuple(sorted(found - {identity}))
