r"""A recurrence whose transitions are column-one-hot matrices times complex diagonals: h_t = P(u_t) D(u_t) h_{t-1} + B(u_t).

P has one 1 in every column: it sends every coordinate to one coordinate, which may be the same for several. A layer has a few
real matrices of scores, its dictionary. The softmax of a linear map of u weighs them, and P has its ones where the columns of
the weighted sum are largest. Backwards the columns count as softmaxes. D has radii sigmoid(.) in (0, 1) and any angle; a radius
of 1 is a limit, which rounding reaches. Products of such matrices are such matrices.

Reference:
    PD-SSM, arXiv 2509.22284, for P D; how u chooses the dictionary, the radii and the angles is written down from memory.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float

from depthjax.checks import at_least, one_of
from depthjax.models.mixer import Linear, Mixer, at_least_single
from depthjax.scans import matrix_affine_scan
from depthjax.scans.choice import METHODS


class PermutationDiagonal(Mixer):
    """A recurrence of `state` complex numbers. State and coefficients are carried in float32 or better.

    Attributes:
        state: Complex numbers of state.
        dictionary: Matrices of scores among which a position chooses.
        scan: Form of the scan, see `depthjax.scans.choice`.
    """

    state: int = 16
    dictionary: int = 8
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches. Raises as `Mixer.check`."""
        one_of("scan", self.scan, METHODS)
        at_least("state", self.state, 1)
        at_least("dictionary", self.dictionary, 1)
        super().check()

    @property
    def core_width(self) -> int:
        """Real and imaginary parts of the state."""
        return 2 * self.state

    @property
    def wide(self) -> jnp.dtype:
        """Real type of the coefficients and of the real and imaginary parts of the state."""
        return at_least_single(self.carry)

    def prepare(self) -> None:
        """Make the parameters; scores are normal, radii start near 0.9."""
        scores = (self.dictionary, self.state, self.state)
        self.choice = Linear(self.dictionary, self.dtype)
        self.scores = self.param("scores", nn.initializers.normal(1.0), scores, self.dtype)
        self.diagonal = Linear(2 * self.state, self.dtype, use_bias=True)
        self.drives = Linear(2 * self.state, self.dtype)

    def columns(self, x: Float[Array, "... width"]) -> Float[Array, "... state state"]:
        """Return P at each position: 1 where a column of scores is largest, the first row of several. Its gradient is soft."""
        chosen = nn.softmax(self.choice(x).astype(self.wide), axis=-1)
        scores = jnp.tensordot(chosen, self.scores.astype(self.wide), axes=1, precision="highest")
        hard = jnp.swapaxes(nn.one_hot(jnp.argmax(scores, axis=-2), self.state, dtype=self.wide), -1, -2)
        soft = nn.softmax(scores, axis=-2)
        return hard + (soft - jax.lax.stop_gradient(soft))

    def transitions(self, x: Float[Array, "... width"]) -> Complex[Array, "... state state"]:
        """Return P D at each position."""
        radius, angle = jnp.split(self.diagonal(x).astype(self.wide), 2, axis=-1)
        radius = nn.sigmoid(radius + 2)
        diagonal = jax.lax.complex(radius * jnp.cos(angle), radius * jnp.sin(angle))
        return self.columns(x).astype(diagonal.dtype) * diagonal[..., None, :]

    def _drive(self, x: Array) -> Array:
        return jax.lax.complex(*jnp.split(self.drives(x).astype(self.wide), 2, axis=-1))

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        return self._read(matrix_affine_scan(self.transitions(x), self._drive(x), method=self.scan))

    def start(self, batch: int, length: int) -> Array:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.state), jnp.complex128 if self.wide.itemsize == 8 else jnp.complex64)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        state = jnp.einsum("...ij,...j->...i", self.transitions(x), state, precision="highest") + self._drive(x)
        return state, self._read(state)

    def _read(self, state: Array) -> Array:
        return jnp.concatenate([state.real, state.imag], axis=-1)
