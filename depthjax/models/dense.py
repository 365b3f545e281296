r"""A block-diagonal recurrence whose blocks are dense functions of the input: h_t = A(u_t) h_{t-1} + b(u_t).

With transition "euler" A = I + M(u), M linear in u: the structured linear controlled differential equation in steps of one
(Walker et al., arXiv 2505.17761). Nothing bounds its eigenvalues. With "orthogonal" A = (I - K)^{-1} (I + K), K = M - M^T: a
rotation, with every eigenvalue on the unit circle but -1, which is a limit.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.models.mixer import Mixer, dense
from depthjax.scans import matrix_affine_scan

TRANSITIONS = ("euler", "orthogonal")


class Dense(Mixer):
    """Blocks of `block` channels."""

    block: int = 4
    transition: str = "euler"
    scan: str = "auto"

    def prepare(self) -> None:
        """Make the parameters; M starts small, with entries of variance 1 / (4 block)."""
        self.transitions = dense(self.width * self.block, self.dtype, bias=True)
        self.drives = dense(self.width, self.dtype, bias=True)

    def matrices(self, x: Float[Array, "... width"]) -> Float[Array, "... blocks block block"]:
        """Return A(u)."""
        free = self.transitions(x).astype(self.carry).reshape(*x.shape[:-1], -1, self.block, self.block)
        free = free * (0.5 * self.block**-0.5)
        identity = jnp.eye(self.block, dtype=self.carry).reshape((1,) * (free.ndim - 2) + (self.block, self.block))
        if self.transition == "euler":
            return identity + free
        skew = free - jnp.swapaxes(free, -1, -2)
        return jnp.linalg.solve(identity - skew, identity + skew)

    def _drive(self, x: Array) -> Array:
        return self.drives(x).astype(self.carry).reshape(*x.shape[:-1], -1, self.block)

    def parallel(self, x: Array) -> Array:
        """All positions."""
        states = matrix_affine_scan(self.matrices(x), self._drive(x), method=self.scan)
        return states.reshape(x.shape)

    def start(self, batch: int, length: int) -> Array:
        """h_0 = 0."""
        return jnp.zeros((batch, self.width // self.block, self.block), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """One position."""
        state = jnp.einsum("...ij,...j->...i", self.matrices(x), state, precision="highest") + self._drive(x)
        return state, state.reshape(x.shape)
