"""A cascade as plain arrays, its groups split into abelian stages by their towers, ready to be compiled to layers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theory.automata.inside import perfect_witness
from theory.automata.stages import abelian_stages
from theory.automata.tiling import Tiling
from theory.errors import OutsideHypotheses

__all__ = ["ComponentProgram", "LevelProgram", "Program", "program"]


class ComponentProgram(NamedTuple):
    """A component with a non-trivial group. Products are numbered by their mixed-radix coordinates; the identity is 0.

    Attributes:
        sets: Boolean array (sets,): the images of the component.
        element: Int array (sets, letters): the product that a letter contributes on an image, 0 if none.
        moduli: For each abelian stage, the orders of its cyclic factors.
        increments: For each abelian stage, int array (cosets, order, factors): what a letter adds, given the stages below.
        since: Int array (order, order): ``since[g, h]`` is g^-1 h, the product of the letters between the products g and h.
        action: Int array (order, tiles): the tile to which a product moves a tile.
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
        levels: The levels, highest first.
        move: Int array (sets, letters): the set onto which a letter maps a set; set 0 holds all states.
        heights: Int array (sets,).
        tiles: Int array (sets, most tiles), filled up with -1.
        cover: Int array (sets, sets): a tile of the second set that contains the first set, 0 if there is none.
        encode: Int array (states, levels): coordinates of each state.
        state: Int array (sets,): the state in a singleton, -1 for larger sets.
        depth: Number of layers: abelian stages and resets.
    """

    levels: tuple[LevelProgram, ...]
    move: np.ndarray
    heights: np.ndarray
    tiles: np.ndarray
    cover: np.ndarray
    encode: np.ndarray
    state: np.ndarray
    depth: int


def program(cascade: Tiling) -> Program:
    """The arrays of a cascade.

    Raises:
        OutsideHypotheses: A holonomy group is not solvable; the message names the perfect subgroup.
    """
    images, name = cascade.images, cascade.images.automaton.name
    witness = perfect_witness(images.automaton)
    if witness is not None:
        raise OutsideHypotheses(
            "the cascade of abelian stages and resets",
            [(f"every group inside is solvable; {name} holds {witness.description}", False)],
            given=name,
            remedy="use the scan (depthjax.constructions.scan_automaton), whose depth is ceil(log2(length))",
        )
    levels = tuple(LevelProgram(h, cascade.resets(h), _components(cascade, h)) for h in range(cascade.height, 0, -1))
    n = images.automaton.num_states
    state = np.where(images.sizes == 1, images.contains.argmax(axis=1), -1)
    encode = np.array([cascade.encode(q) for q in range(n)], dtype=int).reshape(n, cascade.height)
    depth = sum(max((len(part.moduli) for part in level.components), default=0) + level.resets for level in levels)
    return Program(levels, images.move, cascade.heights, cascade.tiles, _cover(cascade), encode, state, depth)


def _cover(cascade: Tiling) -> np.ndarray:
    inside, tiles = cascade.images.inside, cascade.tiles
    cover = np.zeros(inside.shape, dtype=int)
    for c in reversed(range(tiles.shape[1])):
        cover[inside[:, tiles[:, c]] & (tiles[:, c] >= 0)[None, :]] = c
    return cover


def _components(cascade: Tiling, height: int) -> tuple[ComponentProgram, ...]:
    return tuple(_component(cascade, int(root)) for root in cascade.roots(height) if cascade.generators(int(root)))


def _component(cascade: Tiling, root: int) -> ComponentProgram:
    stages = abelian_stages(cascade.generators(root))
    sets = cascade.components == root
    element = np.zeros(cascade.images.move.shape, dtype=int)
    for index, letter in np.argwhere(cascade.permutes & sets[:, None]):
        element[index, letter] = stages.number(cascade.permutation(int(index), int(letter)))
    return ComponentProgram(sets, element, stages.moduli, stages.increments, stages.since, stages.action)
