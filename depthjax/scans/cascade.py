r"""The cascade: a tower of extensions as a program of prefix accumulations.

Stage i of a cascade keeps a state s_i and, at every letter x_t, accumulates an increment that is a function of the
letter and of the stages below it:

    d_i(t) = increment_i(x_t, (s_1, d_1), ..., (s_{i-1}, d_{i-1})),        s_i <- step_i(s_i, d_i(t)),

where every s_j is the state *before* letter t. Given the stages below, the increments of a stage are known for all t at
once, so a stage is one map over positions and one prefix accumulation: one layer. The height of the cascade is its
depth, independent of the length. Lie towers (sums of vectors), group towers (elements of an abelian group) and Krohn-Rhodes
cascades (permutations and resets) are instances that differ in `increment` and `Accumulation` alone.

Arrays along the word have time as their leading axis. `increment` maps whole stretches of a word: it receives and returns
arrays with a leading time axis (`jax.vmap` makes such a function from a function of one letter). States have no time axis.

Cost: one pass. Memory is that of `chunk` letters, or of the whole word without `chunk`.

Source: Krohn and Rhodes, Transactions of the AMS 116 (1965), for the cascade product; Heo et al., arXiv 2603.05573, for
Lie algebras.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from depthjax.checks import at_least
from depthjax.scans.sums import prefix_sum


class Below(NamedTuple):
    """A lower stage as a higher one sees it: the state before each letter, and the increment at that letter."""

    before: PyTree[Array]
    increment: PyTree[Array]


@dataclass(frozen=True)
class Accumulation:
    """How a stage folds increments into its state.

    Attributes:
        step: `step(state, increment)` is the state after one letter; it broadcasts over a leading time axis of both.
        before: `before(initial, increments)` is the state before each letter of a stretch (an exclusive scan).
        identity: An increment, broadcastable against any other, that leaves every state unchanged.
    """

    step: Callable[[Any, Any], Any]
    before: Callable[[Any, Any], Any]
    identity: Any


ADDITION = Accumulation(
    step=jnp.add, before=lambda initial, increments: prefix_sum(increments, initial, inclusive=False), identity=0
)


def folding(combine: Callable[[Array, Array], Array], identity: Any) -> Accumulation:
    """Return the accumulation in a monoid: an associative `combine` on arrays, for states and increments of one kind."""

    def before(initial: Array, increments: Array) -> Array:
        return jax.lax.associative_scan(combine, jnp.concatenate([initial[None], increments[:-1]]))

    return Accumulation(step=combine, before=before, identity=identity)


@dataclass(frozen=True)
class Stage:
    """One layer: `increment(letters, below)`, with one `Below` for each lower stage, and its accumulation."""

    increment: Callable[[PyTree[Array], tuple[Below, ...]], PyTree[Array]]
    accumulation: Accumulation = ADDITION


@dataclass(frozen=True)
class ScanCascade:
    """A cascade of prefix scans.

    Attributes:
        stages: Stages, lowest first.
        check: Applied to the letters of every run first; it raises, or marks letters out of range.
    """

    stages: tuple[Stage, ...]
    check: Callable[[Any], Any] = lambda letters: letters

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.stages)

    def run(
        self, letters: PyTree[Array], initial: tuple[Any, ...], *, chunk: int | None = None, stream: bool = False
    ) -> tuple[Any, ...]:
        """Return the final state of every stage or, with `stream`, the states after every letter (leading time axis).

        Args:
            letters: Arrays with a leading time axis, of at least one letter.
            initial: One state for each stage.
            chunk: Number of letters held in memory at a time (default: all). It changes the result by rounding at most.
            stream: Return the states after every letter.

        Raises:
            ValueError: There are no letters, the chunk is below 1, there is not one initial state for each stage, or `check`
                refuses the letters.
        """
        letters = self.check(letters)
        length = jax.tree.leaves(letters)[0].shape[0]
        at_least("length", length, 1, "an empty word leaves the initial states")
        if len(initial) != self.depth:
            raise ValueError(f"initial must hold one state for each of the {self.depth} stages, got {len(initial)}")
        chunk = min(length, length if chunk is None else at_least("chunk", chunk, 1))
        if chunk == length:
            final, after = self._stretch(letters, tuple(initial), None, stream)
            return after if stream else final
        pieces = -(-length // chunk)
        padding = pieces * chunk - length

        def cut(array: Array) -> Array:
            array = jnp.pad(array, [(0, padding)] + [(0, 0)] * (array.ndim - 1), mode="edge") if padding else array
            return array.reshape(pieces, chunk, *array.shape[1:])

        # letters that only fill up the last stretch act as the identity
        valid = (jnp.arange(pieces * chunk) < length).reshape(pieces, chunk) if padding else None
        final, after = jax.lax.scan(
            lambda states, piece: self._stretch(piece[0], states, piece[1], stream),
            tuple(initial),
            (jax.tree.map(cut, letters), valid),
        )
        return jax.tree.map(lambda a: a.reshape(pieces * chunk, *a.shape[2:])[:length], after) if stream else final

    def below(self, letters: PyTree[Array], initial: tuple[Any, ...], valid: Array | None = None) -> tuple[Below, ...]:
        """Return what every stage holds before each letter, and its increments, lowest stage first."""
        below: list[Below] = []
        for stage, state in zip(self.stages, initial, strict=True):
            increment = stage.increment(letters, tuple(below))
            if valid is not None:
                increment = jax.tree.map(partial(_masked, valid, stage.accumulation.identity), increment)
            below.append(Below(stage.accumulation.before(state, increment), increment))
        return tuple(below)

    def after(self, below: tuple[Below, ...]) -> tuple[Any, ...]:
        """Return the state of every stage after each letter."""
        return tuple(stage.accumulation.step(*parts) for stage, parts in zip(self.stages, below, strict=True))

    def _stretch(self, letters: Any, initial: tuple[Any, ...], valid: Array | None, stream: bool) -> tuple[Any, Any]:
        below = self.below(letters, initial, valid)
        final = self.after(jax.tree.map(lambda a: a[-1], below))
        return final, self.after(below) if stream else None


def _masked(valid: Array, identity: Any, increment: Array) -> Array:
    mask = valid.reshape(valid.shape + (1,) * (increment.ndim - 1))
    return jnp.where(mask, increment, jnp.broadcast_to(jnp.asarray(identity, increment.dtype), increment.shape))
