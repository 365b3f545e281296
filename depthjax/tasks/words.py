"""Random words, and the word problem of a finite group as a training task.

Letters are uniform group elements, and the label at position t is x_1 x_2 ... x_t: later letters multiply on the right. With
`bos` a beginning-of-sequence token, letter number `order`, stands first with the identity as its label, so words of length T
have T + 1 positions. Lengths count group letters, not this token.
"""

import dataclasses
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import at_least
from depthjax.scans.tables import prefix_products


class Batch(NamedTuple):
    """A batch for a loss: tokens, labels (or coordinates), and weights, 1 at each position that counts and 0 elsewhere."""

    tokens: Integer[Array, "batch positions"]
    labels: Array
    weights: Float[Array, "batch positions"]


@dataclasses.dataclass(frozen=True, eq=False)
class GroupWords:
    """A sampler of words and their prefix products.

    Attributes:
        table: Cayley table, table[g, h] = gh, identity 0.
        bos: Whether a beginning-of-sequence token stands first.
        shortest: If given, every word of a batch draws its own length, uniformly between this and the length of the batch.
            Positions after its end keep random letters and have weight 0.

    Raises:
        ValueError: The table is not the Cayley table of a group with identity 0.
    """

    table: Integer[np.ndarray, "rows columns"]
    bos: bool = True
    shortest: int | None = None

    def __post_init__(self):
        check_group(self.table)
        if self.shortest is not None:
            at_least("shortest", self.shortest, 1)

    @property
    def letters(self) -> int:
        """Number of tokens: the elements, and the beginning-of-sequence token if there is one."""
        return len(self.table) + self.bos

    @property
    def classes(self) -> int:
        """Number of elements."""
        return len(self.table)

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with labels; under jit, batch and length are static.

        Raises:
            ValueError: The length is below `shortest`.
        """
        draw, many = jax.random.split(key)
        words = uniform_words(draw, len(self.table), batch, length).astype(jnp.int32)
        labels = prefix_products(jnp.asarray(self.table, jnp.int32), words)
        if self.bos:
            words, labels = (prepend(part, first) for part, first in ((words, len(self.table)), (labels, 0)))
        return Batch(words, labels, length_weights(many, batch, length, self.shortest, self.bos))


def check_group(table: Integer[np.ndarray, "rows columns"]) -> None:
    """Refuse a table that is not the Cayley table of a group. Cost: O(order^3).

    Raises:
        ValueError: The table is not square, has entries outside 0 ... order - 1, element 0 is not the identity, a row or column
            repeats an element, or a product is not associative.
    """
    table = np.asarray(table)
    order = len(table)
    what = "not the Cayley table of a group, table[g, h] = gh with identity 0"
    if table.shape != (order, order) or order == 0:
        raise ValueError(f"a table of shape {table.shape} is {what}: it must be square")
    if table.min() < 0 or table.max() >= order:
        raise ValueError(f"entries from {table.min()} to {table.max()} are {what}: {order} elements are 0 ... {order - 1}")
    if (table[0] != np.arange(order)).any() or (table[:, 0] != np.arange(order)).any():
        raise ValueError(f"row 0 or column 0 is not 0 ... {order - 1}, so this is {what}")
    if (np.sort(table, axis=0) != np.arange(order)[:, None]).any() or (np.sort(table, axis=1) != np.arange(order)).any():
        raise ValueError(f"a row or column repeats an element, so this is {what}")
    for a, row in enumerate(table):  # one row at a time: of a thousand elements the cube of all products takes 16 GiB
        wrong = np.argwhere(table[row] != row[table])
        if len(wrong):
            b, c = (int(element) for element in wrong[0])
            raise ValueError(f"({a} {b}) {c} differs from {a} ({b} {c}), so this is {what}")


def prepend(part: Int[Array, "batch length"], first: int) -> Int[Array, "batch length_and_one"]:
    """Return the rows with one entry in front."""
    return jnp.concatenate([jnp.full((part.shape[0], 1), first, part.dtype), part], axis=1)


def length_weights(
    key: Key[Array, ""], batch: int, length: int, shortest: int | None, bos: bool
) -> Float[Array, "batch positions"]:
    """Return 1 at the positions of each word, a beginning-of-sequence token included, and 0 after it.

    Raises:
        ValueError: The length is below `shortest`.
    """
    if shortest is None:
        return jnp.ones((batch, length + bos), jnp.float32)
    at_least("length", length, shortest, "it is the longest that a batch of mixed lengths can draw")
    ends = jax.random.randint(key, (batch,), shortest, length + 1) + int(bos)
    return (jnp.arange(length + bos)[None, :] < ends[:, None]).astype(jnp.float32)


def uniform_words(key: Key[Array, ""], letters: int, batch: int, length: int) -> Int[Array, "batch length"]:
    """Return independent uniform letters."""
    return jax.random.randint(key, (batch, length), 0, letters)


def sticky_words(key: Key[Array, ""], letters: int, batch: int, length: int, runs: int) -> Int[Array, "batch length"]:
    """Return words that draw a fresh letter with probability runs / length at each position and repeat the last one otherwise.

    As paths of total length one their law does not depend on the length: a word of about `runs` letters, slowed down.
    """
    when, what = jax.random.split(key)
    fresh = jax.random.uniform(when, (batch, length)) < runs / length
    run = jnp.cumsum(fresh, axis=1)
    return jnp.take_along_axis(uniform_words(what, letters, batch, length + 1), run, axis=1)


def all_words(letters: int, length: int) -> Int[Array, "words length"]:
    """Return every word of this length, in lexicographic order: letters ** length rows."""
    digits = letters ** jnp.arange(length - 1, -1, -1)
    return jnp.arange(letters**length)[:, None] // digits[None, :] % letters


def padded_table(
    table: Integer[np.ndarray, "states letters"], states: int, letters: int = 0
) -> Int[np.ndarray, "more columns"]:
    """Return the table of next states padded with states, and letters, that lead nowhere, so several tables share one shape."""
    result = np.tile(np.arange(states)[:, None], (1, max(letters, table.shape[1])))
    result[: table.shape[0], : table.shape[1]] = table
    return result


@partial(jax.jit, static_argnames=("samples", "depths"))
def iterated_commutators(
    key: Key[Array, ""], table: Integer[Array, "order order"], letters: Integer[Array, ""] | int, samples: int, depths: int
) -> Int[Array, "depths samples"]:
    """Return random values of x, [x, x'], [[x, x'], [x'', x''']], ...: one row for each depth below `depths`.

    Commutators are a^-1 b^-1 a b in the group of the Cayley table. Leaves are uniform among the first `letters` elements. A
    value of depth j + 1 is the commutator of two values of depth j, drawn from the same pool of samples.
    """
    inverses = jnp.argmin(table, axis=1)  # the identity is 0; zeros that only pad a table stand to the right of it
    first, *shuffles = jax.random.split(key, depths)

    def commute(a: Array, shuffle: Array) -> tuple[Array, Array]:
        b = jax.random.permutation(shuffle, a)
        values = table[table[inverses[a], inverses[b]], table[a, b]]
        return values, values

    values = jax.random.randint(first, (samples,), 0, letters).astype(table.dtype)
    if depths == 1:
        return values[None]
    return jnp.concatenate([values[None], jax.lax.scan(commute, values, jnp.stack(shuffles))[1]])
