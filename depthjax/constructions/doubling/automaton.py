r"""Any semiautomaton by doubling: ceil(log2 T) attention layers with explicit softmax weights.

Position 0 holds the identity map and position t the map of letter t, each as a one-hot matrix f[q, b] = [q goes to b]. Layer l
reads the map at position t' = max(t - r, 0), r = 2^(l-1), and composes it with its own, so that position t then holds the map
of the letters in (t - 2^l, t]. The features (1, p, p^2) of the positions give queries and keys,

    query_t = beta (2 (t - r), -1),    key_p = (p, p^2),    score = beta (2 (t - r) p - p^2),

whose maximum over p >= 0 is at t', with a gap of at least beta. The softmax goes over all positions up to t. Its wrong mass is
below 2 e^-beta / (1 - e^-beta). The feed-forward part restores the one-hot matrix, relu(2 f - 1/2) - relu(2 f - 3/2), and
composes it exactly, h[q, b] = sum_a relu(f[q, a] + g[a, b] - 1).

After ceil(log2 T) layers every position holds its prefix map. With one layer fewer, position T knows the last 2^layers letters
only.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, Theorem 1; the weights are re-derived.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention.lookup import exact_dtype
from depthjax.checks import at_least, in_alphabet, marked, next_states, strange
from depthjax.constructions.directions.layer import times, weigh
from depthjax.constructions.directions.stream import Stream, target
from depthjax.constructions.doubling.pointers import doubling_depth

_PLACES = Stream({"one": 1, "position": 1, "square": 1, "back": 1})
_SHARPNESS = 4.0  # the wrong mass 2 e^-4 / (1 - e^-4) = 0.04 is far below the 1/4 that the feed-forward part forgives


def scan_automaton(
    table: Integer[np.ndarray, "states letters"] | Array,
    tokens: Integer[Array, "batch length"],
    *,
    layers: int | None = None,
    state: int = 0,
    dtype: Any = jnp.float32,
) -> Int[Array, "batch length"]:
    """Return the state after each letter, by attention layers that double the reach of every position.

    Args:
        table: Next states, `table[state, letter]`.
        tokens: Letters; under jit a word with a letter out of range has -1 everywhere.
        layers: Number of layers (default: as many as the length needs). With fewer, answers beyond position 2^layers err.
        state: State before the first letter.
        dtype: Type of the attention.

    Cost: O(length^2 states^2 + length states^3) for each layer.

    Raises:
        TypeError: The table or the tokens do not hold integers.
        ValueError: `layers` is negative, a word is empty or so long that `dtype` does not hold the scores, or the table does
            not have a letter, the state, or a state to which it leads.

    >>> scan_automaton(np.array([[0, 1], [1, 0]]), jnp.array([[1, 1, 0, 1]])).tolist()  # parity
    [[1, 0, 0, 1]]
    """
    return states_by_layer(table, tokens, layers=layers, state=state, dtype=dtype)[-1]


def states_by_layer(
    table: Integer[np.ndarray, "states letters"] | Array,
    tokens: Integer[Array, "batch length"],
    *,
    layers: int | None = None,
    state: int = 0,
    dtype: Any = jnp.float32,
) -> Int[Array, "layers_and_one batch length"]:
    """Return the state that each position answers before the first layer and after every layer.

    The arguments, the cost and the errors are those of `scan_automaton`.
    """
    length = at_least("length", tokens.shape[-1], 1)
    table = next_states("table", table, state)
    dtype = exact_dtype(dtype, length + 1)
    tokens = in_alphabet("tokens", tokens, table.shape[1])
    layers = doubling_depth(length) if layers is None else at_least("layers", layers, 0)
    maps = jax.nn.one_hot(table.T, table.shape[0], dtype=dtype)  # (letters, states, states)
    words = maps[tokens]
    identity = jnp.broadcast_to(jnp.eye(table.shape[0], dtype=dtype), (len(words), 1, *maps.shape[1:]))
    first = jnp.concatenate([identity, words], axis=1)

    def layer(blocks: Array, reach: Array) -> tuple[Array, Array]:
        blocks = _layer(blocks, reach)
        return blocks, _answer(blocks, state)

    # one program for all layers: the reach is data
    answers = jax.lax.scan(layer, first, 2 ** jnp.arange(layers))[1]
    answers = jnp.concatenate([_answer(first, state)[None], answers]).astype(tokens.dtype)
    return marked(jnp.moveaxis(answers, 1, 0), strange(tokens)).swapaxes(0, 1)


def _answer(blocks: Float[Array, "batch positions states states"], state: int) -> Int[Array, "batch length"]:
    return jnp.argmax(blocks[:, 1:, state], axis=-1)


def _layer(
    own: Float[Array, "batch positions states states"], reach: Int[Array, ""]
) -> Float[Array, "batch positions states states"]:
    weights = weigh(*_looks(own.shape[1], reach, own.dtype), "causal")
    read = jnp.einsum("tp,bpqa->btqa", weights, own, precision="highest")
    read = jax.nn.relu(2 * read - 0.5) - jax.nn.relu(2 * read - 1.5)
    # one-hot factors: relu(f + g - 1) is their product, so the sum over a is a matrix product
    return jnp.einsum("btqa,btac->btqc", read, own)


def _looks(positions: int, reach: Int[Array, ""], dtype: Any) -> tuple[Float[Array, "rows head"], Float[Array, "rows head"]]:
    """Queries and keys of a lookup `reach` positions back, from the features of each position."""
    place = jnp.arange(positions, dtype=dtype)
    features = jnp.stack([jnp.ones_like(place), place, place**2, jnp.broadcast_to(reach.astype(dtype), place.shape)], axis=1)
    query, key = target(_SHARPNESS, {"position": 1, "back": -1})
    to_query, to_key = (jnp.asarray(_PLACES.columns(*sums), dtype) for sums in (query, key))
    return times(features, to_query), times(features, to_key)
