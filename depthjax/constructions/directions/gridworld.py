r"""A walk between two walls in two layers of attention with explicit weights.

Cells are 0 ... n; letters move by -1, 0 or +1, and walls stop them. A virtual prefix of n steps up and n - q_0 steps down fixes
the start. Layer 1 is a uniform head that counts the free displacement S_p. For each d in -n-1 ... n+1 a head of layer 2 finds
tau_d(t), the last p <= t with S_p = S_t + d, or -1 if there is none. Its score is

    beta (p - 2 N (S_p - S_t - d)^2),    N the number of positions,

bilinear in (S_p, S_p^2, p, 1) and (S_t, S_t^2, 1), beside a sink of score -beta N / 2 and value -1. The feed-forward part
answers with the one q for which min(tau_{-q}, tau_{n-q}) > max(tau_{-q-1}, tau_{n-q+1}).

Proof: take the shortest window that ends at t and over which S ranges over n. The walk touches both walls in it, and q_t = S_t
- min S. The window has the minimum S_t - q and the maximum S_t + n - q exactly if, going back from t, both are met before S_t -
q - 1 and S_t + n - q + 1.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, Theorem 3 (depth two); the weights are re-derived.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import average, softmax, visible
from depthjax.checks import at_least, in_alphabet, marked, strange

_SHARPNESS = 4.0  # the runner-up is one position earlier: the read position errs by at most e^-4 / (1 - e^-4)^2 < 0.02


def walled_walk(
    tokens: Integer[Array, "batch length"],
    cells: int,
    *,
    state: int | Int[Array, ""] = 0,
    layers: int = 2,
    dtype: Any = jnp.float32,
) -> Int[Array, "batch length"]:
    """Return the cell after each letter (0: left, 1: stay, 2: right).

    Args:
        tokens: Letters; under jit a word with another letter has -1 everywhere.
        cells: Number of cells.
        state: Cell before the first letter.
        layers: 1 or 2. With one layer the counter alone answers, its displacement clamped to the cells.
        dtype: Type of the attention.

    Raises:
        ValueError: There are no cells, the start or a letter is out of range, or `layers` is not 1 or 2.

    >>> walled_walk(jnp.array([[2, 2, 2, 0]]), cells=3).tolist()
    [[1, 2, 2, 1]]
    """
    tokens = in_alphabet("tokens", tokens, 3)
    at_least("cells", cells, 1)
    if not isinstance(state, Tracer) and not 0 <= state < cells:
        raise ValueError(f"state {state} is out of range: cells are 0 .. {cells - 1}")
    if layers not in (1, 2):
        raise ValueError(f"layers must be 1 or 2, got {layers}: layer 1 counts, layer 2 finds the walls")
    top = cells - 1
    moves = tokens.astype(dtype) - 1
    if layers == 1:
        counted = jnp.clip(_displacement(moves) + jnp.asarray(state, dtype), 0, top).astype(tokens.dtype)
        return marked(counted, strange(tokens))
    # at least n steps up, then n - q_0 down
    prefix = jnp.where(jnp.arange(2 * top) < top + state, 1, -1).astype(dtype)
    walk = jnp.concatenate([jnp.broadcast_to(prefix, (len(tokens), len(prefix))), moves], axis=1)
    free = jnp.concatenate([jnp.zeros((len(tokens), 1), dtype), _displacement(walk)], axis=1)
    last = _last_visits(free, top)  # (batch, positions, 2 n + 3)
    cell = jnp.arange(cells)
    zero = top + 1  # the column of d = 0
    inner = jnp.minimum(last[..., zero - cell], last[..., zero + top - cell])
    outer = jnp.maximum(last[..., zero - cell - 1], last[..., zero + top - cell + 1])
    # a tie would need both at -1: all visits, an interval of at least n, between S_t - q and S_t + n - q with an end unvisited
    found = jnp.argmax(inner > outer, axis=-1)[:, -tokens.shape[1] :].astype(tokens.dtype)
    return marked(found, strange(tokens))


def _displacement(moves: Float[Array, "batch length"]) -> Float[Array, "batch length"]:
    """Layer 1: a uniform causal head reads the mean move and 1 / count; their rounded ratio is the sum."""
    position = jnp.arange(moves.shape[1])
    weights = average(visible(position, position, "causal"), moves.dtype)
    return jnp.round((moves @ weights.T) / weights[:, 0][None, :])


def _last_visits(free: Float[Array, "batch length"], top: int) -> Float[Array, "batch length offsets"]:
    """Layer 2: one head for each offset d, from -n-1 to n+1."""
    length = free.shape[1]
    position = jnp.arange(length, dtype=free.dtype)
    # the sink, in front, is always visible
    seen = jnp.pad(visible(jnp.arange(length), jnp.arange(length), "causal"), ((0, 0), (1, 0)), constant_values=True)

    def head(offset: Array) -> Array:
        gap = free[:, None, :] - free[:, :, None] - offset
        scores = _SHARPNESS * (position[None, None, :] - 2 * length * gap**2)
        sink = jnp.full((*scores.shape[:2], 1), -_SHARPNESS * length / 2, free.dtype)
        weights = softmax(jnp.concatenate([sink, scores], axis=2), seen)
        return jnp.round(weights @ jnp.concatenate([-jnp.ones(1, free.dtype), position]))

    offsets = jnp.arange(-top - 1, top + 2, dtype=free.dtype)
    return jnp.moveaxis(jax.lax.map(head, offsets), 0, -1)
