"""The stages of a compiled automaton: the tables of each level, and the increments of its counters and of its memory.

Every increment carries the chains of sets before and after each letter upwards, so the stages above start from them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depthjax.scans.cascade import Accumulation, Below, Stage


class LevelTables:
    """The tables of one level, and its coordinate as a function of the states of its stages.

    `program` holds the arrays of all levels, `number` is that of this level, and `first` that of its lowest stage.
    """

    def __init__(self, program: Any, number: int, first: int) -> None:
        source = program.levels[number]
        self.program, self.number, self.first = program, number, first
        self.height, self.resets, self.components = source.height, source.resets, source.components
        stages = max((len(part.moduli) for part in self.components), default=0)
        # the components' abelian factors stand side by side
        self.moduli = [
            np.concatenate([part.moduli[k] for part in self.components if k < len(part.moduli)]) for k in range(stages)
        ]
        self.largest = max([program.tiles.shape[1], *(len(part.action) for part in self.components)])

    def start(self, tile: Array) -> tuple[Array, ...]:
        """Return the initial states of the stages: no permutation yet, and the first tile written."""
        counts = tuple(jnp.zeros(len(moduli), jnp.int32) for moduli in self.moduli)
        return (
            (*counts, jnp.zeros(2 + len(self.components), jnp.int32).at[:2].set(jnp.stack([jnp.ones_like(tile), tile])))
            if self.resets
            else counts
        )

    def product(self, states: tuple[Array, ...], part: int, stages: int, length: int) -> Array:
        """Return the number of the product of a component at each position, or of its coset after the first `stages` stages."""
        number = jnp.zeros(length, jnp.int32)
        for k, moduli in enumerate(self.components[part].moduli[:stages]):
            skip = sum(len(other.moduli[k]) for other in self.components[:part] if k < len(other.moduli))
            for i, modulus in enumerate(moduli.tolist()):
                number = number * modulus + states[self.first + k][:, skip + i]
        return number

    def tile(self, states: tuple[Array, ...], initial: Array, sets: Array) -> Array:
        """Return the coordinate at each position; it is meaningful where the set has the height of this level."""
        rows = states[self.first + len(self.moduli)] if self.resets else None
        value = initial[:, self.number] if rows is None else rows[:, 1]
        result = value
        for part, component in enumerate(self.components):
            since = self.product(states, part, len(self.moduli), len(sets))
            if rows is not None:
                since = jnp.asarray(component.since, jnp.int32)[rows[:, 2 + part], since]
            moved = jnp.asarray(component.action, jnp.int32)[since, jnp.minimum(value, component.action.shape[1] - 1)]
            result = jnp.where(jnp.asarray(component.sets)[sets], moved, result)
        return result

    def descend(self, states: tuple[Array, ...], initial: Array, sets: Array) -> Array:
        """Return the next set of the chain: a tile of each set that has the height of this level, and other sets unchanged."""
        tiles, heights = jnp.asarray(self.program.tiles, jnp.int32), jnp.asarray(self.program.heights, jnp.int32)
        return jnp.where(heights[sets] == self.height, tiles[sets, self.tile(states, initial, sets)], sets)


class Step(NamedTuple):
    """The increment of a stage at each letter, and the sets of the old and the new chain at its level."""

    added: Array
    old: Array
    new: Array


def carrying(accumulation: Accumulation) -> Accumulation:
    """Return the same accumulation on increments that also carry the chains."""
    return Accumulation(
        step=lambda state, increment: accumulation.step(state, increment.added),
        before=lambda initial, increments: accumulation.before(initial, increments.added),
        identity=accumulation.identity,
    )


def switched(increment: Callable[..., Step], layer: int, letters: tuple[Array, Array, Array], below: tuple[Below, ...]) -> Step:
    """Return the increment of a layer, or zero, which leaves its state unchanged, where that layer is switched off."""
    word, initial, off = letters
    found = increment((word, initial), below)
    return found._replace(added=jnp.where((off == layer)[:, None], 0, found.added))


def _chains(
    levels: list[LevelTables], stages: list[Stage], number: int, initial: Array, below: tuple[Below, ...]
) -> tuple[Array, Array]:
    """The sets of the chains before and after each letter at a level."""
    level = levels[number]
    if len(below) > level.first:  # an earlier stage of this level has them
        return below[level.first].increment.old, below[level.first].increment.new
    if number == 0:
        everything = jnp.zeros(len(initial), jnp.int32)
        return everything, everything
    above = levels[number - 1]
    old, new = below[above.first].increment.old, below[above.first].increment.new
    before = tuple(stage.before for stage in below)
    after = tuple(
        stages[i].accumulation.step(stage.before, stage.increment) if i >= above.first else stage.before
        for i, stage in enumerate(below)
    )
    return above.descend(before, initial, old), above.descend(after, initial, new)


def counted(
    levels: list[LevelTables], stages: list[Stage], number: int, k: int, letters: tuple[Array, Array], below: tuple[Below, ...]
) -> Step:
    """Return the increment [s(h) x s(h x)^-1] of abelian stage k of a level, x the permutation of each letter; else 0."""
    word, initial = letters
    level = levels[number]
    old, new = _chains(levels, stages, number, initial, below)
    states = tuple(stage.before for stage in below)
    acts = _permutes(level, word, old, new)
    columns = []
    for part, component in enumerate(level.components):
        if k < len(component.moduli):
            element = jnp.where(acts, jnp.asarray(component.element, jnp.int32)[old, word], 0)
            coset = level.product(states, part, k, len(word))
            columns.append(jnp.asarray(component.increments[k], jnp.int32)[coset, element])
    return Step(jnp.concatenate(columns, axis=1), old, new)


def written(
    levels: list[LevelTables], stages: list[Stage], number: int, letters: tuple[Array, Array], below: tuple[Below, ...]
) -> Step:
    """Return the rows (flag, tile, product of each component) that the letters of a level write."""
    word, initial = letters
    level = levels[number]
    old, new = _chains(levels, stages, number, initial, below)
    here = jnp.asarray(level.program.heights, jnp.int32)[new] == level.height
    writes = here & ~_permutes(level, word, old, new)
    moved = jnp.asarray(level.program.move, jnp.int32)[old, word]
    tile = jnp.asarray(level.program.cover, jnp.int32)[moved, new]
    states = tuple(stage.before for stage in below)
    # a letter that writes permutes nothing, so the products before it are those after it
    products = [level.product(states, part, len(level.moduli), len(word)) for part in range(len(level.components))]
    row = jnp.stack([jnp.ones_like(tile), tile, *products], axis=1)
    return Step(jnp.where(jnp.broadcast_to(writes[:, None], row.shape), row, 0), old, new)


def _permutes(level: LevelTables, word: Array, old: Array, new: Array) -> Array:
    """Whether each letter maps the old chain's set onto the new one's, at this height; then it permutes the tiles."""
    move, heights = jnp.asarray(level.program.move, jnp.int32), jnp.asarray(level.program.heights, jnp.int32)
    return (move[old, word] == new) & (heights[old] == level.height) & (heights[new] == level.height)
