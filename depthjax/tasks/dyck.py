"""Bounded Dyck languages: k types of brackets nested at most D deep. Letter i < k opens type i, letter k + i closes it."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer, Key

from depthjax.checks import at_least, in_alphabet, marked, strange


def dyck_prefixes(types: int, depth: int, length: int) -> Int[np.ndarray, "words length"]:
    """Return all prefixes of this length of words of the language; every shorter prefix begins one of them."""
    at_least("types", types, 1)
    at_least("depth", depth, 1, "without nesting there is no word")
    words, stacks, counts = np.zeros((1, 0), int), np.zeros((1, depth), int), np.zeros(1, int)
    for _ in range(length):
        grown = []
        for kind in range(types):
            may = counts < depth
            stack = stacks[may].copy()
            stack[np.arange(may.sum()), counts[may]] = kind
            grown.append((np.append(words[may], np.full((may.sum(), 1), kind), axis=1), stack, counts[may] + 1))
        may = counts > 0
        top = stacks[may][np.arange(may.sum()), counts[may] - 1]
        grown.append((np.append(words[may], types + top[:, None], axis=1), stacks[may], counts[may] - 1))
        words, stacks, counts = (np.concatenate(parts) for parts in zip(*grown, strict=True))
    return words


@partial(jax.jit, static_argnames=("types", "depth", "batch", "length"))
def dyck_words(key: Key[Array, ""], types: int, depth: int, batch: int, length: int) -> Int[Array, "batch length"]:
    """Return random prefixes: opening and closing are equally likely where both are possible, and types are uniform."""
    coins, kinds = jax.random.split(key)
    flips = jax.random.bernoulli(coins, 0.5, (length, batch))
    kind = jax.random.randint(kinds, (length, batch), 0, types)
    rows = jnp.arange(batch)

    def step(state: tuple[Array, Array], draw: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
        stack, count = state
        flip, fresh = draw
        opens = jnp.where(count == 0, True, jnp.where(count == depth, False, flip))
        top = stack[rows, jnp.maximum(count - 1, 0)]
        stack = jnp.where(opens[:, None] & (jnp.arange(depth)[None, :] == count[:, None]), fresh[:, None], stack)
        return (stack, jnp.where(opens, count + 1, count - 1)), jnp.where(opens, fresh, types + top)

    start = jnp.zeros((batch, depth), kind.dtype), jnp.zeros(batch, int)
    return jax.lax.scan(step, start, (flips, kind))[1].T


def dyck_stacks(words: Integer[Array, "batch length"], types: int, depth: int) -> Int[Array, "batch length depth"]:
    """Return the types of the open brackets after every letter, from the outermost inwards; -1 where none is open.

    Words may be of any integer type. Under jit a word with a letter out of range has -2 everywhere.

    Raises:
        ValueError: A letter is no bracket of these types.
    """
    return _dyck_stacks(in_alphabet("words", words, 2 * types), types, depth)


@partial(jax.jit, static_argnums=(1, 2))
def _dyck_stacks(words: Array, types: int, depth: int) -> Array:

    def step(stack: Array, letter: Array) -> tuple[Array, Array]:
        count = (stack >= 0).sum(axis=1)
        place = jnp.arange(depth)[None, :]
        opened = jnp.where(place == count[:, None], letter[:, None], stack)
        closed = jnp.where(place == count[:, None] - 1, -1, stack)
        stack = jnp.where((letter < types)[:, None], opened, closed)
        return stack, stack

    stacks = jax.lax.scan(step, jnp.full((words.shape[0], depth), -1, words.dtype), words.T)[1]
    return marked(jnp.moveaxis(stacks, 0, 1), strange(words), -2)
