"""Trainable causal attention: rotary positions, and softmax, hard or averaging heads.

    softmax   o_i = sum_j softmax_j(q_i . k_j / sqrt(size)) v_j
    hard      the leftmost largest score takes all the weight
    average   all positions with the largest score share the weight

over j <= i (mask "causal") or j < i ("strict", where position 0 reads zero). Hard and averaging heads have the gradient of the
softmax (straight-through estimator). Rotary positions turn the pair (x_m, x_{m+size/2}) of queries and keys by
position * base^(-2m/size), base 10^4.

Reference:
    Su et al., RoFormer, arXiv 2104.09864.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.attention import hard, softmax, visible
from depthjax.checks import at_least, one_of
from depthjax.models.mixer import Linear, Mixer, at_least_single, merge_heads, split_heads

HEADS = ("softmax", "hard", "average")
POSITIONS = ("rope", "learned", "none")
MASKS = ("causal", "strict")
BASE = 1e4


class CausalAttention(Mixer):
    """Multi-head causal attention.

    Attributes:
        attention: One of `HEADS`.
        positions: "rope"; "learned", embeddings of `max_length` positions that the model adds to the tokens; or "none".
        mask: "causal" or "strict".
        max_length: Number of learned positions.
    """

    attention: str = "softmax"
    positions: str = "rope"
    mask: str = "causal"
    max_length: int = 0

    def check(self) -> None:
        """Check the switches; rotary positions need heads of even size. Raises as `Mixer.check`."""
        for name, known in {"attention": HEADS, "positions": POSITIONS, "mask": MASKS}.items():
            one_of(name, getattr(self, name), known)
        super().check()
        if self.positions == "rope" and (size := self.width // self.heads) % 2:
            raise ValueError(
                f"head size {size} (width {self.width} / {self.heads} heads) is odd: rotary positions turn pairs; "
                'choose an even head size, or positions="learned" or "none"'
            )
        if self.positions == "learned":
            at_least("max_length", self.max_length, 1, "learned positions need one vector for each position")

    def prepare(self) -> None:
        """Make the parameters."""
        self.projections = Linear(3 * self.width, self.dtype)

    def _elements(self, x: Array, at: Array) -> list[Array]:
        """Queries, keys and values; `at` holds the positions of the leading axis."""
        query, key, value = (split_heads(part, self.heads) for part in jnp.split(self.projections(x), 3, axis=-1))
        if self.positions == "rope":
            query, key = rotary(query, at), rotary(key, at)
        return [query * (self.width // self.heads) ** -0.5, key, value]

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        at = jnp.arange(x.shape[0])
        query, key, value = self._elements(x, at)
        score = jnp.einsum("ibhd,jbhd->bhij", query, key)
        weight = self.weights(score, visible(at, at, self.mask))
        return merge_heads(jnp.einsum("bhij,jbhd->ibhd", weight, value))

    def start(self, batch: int, length: int) -> tuple[Array, Array, Array]:
        """Return room for the keys and values of `length` positions, and their number so far."""
        room = jnp.zeros((length, batch, self.heads, self.width // self.heads), self.dtype)
        return room, room, jnp.zeros((), jnp.int32)

    def advance(self, state: tuple[Array, Array, Array], x: Array) -> tuple[tuple[Array, Array, Array], Array]:
        """Return the next state and the output at one position."""
        keys, values, at = state
        query, key, value = (part[0] for part in self._elements(x[None], at[None]))
        keys, values = keys.at[at].set(key), values.at[at].set(value)
        score = jnp.einsum("bhd,jbhd->bhj", query, keys)
        weight = self.weights(score, visible(at, jnp.arange(keys.shape[0], dtype=at.dtype), self.mask))
        return (keys, values, at + 1), merge_heads(jnp.einsum("bhj,jbhd->bhd", weight, values))

    def weights(self, score: Array, seen: Array) -> Array:
        """Return the attention weights of each row; a row that sees nothing has zeros."""
        score = score.astype(at_least_single(score.dtype))
        weight = softmax(score, seen)
        if self.attention != "softmax":
            weight = weight + jax.lax.stop_gradient(hard(score, seen, first=self.attention == "hard") - weight)
        return weight.astype(self.dtype)


def rotary(x: Float[Array, "length ... size"], at: Array) -> Float[Array, "length ... size"]:
    """Return queries or keys turned by their positions `at`."""
    half = x.shape[-1] // 2
    wide = at_least_single(x.dtype)
    rates = BASE ** (-jnp.arange(half, dtype=wide) / half)
    angle = (at.astype(wide)[:, None] * rates[None, :]).reshape(x.shape[0], *(1,) * (x.ndim - 2), half)
    cosine, sine = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
