"""DeltaProduct: per token several generalised Householder steps H <- (I - b k k^T) H + b k v^T.

b = 2 sigmoid(.) lies in (0, 2); q and k are silu, then of unit length.
The product of the factors has norm at most one; b = 2, an exact reflection, is a limit.
(Siems et al., arXiv 2502.10297; Heo et al., arXiv 2603.05573.)
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.models.mixer import Mixer, RMSNorm, dense, merge_heads, split_heads
from depthjax.scans import householder_scan
from depthjax.scans.householder import householder_step


class DeltaProduct(Mixer):
    """`num_householder` steps a token; heads of `head_size` (width / heads if not given), values of the same size."""

    gate: bool = True
    num_householder: int = 2
    head_size: int | None = None
    scan: str = "auto"

    @property
    def size(self) -> int:
        """Of a key."""
        return self.head_size or self.width // self.heads

    @property
    def leaving(self) -> int:
        """All heads."""
        return self.heads * self.size

    def prepare(self) -> None:
        """Make the parameters."""
        self.queries = dense(self.leaving, self.dtype)
        self.keys = dense(self.num_householder * self.leaving, self.dtype)
        self.values = dense(self.num_householder * self.leaving, self.dtype)
        self.strengths = dense(self.num_householder * self.heads, self.dtype)
        self.norm = RMSNorm(self.dtype)

    def factors(self, x: Float[Array, "... width"]) -> tuple[Array, Array]:
        """Return the keys (..., heads, steps, size) and the strengths (..., heads, steps)."""
        shape = (*x.shape[:-1], self.heads, self.num_householder)
        key = _unit(nn.silu(self.keys(x).astype(self.carry).reshape(*shape, self.size)))
        return key, 2 * nn.sigmoid(self.strengths(x).astype(self.carry).reshape(shape))

    def _elements(self, x: Array) -> tuple[Array, Array, Array, Array]:
        key, strength = self.factors(x)
        query = _unit(nn.silu(split_heads(self.queries(x).astype(self.carry), self.heads)))
        return query, key, self.values(x).astype(self.carry).reshape(key.shape), strength

    def parallel(self, x: Array) -> Array:
        """All positions."""
        return self._read(householder_scan(*self._elements(x), method=self.scan))

    def start(self, batch: int, length: int) -> Array:
        """H_0 = 0."""
        return jnp.zeros((batch, self.heads, self.size, self.size), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """One position."""
        state, read = householder_step(state, self._elements(x))
        return state, self._read(read)

    def _read(self, read: Array) -> Array:
        return merge_heads(self.norm(read.astype(self.dtype)))


def _unit(x: Array) -> Array:
    return x * jax.lax.rsqrt((x**2).sum(axis=-1, keepdims=True) + 1e-6)
