r"""A Krohn-Rhodes cascade compiled to layers, on the cascade of `depthjax.constructions.cascade`.

A state is coded by a descending chain of sets, one coordinate per level naming the next set among the tiles of the last one.
Each level is a permutation-reset automaton whose letters depend on the levels above. It becomes

* one abelian stage per step of the derived series of its groups, side by side: g = n s(h) with h the stages so far, and

      n_{t+1} = n_t + [s(h) x s(h x)^-1],    h = h_t, x the letter's permutation: a function of the stages below alone;

* one reset stage, if any letter resets: the tile v that was last written, with the product g_r at that time. The coordinate is
  v moved by g_r^-1 g_t.

So the depth is the sum over the levels of (derived length + 1 if it resets): independent of the length of the word. Every
accumulation is a prefix scan, a diagonal recurrence or one attention layer (`accumulations`); the shift by one position that a
stage needs of the stages below is the strict mask of its layer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Int, Integer

from depthjax.checks import at_least, in_alphabet, marked, strange
from depthjax.scans.cascade import Accumulation, Below, ScanCascade, Stage
from depthjax.scans.counters import ROUTES, Route, last_write, modular_sum


def compile_cascade(cascade: Any, to: Route = "scan", dtype: Any = jnp.float32) -> "CompiledAutomaton":
    """Compile a cascade to layers.

    Args:
        cascade: what `Semiautomaton.holonomy()` returns, or its `program()`: plain arrays, see `theory.automata.program`.
        to: "scan", "recurrence" (diagonal, with resets) or "attention" (uniform and most-recent-write heads).
        dtype: of the recurrences and of the attention.

    Raises:
        ValueError: `to` is none of these; or, from `program()`, a group of the cascade is not solvable.
    """
    if to not in ROUTES:
        raise ValueError(f"to = {to!r}: a cascade compiles to one of {', '.join(map(repr, ROUTES))}")
    program = cascade.program() if hasattr(cascade, "program") else cascade
    return _compiled(program, to, dtype)


@dataclass(frozen=True, eq=False)
class CompiledAutomaton:
    """A program of layers that reads words: call it with tokens.

    Attributes:
        cascade: the layers; a letter is a token, the coordinates of the initial state, and the layer that is switched off.
        levels: what the coordinate of each level is, given the states of the layers.
        program: the arrays it was compiled from.
        to: the kind of its layers.
        dtype: of its recurrences and attention.
    """

    cascade: ScanCascade
    levels: tuple["_Level", ...]
    program: Any
    to: Route
    dtype: Any

    @property
    def depth(self) -> int:
        """Number of layers, whatever the length of the word."""
        return self.cascade.depth

    @property
    def layers(self) -> tuple[str, ...]:
        """What each layer does, lowest first: "C2 x C4" adds modulo 2 and modulo 4, "reset" remembers what was written last."""
        kinds = []
        for level in self.levels:
            kinds += [" x ".join(f"C{modulus}" for modulus in moduli) for moduli in level.moduli]
            kinds += ["reset"] * level.resets
        return tuple(kinds)

    def __call__(
        self,
        tokens: Integer[Array, "... length"],
        state: int | Int[Array, ""] = 0,
        *,
        chunk: int | None = None,
        off: int | Int[Array, ""] = -1,
    ) -> Int[Array, "... length"]:
        """Return the state after each letter; `tokens` are letters, with any leading batch axes.

        With `chunk`, only that many letters are held at a time. The layer number `off`, if there is one, is switched off: its
        state stays what it was at the start. Inside of jit a word with a letter out of range has -1 everywhere.

        Raises:
            ValueError: an empty word, or a letter or a state out of range.
        """
        num_states, num_letters = len(self.program.encode), self.program.move.shape[1]
        if not isinstance(state, Tracer) and not 0 <= state < num_states:
            raise ValueError(f"state {state} is out of range: the automaton has states 0 .. {num_states - 1}")
        tokens = in_alphabet("tokens", tokens, num_letters)
        at_least("length", tokens.shape[-1], 1, "an empty word has no states")
        if not self.levels:  # one state: nothing moves
            return marked(jnp.zeros_like(tokens), strange(tokens))
        run = partial(self._run, state=state, chunk=chunk, off=off)
        return marked(jax.vmap(run)(tokens.reshape(-1, tokens.shape[-1])).reshape(tokens.shape), strange(tokens))

    def _run(self, word: Array, state: int | Array, chunk: int | None, off: int | Array) -> Array:
        coordinates = jnp.asarray(self.program.encode, jnp.int32)[state]
        initial = jnp.broadcast_to(coordinates, (len(word), len(coordinates)))
        start = tuple(part for level in self.levels for part in level.start(coordinates[level.number]))
        switched = jnp.broadcast_to(jnp.asarray(off, jnp.int32), word.shape)
        after = self.cascade.run((word, initial, switched), start, chunk=chunk, stream=True)
        sets = jnp.zeros(len(word), jnp.int32)
        for level in self.levels:
            sets = level.descend(after, initial, sets)
        return jnp.asarray(self.program.state, jnp.int32)[sets].astype(word.dtype)


def _compiled(program: Any, to: Route, dtype: Any) -> CompiledAutomaton:
    levels: list[_Level] = []
    stages: list[Stage] = []

    def add(increment: Callable[..., "Step"], accumulation: Accumulation) -> None:
        stages.append(Stage(partial(_switched, increment, len(stages)), _carrying(accumulation)))

    for number in range(len(program.levels)):
        level = _Level(program, number, len(stages))
        for k, moduli in enumerate(level.moduli):
            add(partial(_counted, levels, stages, number, k), modular_sum(moduli, to, dtype))
        if level.resets:
            add(partial(_written, levels, stages, number), last_write(level.largest, to, dtype))
        levels.append(level)
    return CompiledAutomaton(ScanCascade(tuple(stages)), tuple(levels), program, to, dtype)


class _Level:
    """The tables of one level, and its coordinate as a function of the states of its stages."""

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
        """The initial states of its stages: no permutation yet, and the first tile written."""
        counts = tuple(jnp.zeros(len(moduli), jnp.int32) for moduli in self.moduli)
        return (
            (*counts, jnp.zeros(2 + len(self.components), jnp.int32).at[:2].set(jnp.stack([jnp.ones_like(tile), tile])))
            if self.resets
            else counts
        )

    def product(self, states: tuple[Array, ...], part: int, stages: int, length: int) -> Array:
        """The number of a component's product, or of its coset as far as the first stages know it, at each position."""
        number = jnp.zeros(length, jnp.int32)
        for k, moduli in enumerate(self.components[part].moduli[:stages]):
            skip = sum(len(other.moduli[k]) for other in self.components[:part] if k < len(other.moduli))
            for i, modulus in enumerate(moduli.tolist()):
                number = number * modulus + states[self.first + k][:, skip + i]
        return number

    def tile(self, states: tuple[Array, ...], initial: Array, sets: Array) -> Array:
        """The coordinate at each position, right where the set has this height."""
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
        """The next set of the chain: a tile of each set that has this height, the others as they are."""
        tiles, heights = jnp.asarray(self.program.tiles, jnp.int32), jnp.asarray(self.program.heights, jnp.int32)
        return jnp.where(heights[sets] == self.height, tiles[sets, self.tile(states, initial, sets)], sets)


class Step(NamedTuple):
    """What a stage is given at each letter, and the sets of the old and the new chain where they come to its level."""

    added: Array
    old: Array
    new: Array


def _carrying(accumulation: Accumulation) -> Accumulation:
    """The same accumulation on increments that carry the chains past it, for the stages above to go on from."""
    return Accumulation(
        step=lambda state, increment: accumulation.step(state, increment.added),
        before=lambda initial, increments: accumulation.before(initial, increments.added),
        identity=accumulation.identity,
    )


def _switched(
    increment: Callable[..., Step], layer: int, letters: tuple[Array, Array, Array], below: tuple[Below, ...]
) -> Step:
    """The increment of a layer, or zero, which leaves its state as it is, where that layer is switched off."""
    word, initial, off = letters
    found = increment((word, initial), below)
    return found._replace(added=jnp.where((off == layer)[:, None], 0, found.added))


def _chains(
    levels: list[_Level], stages: list[Stage], number: int, initial: Array, below: tuple[Below, ...]
) -> tuple[Array, Array]:
    """The sets of the chains before and after each letter, when they come to a level."""
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


def _counted(
    levels: list[_Level], stages: list[Stage], number: int, k: int, letters: tuple[Array, Array], below: tuple[Below, ...]
) -> Step:
    """What abelian stage k of a level adds: [s(h) x s(h x)^-1] for the permutation x of each letter, 0 without one."""
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


def _written(
    levels: list[_Level], stages: list[Stage], number: int, letters: tuple[Array, Array], below: tuple[Below, ...]
) -> Step:
    """The rows (flag, tile, product of each component) that the letters of a level write."""
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


def _permutes(level: _Level, word: Array, old: Array, new: Array) -> Array:
    """Whether each letter carries the old chain's set onto the new one's, at this height: then it permutes the tiles."""
    move, heights = jnp.asarray(level.program.move, jnp.int32), jnp.asarray(level.program.heights, jnp.int32)
    return (move[old, word] == new) & (heights[old] == level.height) & (heights[new] == level.height)
