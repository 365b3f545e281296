"""Random words, and their products in a finite group."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key


def uniform_words(key: Key[Array, ""], letters: int, batch: int, length: int) -> Int[Array, "batch length"]:
    """Return independent uniform letters."""
    return jax.random.randint(key, (batch, length), 0, letters)


def sticky_words(key: Key[Array, ""], letters: int, batch: int, length: int, runs: int) -> Int[Array, "batch length"]:
    """Return words that draw a fresh letter with probability runs / length at each position and keep the last one otherwise.

    Their shape, as a path of total length one, does not depend on the length: what a word of `runs` letters is, slowed down.
    """
    when, what = jax.random.split(key)
    fresh = jax.random.uniform(when, (batch, length)) < runs / length
    run = jnp.cumsum(fresh, axis=1)
    return jnp.take_along_axis(uniform_words(what, letters, batch, length + 1), run, axis=1)


def all_words(letters: int, length: int) -> Int[Array, "words length"]:
    """Return every word of this length, in lexicographic order: letters ** length rows."""
    digits = letters ** jnp.arange(length - 1, -1, -1)
    return jnp.arange(letters**length)[:, None] // digits[None, :] % letters


def padded_table(table: Int[np.ndarray, "states letters"], states: int, letters: int = 0) -> Int[np.ndarray, "more columns"]:
    """Return the table of next states with more states, and letters if asked for, that lead nowhere: one shape for several."""
    result = np.tile(np.arange(states)[:, None], (1, max(letters, table.shape[1])))
    result[: table.shape[0], : table.shape[1]] = table
    return result


def prefix_products(table: Int[Array, "order order"], words: Int[Array, "batch length"]) -> Int[Array, "batch length"]:
    """Return x_1 x_2 ... x_t for every prefix of words of group elements: later letters multiply on the right.

    `table` is a Cayley table, table[g, h] = gh, with identity 0.
    """

    def step(product: Array, letter: Array) -> tuple[Array, Array]:
        product = table[product, letter]
        return product, product

    return jax.lax.scan(step, jnp.zeros(words.shape[0], table.dtype), words.T)[1].T


def iterated_commutators(
    key: Key[Array, ""], table: Int[Array, "order order"], letters: Int[Array, ""] | int, samples: int, depths: int
) -> list[Int[Array, " samples"]]:
    """Return random values of x, [x, x'], [[x, x'], [x'', x''']], ...: one array for each depth below `depths`.

    Commutators are a^-1 b^-1 a b in the group of the Cayley table, leaves uniform among the first `letters` elements; a value
    of depth j + 1 is the commutator of two values of depth j, drawn from the same pool of samples.
    """
    inverses = jnp.argmin(table, axis=1)  # the identity is 0; zeros that only pad a table stand to the right of it
    first, *shuffles = jax.random.split(key, depths)
    values = [jax.random.randint(first, (samples,), 0, letters)]
    for shuffle in shuffles:
        a, b = values[-1], jax.random.permutation(shuffle, values[-1])
        values.append(table[table[inverses[a], inverses[b]], table[a, b]])
    return values
