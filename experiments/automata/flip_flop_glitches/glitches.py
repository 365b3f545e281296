"""How wrong attention to the latest write, and a gated recurrence, read the last bit of words of the flip-flop automaton."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import softmax
from depthjax.attention.prefix import write_scores
from depthjax.scans.counters import last_write
from depthjax.tasks.flip_flop import last_written
from experiments.automata.flip_flop_glitches.flip_flop import recall

__all__ = ["last_weight", "wrong_recurrences", "wrong_weight"]


def wrong_weight(letters: Integer[Array, "batch length"], margins: Float[Array, " margins"]) -> Float[Array, "margins batch"]:
    """Return the weight of the head on the bit that was not written last, at the last position.

    Args:
        letters: 0 is idle, 1 + bit writes a bit.
        margins: Differences of the scores of two consecutive writes.
    """
    wrong = 1 - last_written(letters)[:, -1:]
    return jax.lax.map(lambda margin: jnp.take_along_axis(recall(letters, margin), wrong, axis=1)[:, 0], margins)


def last_weight(letters: Integer[Array, "batch length"], margins: Float[Array, " margins"]) -> Float[Array, "margins batch"]:
    """Return the weight of the head on the last write, which is the heaviest of all."""
    return jax.lax.map(lambda margin: softmax(write_scores(letters > 0, margin)).max(axis=1), margins)


def wrong_recurrences(letters: Integer[Array, "batch length"]) -> Int[Array, "2"]:
    """Return the wrong last reads of a diagonal recurrence whose gate opens at writes, and of one whose gate is always open."""
    memory = last_write(2, "recurrence")

    def wrong(gate: Array) -> Array:
        rows = jnp.stack([gate, letters], axis=2)
        read = jax.vmap(lambda word: memory.before(jnp.zeros(2, word.dtype), word)[-1, 1])(rows) - 1
        return (read != last_written(letters)[:, -1]).sum()

    return jnp.stack([wrong(jnp.minimum(letters, 1)), wrong(jnp.ones_like(letters))])
