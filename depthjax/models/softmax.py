"""Trainable causal attention: rotary positions, and scores that are softened, maximised or averaged.

    softmax   o_i = sum_j softmax_j(q_i . k_j / sqrt(size)) v_j
    hard      the leftmost largest score takes all; gradients are those of the softmax (straight through)
    average   the mean over all positions with the largest score, likewise

over j <= i (mask "causal") or j < i ("strict", where position 0 reads zero). Rotary positions turn the pair (x_m, x_{m+size/2})
of queries and keys by position * base^(-2m/size), base 10^4. (Su et al., arXiv 2104.09864.)
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.models.mixer import Mixer, at_least_single, dense, merge_heads, split_heads

ATTENTIONS = ("softmax", "hard", "average")
POSITIONS = ("rope", "learned", "none")
MASKS = ("causal", "strict")
BASE = 1e4


class Attention(Mixer):
    """Causal attention; "learned" positions, `max_length` of them, are added to embeddings by the stack, "none" not seen."""

    attention: str = "softmax"
    positions: str = "rope"
    mask: str = "causal"
    max_length: int = 0

    def prepare(self) -> None:
        """Make the parameters."""
        self.projections = dense(3 * self.width, self.dtype)

    def _elements(self, x: Array, at: Array) -> list[Array]:
        """q, k, v; `at` holds the positions of the leading axis."""
        query, key, value = (split_heads(part, self.heads) for part in jnp.split(self.projections(x), 3, axis=-1))
        if self.positions == "rope":
            query, key = rotary(query, at), rotary(key, at)
        return [query * (self.width // self.heads) ** -0.5, key, value]

    def parallel(self, x: Array) -> Array:
        """All positions."""
        length = x.shape[0]
        at = jnp.arange(length)
        query, key, value = self._elements(x, at)
        score = jnp.einsum("ibhd,jbhd->bhij", query, key)
        shown = at[:, None] >= at[None, :] + int(self.mask == "strict")
        weight = self.weights(score, shown[None, None])
        return merge_heads(jnp.einsum("bhij,jbhd->ibhd", weight, value))

    def start(self, batch: int, length: int) -> tuple[Array, Array, Array]:
        """Room for the keys and values of `length` positions, and how many there are."""
        room = jnp.zeros((length, batch, self.heads, self.width // self.heads), self.dtype)
        return room, room, jnp.zeros((), jnp.int32)

    def advance(self, state: tuple[Array, Array, Array], x: Array) -> tuple[tuple[Array, Array, Array], Array]:
        """One position."""
        keys, values, at = state
        query, key, value = (part[0] for part in self._elements(x[None], at[None]))
        keys, values = keys.at[at].set(key), values.at[at].set(value)
        score = jnp.einsum("bhd,jbhd->bhj", query, keys)
        shown = jnp.arange(keys.shape[0], dtype=at.dtype) + int(self.mask == "strict") <= at
        weight = self.weights(score, shown[None, None])
        return (keys, values, at + 1), merge_heads(jnp.einsum("bhj,jbhd->bhd", weight, values))

    def weights(self, score: Array, shown: Array) -> Array:
        """Return what each position takes of the shown ones; a row that is shown none takes nothing."""
        wide = jnp.where(shown, score.astype(at_least_single(score.dtype)), -jnp.inf)
        top = jax.lax.stop_gradient(wide.max(axis=-1, keepdims=True))
        raised = jnp.exp(wide - jnp.where(jnp.isfinite(top), top, 0))
        soft = raised / jnp.maximum(raised.sum(axis=-1, keepdims=True), jnp.finfo(wide.dtype).tiny)
        if self.attention != "softmax":
            best = (wide == top) & shown
            if self.attention == "hard":
                best = best & (jnp.cumsum(best, axis=-1) == 1)
            chosen = best.astype(wide.dtype)
            chosen = chosen / jnp.maximum(chosen.sum(axis=-1, keepdims=True), 1)
            soft = soft + jax.lax.stop_gradient(chosen - soft)
        return soft.astype(self.dtype)


def rotary(x: Float[Array, "length ... size"], at: Array) -> Float[Array, "length ... size"]:
    """Return queries or keys turned by their positions."""
    half = x.shape[-1] // 2
    wide = at_least_single(x.dtype)
    rates = BASE ** (-jnp.arange(half, dtype=wide) / half)
    angle = (at.astype(wide)[:, None] * rates[None, :]).reshape(x.shape[0], *(1,) * (x.ndim - 2), half)
    cosine, sine = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
