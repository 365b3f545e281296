"""What attention without positions knows of a word: random layers on words that are permutations of each other."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depthjax.attention import softmax, visible


def permuted_pairs(
    seed: int, table: Int[np.ndarray, "states letters"], length: int, count: int, tries: int = 64
) -> Int[np.ndarray, "two count length"]:
    """Return random words and permutations of them that keep the last letter and lead from state 0 to another state.

    Args:
        seed: Decides the words.
        table: Next states.
        length: of the words.
        count: Number of pairs.
        tries: Words that are drawn for each pair; pairs are repeated if too few are found.

    Raises:
        ValueError: No word has such a permutation among those that were tried.
    """
    rng = np.random.default_rng(seed)
    words = rng.integers(0, table.shape[1], (tries * count, length))
    others = np.concatenate([rng.permuted(words[:, :-1], axis=1), words[:, -1:]], axis=1)
    pairs, ends = np.stack([words, others]), np.zeros((2, len(words)), int)
    for place in range(length):
        ends = table[ends, pairs[..., place]]
    apart = np.flatnonzero(ends[0] != ends[1])
    if len(apart) == 0:
        raise ValueError("no permutation leads to another state: give more words, or an automaton whose letters do not commute")
    return pairs[:, np.resize(apart, count)]


@partial(jax.jit, static_argnames=("letters", "heads", "width", "layers"))
def read_at_the_end(
    key: Array,
    words: Int[Array, "batch length"],
    *,
    letters: int,
    heads: int,
    width: int,
    layers: int,
    depth: int | Int[Array, ""],
    positions: float | Float[Array, ""] = 0.0,
) -> Float[Array, "batch width"]:
    """Return what random layers of causal softmax attention, each with a skip, hold at the last letter.

    Args:
        key: Decides all weights.
        words: The words.
        letters: Size of the alphabet.
        heads: Heads of each layer.
        width: Width of the layers and of their heads.
        layers: Largest depth; every depth up to it shares a program.
        depth: Number of layers that are switched on.
        positions: Size of random vectors that are added for every position.
    """
    code, place, rest = jax.random.split(key, 3)
    length = words.shape[1]
    state = jax.random.normal(code, (letters, width))[words]
    state = state + positions * jax.random.normal(place, (length, width))[None]
    seen = visible(jnp.arange(length), jnp.arange(length), "causal")

    def layer(state: Array, number: Array) -> tuple[Array, None]:
        query_key, value = jax.random.normal(jax.random.fold_in(rest, number), (2, heads, width, width)) / width**0.5
        attention = softmax(jnp.einsum("bid,hde,bje->bhij", state, query_key, state) / width**0.5, seen)
        moved = jnp.tanh(state + jnp.einsum("bhij,bjd,hde->bie", attention, state, value))
        return jnp.where(number < depth, moved, state), None

    return jax.lax.scan(layer, state, jnp.arange(layers))[0][:, -1]
