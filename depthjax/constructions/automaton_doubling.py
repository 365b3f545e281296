r"""Any semiautomaton by doubling: ceil(log2 T) attention layers with explicit softmax weights.

Position 0 holds the identity map and position t the map of letter t, each as a one-hot matrix f[q, b] = [q goes to b]. Layer l
reads the map at position t' = max(t - 2^(l-1), 0) and composes it with its own, so that position t then holds the map of the
letters in (t - 2^l, t]. The head's score is beta (2 t' p - p^2), whose maximum over p is at t' with a gap of beta; the wrong
mass is below 2 e^-beta / (1 - e^-beta). The feed-forward part restores the one-hot matrix, relu(2 f - 1/2) - relu(2 f - 3/2),
and composes it exactly, h[q, b] = sum_a relu(f[q, a] + g[a, b] - 1).

After ceil(log2 T) layers every position holds its prefix map. With one layer fewer, position T knows the last 2^layers letters
only.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, Theorem 1; the weights are re-derived.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import softmax
from depthjax.checks import at_least, in_alphabet, marked, strange
from depthjax.constructions.doubling import doubling_depth

_WINDOW = 3  # positions on each side of t' with any weight: e^(-4 * 4^2) is far below the rounding of one
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

    Cost: O(length states^3) for each layer. Only the attention weights that do not underflow are evaluated.

    Raises:
        ValueError: `layers` is negative, a word is empty, or the table does not have a letter or the state.
    """
    at_least("length", tokens.shape[-1], 1)
    if not 0 <= state < table.shape[0]:
        raise ValueError(f"state {state} is out of range: the automaton has states 0 .. {table.shape[0] - 1}")
    tokens = in_alphabet("tokens", tokens, table.shape[1])
    layers = doubling_depth(tokens.shape[-1]) if layers is None else at_least("layers", layers, 0)
    maps = jax.nn.one_hot(jnp.asarray(table).T, table.shape[0], dtype=dtype)  # (letters, states, states)
    words = maps[tokens]
    identity = jnp.broadcast_to(jnp.eye(table.shape[0], dtype=dtype), (len(words), 1, *maps.shape[1:]))
    # one program for all layers: the reach is data
    reaches = 2 ** jnp.arange(layers)
    blocks = jax.lax.scan(lambda x, reach: (_layer(x, reach), None), jnp.concatenate([identity, words], axis=1), reaches)[0]
    return marked(jnp.argmax(blocks[:, 1:, state], axis=-1).astype(tokens.dtype), strange(tokens))


def _layer(
    own: Float[Array, "batch length states states"], reach: Int[Array, ""]
) -> Float[Array, "batch length states states"]:
    length = own.shape[1]
    position = jnp.arange(length)
    target = jnp.maximum(position - reach, 0)
    # up to a constant per row 2 t' p - p^2 = -(p - t')^2, which does not lose digits
    offset = jnp.arange(-_WINDOW, _WINDOW + 1)
    near = target[:, None] + offset[None, :]
    seen = (near >= 0) & (near <= position[:, None])
    scores = jnp.broadcast_to(-_SHARPNESS * (offset.astype(own.dtype) ** 2)[None, :], seen.shape)
    weights = softmax(scores, seen)
    read = sum(weights[None, :, i, None, None] * own[:, jnp.clip(near[:, i], 0, length - 1)] for i in range(2 * _WINDOW + 1))
    read = jax.nn.relu(2 * read - 0.5) - jax.nn.relu(2 * read - 1.5)
    # one-hot factors: relu(f + g - 1) is their product, so the sum over a is a matrix product
    return jnp.einsum("btqa,btac->btqc", read, own)
