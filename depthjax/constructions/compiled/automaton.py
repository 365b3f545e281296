r"""A Krohn-Rhodes cascade compiled to layers, on the cascade of `depthjax.scans.cascade`.

A state is coded by a descending chain of sets: one coordinate for each level names the next set among the tiles of the last
one. Each level is a permutation-reset automaton whose letters depend on the levels above. It becomes

* one abelian stage for each step of the derived series of its groups, side by side: g = n s(h) with h the stages so far, and

      n_{t+1} = n_t + [s(h) x s(h x)^-1],    h = h_t, x the letter's permutation: a function of the stages below alone;

* one reset stage, if any letter resets: the tile v that was last written, with the product g_r at that time. The coordinate is
  v moved by g_r^-1 g_t.

So the depth is the sum over the levels of (derived length, plus 1 if the level resets), independent of the length of the word.
Every accumulation is a prefix scan, a diagonal recurrence or one attention layer (`depthjax.scans.counters`). A stage needs the
stages below at the position before; this shift is the strict mask of its layer. `depthjax.constructions.compiled.stages` holds
the increments of the stages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Int, Integer

from depthjax.checks import at_least, in_alphabet, marked, strange
from depthjax.constructions.compiled.stages import LevelTables, Step, carrying, counted, switched, written
from depthjax.scans.cascade import Accumulation, ScanCascade, Stage
from depthjax.scans.counters import ROUTES, Route, last_write, modular_sum


def compile_cascade(cascade: Any, to: Route = "scan", dtype: Any = jnp.float32) -> "CompiledAutomaton":
    """Compile a cascade to layers.

    Args:
        cascade: The result of `Semiautomaton.holonomy()`, or its `program()`: plain arrays, see `theory.automata.program`.
        to: "scan", "recurrence" (diagonal, with resets) or "attention" (uniform and latest-write heads).
        dtype: Type of the arithmetic of recurrences and attention.

    Raises:
        ValueError: `to` is not one of these, or a group of the cascade is not solvable (from `program()`).

    >>> from theory.automata import semiautomaton
    >>> compiled = compile_cascade(semiautomaton("parity").holonomy())
    >>> compiled, compiled(jnp.array([1, 1, 0, 1])).tolist()
    (<CompiledAutomaton by scan: 1 layers, C2>, [1, 0, 0, 1])
    """
    if to not in ROUTES:
        raise ValueError(f"to = {to!r}: a cascade compiles to one of {', '.join(map(repr, ROUTES))}")
    program = cascade.program() if hasattr(cascade, "program") else cascade
    return _compiled(program, to, dtype)


@dataclass(frozen=True, eq=False)
class CompiledAutomaton:
    """An automaton as a program of layers: call it with tokens.

    Attributes:
        cascade: The layers. A letter is a token, the coordinates of the initial state, and the layer that is switched off.
        levels: The coordinate of each level as a function of the states of the layers.
        program: The arrays that the automaton was compiled from.
        to: Kind of the layers: "scan", "recurrence" or "attention".
        dtype: Type of the arithmetic of recurrences and attention.

    >>> CompiledAutomaton(ScanCascade(()), (), None, "scan", jnp.float32).depth
    0
    """

    cascade: ScanCascade
    levels: tuple[LevelTables, ...]
    program: Any
    to: Route
    dtype: Any

    def __repr__(self) -> str:
        return f"<CompiledAutomaton by {self.to}: {self.depth} layers, {', '.join(self.layers)}>"

    @property
    def depth(self) -> int:
        """Number of layers, whatever the length of the word."""
        return self.cascade.depth

    @property
    def layers(self) -> tuple[str, ...]:
        """Kind of each layer, lowest first: "C2 x C4" adds modulo 2 and modulo 4, "reset" remembers the last write."""
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
        """Return the state after each letter; under jit a word with a letter out of range has -1 everywhere.

        Args:
            tokens: Letters, with any leading batch axes.
            state: State before the first letter.
            chunk: Number of letters held in memory at a time (default: all).
            off: Number of the layer that is switched off, so that it keeps its first state; -1 for none.

        Raises:
            ValueError: A word is empty, or a letter or the state is out of range.
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

    def letters(
        self, word: Array, state: int | Array = 0, off: int | Array = -1
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Return the letters of the cascade for a word, and the first state of every layer."""
        coordinates = jnp.asarray(self.program.encode, jnp.int32)[state]
        initial = jnp.broadcast_to(coordinates, (len(word), len(coordinates)))
        start = tuple(part for level in self.levels for part in level.start(coordinates[level.number]))
        return (word, initial, jnp.broadcast_to(jnp.asarray(off, jnp.int32), word.shape)), start

    def chain(self, after: tuple[Array, ...], initial: Array) -> list[Array]:
        """Return, for each level, the set of states to which the levels so far narrow the state after each letter."""
        sets = [jnp.zeros(len(initial), jnp.int32)]
        for level in self.levels:
            sets.append(level.descend(after, initial, sets[-1]))
        return sets[1:]

    def _run(self, word: Array, state: int | Array, chunk: int | None, off: int | Array) -> Array:
        letters, start = self.letters(word, state, off)
        after = self.cascade.run(letters, start, chunk=chunk, stream=True)
        return jnp.asarray(self.program.state, jnp.int32)[self.chain(after, letters[1])[-1]].astype(word.dtype)


def _compiled(program: Any, to: Route, dtype: Any) -> CompiledAutomaton:
    levels: list[LevelTables] = []
    stages: list[Stage] = []

    def add(increment: Callable[..., Step], accumulation: Accumulation) -> None:
        stages.append(Stage(partial(switched, increment, len(stages)), carrying(accumulation)))

    for number in range(len(program.levels)):
        level = LevelTables(program, number, len(stages))
        for k, moduli in enumerate(level.moduli):
            add(partial(counted, levels, stages, number, k), modular_sum(moduli, to, dtype))
        if level.resets:
            add(partial(written, levels, stages, number), last_write(level.largest, to, dtype))
        levels.append(level)
    return CompiledAutomaton(ScanCascade(tuple(stages)), tuple(levels), program, to, dtype)
