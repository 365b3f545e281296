r"""The flip-flop language: write a bit, ignore some, read back what was written last.

Instructions are w (write), r (read) and i (ignore), each followed by a bit. After r the bit repeats the one that was written
last; after i it is random. In FFL(p) the first instruction is w and the last r; the others are i with probability p, and w or r
with (1 - p)/2 each. Bits are fair. Published splits have 256 instructions: FFL(0.8) for training and validation, FFL(0.98)
sparse, FFL(0.1) dense.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2306.00946, and its data set synthseq/flipflop.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer, Key

from depthjax.checks import at_least, in_alphabet, marked, strange

SPLITS = {"in distribution": 0.8, "sparse": 0.98, "dense": 0.1}
VOCABULARY = ("0", "1", "w", "r", "i")
_WRITE, _READ, _IGNORE = 2, 3, 4


class FlipFlops(NamedTuple):
    """Words of the flip-flop language.

    Attributes:
        tokens: Two tokens for each instruction, indices into `VOCABULARY`.
        reads: Whether a token is r; the next token is then determined.
        memory: Bit in memory after each token, 0 before the first write.
    """

    tokens: Integer[Array, "batch tokens"]
    reads: Bool[Array, "batch tokens"]
    memory: Int[Array, "batch tokens"]


def flip_flop_words(key: Key[Array, ""], ignore: float | Float[Array, ""], batch: int, instructions: int) -> FlipFlops:
    """Return independent words of FFL(ignore).

    Raises:
        ValueError: There are fewer than two instructions; the first writes and the last reads.
    """
    letters = flip_flop_letters(key, ignore, batch, instructions)
    bits, kinds = letters.bits, letters.kinds
    memory = last_written(writes(letters))
    bits = jnp.where(kinds == _READ, memory, bits)
    tokens = jnp.stack([kinds, bits], axis=2).reshape(batch, 2 * instructions)
    # the bit after w is in memory from its own position on
    before = jnp.concatenate([jnp.zeros((batch, 1), memory.dtype), memory[:, :-1]], axis=1)
    return FlipFlops(tokens, tokens == _READ, jnp.stack([before, memory], axis=2).reshape(batch, 2 * instructions))


class Instructions(NamedTuple):
    """Instructions: the kind of each, an index into `VOCABULARY`, and the bit that it writes or that is ignored."""

    kinds: Int[Array, "batch instructions"]
    bits: Integer[Array, "batch instructions"]


def flip_flop_letters(key: Key[Array, ""], ignore: float | Float[Array, ""], batch: int, instructions: int) -> Instructions:
    """Return the instructions of FFL(ignore); the bit of a read is random here.

    Raises:
        ValueError: There are fewer than two instructions.
    """
    at_least("instructions", instructions, 2, "the first writes and the last reads")
    what, which = jax.random.split(key)
    draw = jax.random.uniform(what, (batch, instructions))
    kinds = jnp.where(draw < ignore, _IGNORE, jnp.where(draw < (1 + ignore) / 2, _READ, _WRITE))
    kinds = kinds.at[:, 0].set(_WRITE).at[:, -1].set(_READ)
    return Instructions(kinds, jax.random.randint(which, (batch, instructions), 0, 2))


def writes(letters: Instructions) -> Int[Array, "batch instructions"]:
    """Return letters of the flip-flop automaton: 0 idle, 1 + bit for a write."""
    return jnp.where(letters.kinds == _WRITE, 1 + letters.bits, 0)


def last_written(letters: Integer[Array, "batch length"]) -> Int[Array, "batch length"]:
    """Return the value written last at each position (letter 1 + value writes, 0 is idle); 0 before the first write.

    Words may be of any integer type. Under jit a word with a negative letter has -1 everywhere.

    Raises:
        ValueError: A letter is negative.
    """
    letters = in_alphabet("letters", letters, None)
    latest = jax.lax.cummax(jnp.where(letters > 0, jnp.arange(letters.shape[1])[None, :], 0), axis=1)
    return marked(jnp.maximum(jnp.take_along_axis(letters, latest, axis=1) - 1, 0), strange(letters))
