"""A cascade as plain arrays: its groups split into abelian stages by their towers, ready to be compiled to layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from theory.automata.stages import abelian_stages
from theory.errors import OutsideHypotheses

if TYPE_CHECKING:
    from theory.automata.cascade import Cascade

__all__ = ["ComponentProgram", "LevelProgram", "Program", "program"]


class ComponentProgram(NamedTuple):
    """A component with a non-trivial group; products are numbered by their mixed-radix coordinates, stage by stage, identity 0.

    Attributes:
        sets: boolean array (sets,): the images it speaks of.
        element: int array (sets, letters): the product that a letter is on an image, 0 where it is none.
        moduli: per abelian stage, the orders of its cyclic factors.
        increments: per abelian stage, int array (cosets, order, factors): what a letter adds, given the stages so far.
        since: int array (order, order): ``since[g, h]`` is g^-1 h, what happened between the products g and h.
        action: int array (order, tiles): where a product moves a tile.
    """

    sets: np.ndarray
    element: np.ndarray
    moduli: tuple[np.ndarray, ...]
    increments: tuple[np.ndarray, ...]
    since: np.ndarray
    action: np.ndarray


class LevelProgram(NamedTuple):
    """One level: its height, whether letters reset it, and its components with non-trivial groups."""

    height: int
    resets: bool
    components: tuple[ComponentProgram, ...]


class Program(NamedTuple):
    """A cascade.

    Attributes:
        levels: highest first.
        move: int array (sets, letters): where letters carry sets; set 0 holds all states.
        heights: int array (sets,).
        tiles: int array (sets, most tiles), -1 fills up.
        cover: int array (sets, sets): a tile of the second set that contains the first, 0 where there is none.
        encode: int array (states, levels): coordinates of each state.
        state: int array (sets,): the state in a singleton, -1 for larger sets.
        depth: layers: abelian stages and resets.
    """

    levels: tuple[LevelProgram, ...]
    move: np.ndarray
    heights: np.ndarray
    tiles: np.ndarray
    cover: np.ndarray
    encode: np.ndarray
    state: np.ndarray
    depth: int


def program(cascade: Cascade) -> Program:
    """The arrays of a cascade.

    Raises:
        OutsideHypotheses: a holonomy group is not solvable; names the perfect subgroup.
    """
    images, name = cascade.images, cascade.images.automaton.name
    witness = images.automaton.perfect_witness()
    if witness is not None:
        raise OutsideHypotheses(
            "the cascade of abelian stages and resets",
            [(f"every group inside is solvable; {name} holds {witness.description}", False)],
            given=name,
            remedy="use the scan (depthjax.constructions.scan_automaton), whose depth is ceil(log2(length))",
        )
    # a letter that does not permute all states resets some coordinate; without one there is a single level
    resets = bool((images.move[0] != 0).any())
    levels = tuple(LevelProgram(h, resets, _components(cascade, h)) for h in range(cascade.height, 0, -1))
    n = images.automaton.num_states
    state = np.where(images.sizes == 1, np.round(np.log2(np.maximum(images.masks, 1))).astype(int), -1)
    encode = np.array([cascade.encode(q) for q in range(n)], dtype=int).reshape(n, cascade.height)
    depth = sum(max((len(part.moduli) for part in level.components), default=0) + level.resets for level in levels)
    return Program(levels, images.move, cascade.heights, cascade.tiles, _cover(cascade), encode, state, depth)


def _cover(cascade: Cascade) -> np.ndarray:
    masks, tiles = cascade.images.masks, cascade.tiles
    cover = np.zeros((len(masks), len(masks)), dtype=int)
    for c in reversed(range(tiles.shape[1])):
        lies_in = ((masks[:, None] & ~masks[tiles[:, c]][None, :]) == 0) & (tiles[:, c] >= 0)[None, :]
        cover[lies_in] = c
    return cover


def _components(cascade: Cascade, height: int) -> tuple[ComponentProgram, ...]:
    return tuple(_component(cascade, int(root)) for root in cascade.roots(height) if cascade.component(int(root)).generators)


def _component(cascade: Cascade, root: int) -> ComponentProgram:
    stages = abelian_stages(cascade.component(root).generators)
    sets = cascade.images.representatives == root
    element = np.zeros(cascade.images.move.shape, dtype=int)
    for index, letter in np.argwhere(cascade.is_permutation() & sets[:, None]):
        element[index, letter] = stages.number(cascade.permutation(int(index), int(letter)))
    return ComponentProgram(sets, element, stages.moduli, stages.increments, stages.since, stages.action)
