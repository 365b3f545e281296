r"""A block-diagonal recurrence with dense, input-dependent blocks: h_t = A(u_t) h_{t-1} + b(u_t).

M is linear in u. The transition "euler" is A = I + M(u), a structured linear controlled differential equation in steps of one
(Walker et al., arXiv 2505.17761); nothing bounds its eigenvalues. The transition "orthogonal" is the Cayley transform A = (I -
K)^{-1} (I + K) with K = M - M^T: a rotation whose eigenvalues cover the unit circle except -1, which is a limit.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, one_of
from depthjax.models.mixer import Linear, Mixer, at_least_single
from depthjax.scans import matrix_affine_scan
from depthjax.scans.choice import METHODS

TRANSITIONS = ("euler", "orthogonal")


class DenseRecurrence(Mixer):
    """A recurrence with dense blocks of `block` channels.

    Attributes:
        block: Channels of a block, a divisor of the width.
        transition: "euler" or "orthogonal".
        scan: Form of the scan, see `depthjax.scans.choice`.
    """

    block: int = 4
    transition: str = "euler"
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches and that blocks divide the width. Raises as `Mixer.check`."""
        one_of("transition", self.transition, TRANSITIONS)
        one_of("scan", self.scan, METHODS)
        super().check()
        if self.width % at_least("block", self.block, 1):
            raise ValueError(f"width {self.width} is not divisible by blocks of {self.block}: every block needs the same size")

    def prepare(self) -> None:
        """Make the parameters; the entries of M start with variance 1 / (4 block)."""
        self.transitions = Linear(self.width * self.block, self.dtype, use_bias=True)
        self.drives = Linear(self.width, self.dtype, use_bias=True)

    def matrices(self, x: Float[Array, "... width"]) -> Float[Array, "... blocks block block"]:
        """Return the transition matrices A(u)."""
        free = self.transitions(x).astype(self.carry).reshape(*x.shape[:-1], -1, self.block, self.block)
        free = free * (0.5 * self.block**-0.5)
        identity = jnp.eye(self.block, dtype=self.carry).reshape((1,) * (free.ndim - 2) + (self.block, self.block))
        if self.transition == "euler":
            return identity + free
        skew = free - jnp.swapaxes(free, -1, -2)
        wide = at_least_single(self.carry)  # no linear system is solved in a half type
        return jnp.linalg.solve((identity - skew).astype(wide), (identity + skew).astype(wide)).astype(self.carry)

    def _drive(self, x: Array) -> Array:
        return self.drives(x).astype(self.carry).reshape(*x.shape[:-1], -1, self.block)

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        states = matrix_affine_scan(self.matrices(x), self._drive(x), method=self.scan)
        return states.reshape(x.shape)

    def start(self, batch: int, length: int) -> Array:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.width // self.block, self.block), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        state = jnp.einsum("...ij,...j->...i", self.matrices(x), state, precision="highest") + self._drive(x)
        return state, state.reshape(x.shape)
