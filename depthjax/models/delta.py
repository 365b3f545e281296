"""DeltaProduct: several generalised Householder steps H <- (I - b k k^T) H + b k v^T for each token.

The strength b = 2 sigmoid(.) lies in (0, 2); q and k are silu(.) scaled to unit length. The product of the factors has norm at
most one. An exact reflection, b = 2, is a limit.

Reference:
    Siems et al., arXiv 2502.10297; Heo et al., arXiv 2603.05573.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, one_of
from depthjax.models.mixer import Linear, Mixer, RMSNorm, merge_heads, split_heads
from depthjax.scans import householder_scan
from depthjax.scans.householder import FORMS, householder_step


class DeltaProduct(Mixer):
    """DeltaProduct with keys and values of one size.

    Attributes:
        num_householder: Householder steps for each token.
        head_size: Size of keys and values; width / heads if None.
        scan: Form of the scan, see `depthjax.scans.choice`.
    """

    gate: bool = True
    num_householder: int = 2
    head_size: int | None = None
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches; a head size of one's own need not divide the width. Raises as `Mixer.check`."""
        one_of("scan", self.scan, FORMS)
        at_least("num_householder", self.num_householder, 1)
        if self.head_size is None:
            super().check()
        else:
            at_least("head_size", self.head_size, 1)

    @property
    def size(self) -> int:
        """Size of a key."""
        return self.head_size or self.width // self.heads

    @property
    def core_width(self) -> int:
        """Channels of all heads."""
        return self.heads * self.size

    def prepare(self) -> None:
        """Make the parameters."""
        self.queries = Linear(self.core_width, self.dtype)
        self.keys = Linear(self.num_householder * self.core_width, self.dtype)
        self.values = Linear(self.num_householder * self.core_width, self.dtype)
        self.strengths = Linear(self.num_householder * self.heads, self.dtype)
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
        """Return the outputs at all positions."""
        return self._read(householder_scan(*self._elements(x), method=self.scan))

    def start(self, batch: int, length: int) -> Array:
        """Return H_0 = 0."""
        return jnp.zeros((batch, self.heads, self.size, self.size), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        state, read = householder_step(state, self._elements(x))
        return state, self._read(read)

    def _read(self, read: Array) -> Array:
        return merge_heads(self.norm(read.astype(self.dtype)))


def _unit(x: Array) -> Array:
    return x * jax.lax.rsqrt((x**2).sum(axis=-1, keepdims=True) + 1e-6)
