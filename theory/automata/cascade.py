"""The holonomy cascade of a semiautomaton: permutation-reset levels, highest first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cached_property

from theory.automata.inside import GroupInside
from theory.automata.program import Program, program
from theory.automata.tiling import Tiling
from theory.groups.series import spelled

__all__ = ["Cascade", "Level", "Tiles"]

SHOWN = 8  # tiles of a component that a table shows


@dataclasses.dataclass(frozen=True, eq=False)
class Tiles:
    """A permutation-reset automaton on the tiles of one component of images.

    Attributes:
        representative: The first image of the component, whose tiles are its states.
        tiles: The tiles, as sets of states.
        generators: The permutations of the tiles by which letters act, without the identity.
        names: Names of the states of the automaton; empty if they are numbers alone.
    """

    representative: tuple[int, ...]
    tiles: tuple[tuple[int, ...], ...]
    generators: tuple[tuple[int, ...], ...]
    names: tuple[str, ...] = ()

    @cached_property
    def group(self) -> GroupInside:
        """The holonomy group, acting on the indices of the tiles."""
        return GroupInside(tuple(range(len(self.tiles))), self.generators or (tuple(range(len(self.tiles))),))

    def __repr__(self) -> str:
        return f"<Tiles: {self}>"

    @property
    def acts(self) -> str:
        """What letters do to the tiles, in words."""
        return f"a group of order {spelled(self.group.order)}" if self.generators else "resets"

    def __str__(self) -> str:
        kind = self.acts
        shown = f" {' '.join(self.named_tiles)}" if self.names else ""
        return f"{kind} on {len(self.tiles)} tiles{shown if len(shown) <= 80 else ''}"

    @property
    def named_tiles(self) -> tuple[str, ...]:
        """The tiles as sets of names, or of numbers where the states have no names."""
        return tuple("{" + ", ".join(self.names[q] if self.names else str(q) for q in tile) + "}" for tile in self.tiles)


@dataclasses.dataclass(frozen=True, eq=False)
class Level:
    """The components at one height. They never act at the same time, so they share one coordinate.

    Attributes:
        height: Height of the images of the components.
        components: The components of this height.
        resets: Whether letters may reset the coordinate; if not, they permute it or leave it alone.
    """

    height: int
    components: tuple[Tiles, ...]
    resets: bool

    def __repr__(self) -> str:
        return f"<Level {self.height}: {self}>"

    def __str__(self) -> str:
        return ", ".join(map(str, self.components))

    @cached_property
    def derived_length(self) -> int | None:
        """Number of abelian stages that the groups need, side by side; None if one of them is not solvable."""
        groups = [component.group for component in self.components if component.generators]
        if not all(group.is_solvable for group in groups):
            return None
        return max((len(group.derived_orders) - 1 for group in groups), default=0)

    @property
    def layers(self) -> int | None:
        """Number of layers: the abelian stages and one of resets; None if a group is not solvable."""
        return None if self.derived_length is None else self.derived_length + self.resets


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Cascade(Tiling):
    """Permutation-reset levels: each letter acts on a level by a map that the levels above determine.

    >>> from theory.automata import semiautomaton
    >>> cascade = semiautomaton("gridworld3").holonomy()
    >>> len(cascade.levels), cascade.run((2, 2, 2, 0), 0)
    (2, (1, 2, 2, 1))
    """

    def __repr__(self) -> str:
        return f"<Cascade of {self.images.automaton.name}: {'; '.join(map(str, self.levels)) or 'no levels'}>"

    def latex(self) -> str:
        """The table of the components in LaTeX, highest level first: their height, what acts there, and their tiles."""
        lines = [r"\text{height} & \text{letters act by} & \text{on the tiles} \\ \hline"]
        for level in self.levels:
            for part in level.components:
                shown = r",\ ".join(map(_latex, part.named_tiles[:SHOWN])) + r",\ \ldots" * (len(part.tiles) > SHOWN)
                lines.append(rf"{level.height} & \text{{{part.acts}}} & {shown} \\")
        return rf"\begin{{array}}{{r|ll}} {' '.join(lines)} \end{{array}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels, highest first: the level of height h is ``levels[height - h]``."""
        heights = range(self.height, 0, -1)
        return tuple(Level(h, tuple(self.component(int(r)) for r in self.roots(h)), self.resets(h)) for h in heights)

    @property
    def derived_lengths(self) -> tuple[int | None, ...]:
        """Number of abelian stages of each level."""
        return tuple(level.derived_length for level in self.levels)

    @cached_property
    def layers(self) -> int | None:
        """Number of abelian and reset layers; None if a group is not solvable."""
        each = [level.layers for level in self.levels]
        return None if None in each else sum(layers for layers in each if layers is not None)

    def component(self, root: int) -> Tiles:
        """The component with a first set."""
        members = self.images.members
        tiles = tuple(members(int(tile)) for tile in self.tiles[root] if tile >= 0)
        return Tiles(members(root), tiles, self.generators(root), self.images.automaton.states)

    def run(self, word: Iterable[int | str], state: int | str = 0) -> tuple[int, ...] | tuple[str, ...]:
        """The state after each letter, computed in coordinates; by names for a word in names.

        Raises:
            ValueError: A letter or the state is out of range.
        """
        read = tuple(word)  # an iterator is read once
        letters, start = self.images.automaton.numbers(read, state)
        coordinates, states = self.encode(start), []
        for letter in letters:
            coordinates = self.step(coordinates, letter)
            states.append(self.decode(coordinates))
        return self.images.automaton.spelled(states, read)

    def program(self) -> Program:
        """The cascade as plain arrays for `depthjax.constructions.compile_cascade`, see `theory.automata.program`.

        Raises:
            OutsideHypotheses: A holonomy group is not solvable; the message names the perfect subgroup.
        """
        return program(self)


def _latex(tile: str) -> str:
    """The name of a tile in mathematical roman letters, where every character is one that LaTeX prints."""
    spelled = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge ", " ": r"\ "} | {c: rf"\{c}" for c in "{}#$%&_"}
    return rf"\mathrm{{{''.join(spelled.get(c, c) for c in tile)}}}"
