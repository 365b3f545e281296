r"""Chains of tiles: how the holonomy decomposition names states by coordinates, and how letters change the coordinates.

A state q has a chain Q = P_0 > P_1 > ... > {q} of sets, each a tile of the set before. The coordinate at the height of P_i
is the number of P_{i+1} among the tiles of P_i. A letter s keeps this invariant, from the highest level down: if the old chain
is at P and the new chain at P', then P s lies in P'.

* P' has another height: nothing happens at this height.
* P s = P' and P has the height of P': then both belong to one component, and s permutes the tiles.
* Otherwise P s lies strictly inside P', so some tile of P' contains P s, and the coordinate is reset to that tile. (If P s were
  P', then P would have at least the height of P', because letters lead to no greater height.)

P and P' depend on the coordinates above alone, so the levels form a cascade of permutation-reset automata. The argument asks
three things of heights, components and tiles, whatever the construction (`theory.automata.holonomy`):

* a tile lies below its set, and a letter leads to no greater height;
* where a letter keeps the height, it keeps the number of states and the component, and carries tiles onto tiles;
* every listed set that lies strictly inside another lies inside one of its tiles.
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
        components: The first set in the component of each set; shape (sets,).
        tiles: Tiles of every set, in the order that its component gives them; shape (sets, most tiles), filled up with -1.
        by: The construction, a name of `theory.automata.holonomy.CONSTRUCTIONS`.
    """

    images: Images
    heights: np.ndarray
    components: np.ndarray
    tiles: np.ndarray
    by: str

    @property
    def height(self) -> int:
        """Number of levels."""
        return int(self.heights[0])

    def roots(self, height: int) -> np.ndarray:
        """The first sets of the components at a height."""
        return np.unique(self.components[self.heights == height])

    def resets(self, height: int) -> bool:
        """Whether a letter may reset the coordinate at a height.

        None does where all chains of tiles pass the height and all letters keep it: then P s has the height of P', and lies in
        P', so it is P'.
        """
        here, above = self.heights == height, self.heights > height
        skipped = (self.heights[self.tiles[above]] < height) & (self.tiles[above] >= 0)
        return bool(skipped.any() or (self.heights[self.images.move[here]] < height).any())

    def encode(self, state: int) -> tuple[int, ...]:
        """Coordinates of a state, highest level first; 0 where its chain of tiles skips a level.

        Raises:
            ValueError: There is no such state.
        """
        _, state = self.images.automaton.numbers((), state)
        coordinates, index = [0] * self.height, 0
        while self.heights[index]:
            tile = next(c for c, t in enumerate(self.tiles[index].tolist()) if t >= 0 and self.images.contains[t, state])
            coordinates[self.height - self.heights[index]] = tile
            index = int(self.tiles[index, tile])
        return tuple(coordinates)

    def decode(self, coordinates: Sequence[int]) -> int:
        """The state with these coordinates."""
        index = 0
        while self.heights[index]:
            index = int(self.tiles[index, coordinates[self.height - self.heights[index]]])
        return int(self.images.contains[index].argmax())

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
        lies_in = self.images.contains[self.tiles[new]][:, self.images.contains[moved]].all(axis=1)
        return int(np.argmax(lies_in & (self.tiles[new] >= 0)))

    def permutation(self, index: int, letter: int) -> tuple[int, ...]:
        """The permutation of the tiles by a letter that keeps the height of a set."""
        target = self.tiles[int(self.images.move[index, letter])]
        place = {tile: c for c, tile in enumerate(target.tolist()) if tile >= 0}
        return tuple(place[int(self.images.move[tile, letter])] for tile in self.tiles[index] if tile >= 0)

    @cached_property
    def permutes(self) -> np.ndarray:
        """Boolean array (sets, letters): whether a letter keeps the height of a set of several states."""
        return (self.heights[self.images.move] == self.heights[:, None]) & (self.heights > 0)[:, None]

    def generators(self, root: int) -> tuple[tuple[int, ...], ...]:
        """The permutations of its tiles by which letters act on the component of a first set, without the identity."""
        identity = tuple(range(int((self.tiles[root] >= 0).sum())))
        inside = self.components == root
        found = {self.permutation(int(i), int(a)) for i, a in np.argwhere(self.permutes & inside[:, None])}
        return tuple(sorted(found - {identity}))
