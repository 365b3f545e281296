r"""Diagonal input-dependent recurrences: GLA, Mamba, signed Mamba, AUSSM.

    GLA           S_t = diag(a_t) S_{t-1} + k_t v_t^T, o_t = S_t^T q_t; a_t = sigmoid(W2 W1 u_t + b)^(1/16) in (0, 1)
    Mamba         h_t = a_t h_{t-1} + dt_t B_t u_t, y_t = C_t h_t + D u_t; a_t = exp(dt_t A) in (0, 1), A < 0, dt = softplus(.)
    signed Mamba  the same with a_t = 2 exp(dt_t A) - 1 in (-1, 1)
    AUSSM         h_t = a_t h_{t-1} + dt_t B silu(u_t), y_t = Re(C h_t) + D u_t; a_t = exp(i (W u_t / sqrt(d) + beta))

AUSSM has one angle for every channel and state, and B and C for every state. The intervals are open: 0, 1 and -1 are limits,
reached only by rounding.

Reference:
    Heo et al., arXiv 2603.05573, as their code runs the models; Karuvally et al., arXiv 2507.05238, for the shapes of AUSSM.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, one_of
from depthjax.models.mixer import Linear, Mixer, RMSNorm, at_least_single, merge_heads, split_heads
from depthjax.scans import affine_scan, gated_scan
from depthjax.scans.choice import METHODS
from depthjax.scans.gated import FORMS, gated_step

RANK = 16  # rank of the map to the decay of GLA


class GLA(Mixer):
    """Gated linear attention: heads of size width / heads, an RMS norm of the output of each head, and an output gate."""

    gate: bool = True
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches. Raises as `Mixer.check`."""
        one_of("scan", self.scan, FORMS)
        super().check()

    def prepare(self) -> None:
        """Make the parameters."""
        self.projections = Linear(3 * self.width, self.dtype)
        self.down = Linear(min(RANK, self.width), self.dtype)
        self.up = Linear(self.width, self.dtype, use_bias=True)
        self.norm = RMSNorm(self.dtype)

    def decay(self, x: Float[Array, "... width"]) -> Float[Array, "... heads key"]:
        """Return the decay a_t at each position."""
        logits = self.up(self.down(x)).astype(self.carry)
        return split_heads(jnp.exp(nn.log_sigmoid(logits) / 16), self.heads)

    def _elements(self, x: Array) -> tuple[Array, Array, Array, Array]:
        parts = jnp.split(self.projections(x).astype(self.carry), 3, axis=-1)
        query, key, value = (split_heads(part, self.heads) for part in parts)
        return query * (self.width // self.heads) ** -0.5, key, value, self.decay(x)

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        return self._read(gated_scan(*self._elements(x), method=self.scan))

    def start(self, batch: int, length: int) -> Array:
        """Return S_0 = 0."""
        size = self.width // self.heads
        return jnp.zeros((batch, self.heads, size, size), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        state, read = gated_step(state, self._elements(x))
        return state, self._read(read)

    def _read(self, read: Array) -> Array:
        return merge_heads(self.norm(read.astype(self.dtype)))


class Mamba(Mixer):
    """A selective state space model.

    Attributes:
        state: Numbers of state for each channel.
        expand: The core has expand * width channels.
        scan: Form of the scan, see `depthjax.scans.choice`.
    """

    convolution: bool = True
    gate: bool = True
    state: int = 16
    expand: int = 2
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches. Raises as `Mixer.check`."""
        one_of("scan", self.scan, METHODS)
        at_least("state", self.state, 1)
        at_least("expand", self.expand, 1)
        super().check()

    @property
    def inner_width(self) -> int:
        """Channels of the core."""
        return self.expand * self.width

    @property
    def rank(self) -> int:
        """Rank of the map to the step size dt."""
        return -(-self.width // 16)

    def prepare(self) -> None:
        """Make the parameters: A = -(1 ... state), D = 1, and dt log-uniform in [1e-3, 1e-1] at u = 0."""
        inner = self.inner_width
        self.selection = Linear(self.rank + 2 * self.state, self.dtype)
        self.dt_proj = Linear(inner, self.dtype)
        self.dt_bias = self.param("dt_bias", step_size_bias, (inner,), self.dtype)
        self.log_rates = self.param("log_rates", _log_counts, (inner, self.state), self.dtype)
        self.skip = self.param("skip", nn.initializers.ones, (inner,), self.dtype)

    def decay(self, x: Float[Array, "... inner"]) -> Float[Array, "... inner state"]:
        """Return the diagonal of the transition at each position; x is the input after the convolution and its silu."""
        return self._decay(self._selected(x)[0])

    def _selected(self, x: Array) -> tuple[Array, Array, Array]:
        dt, drive, read = jnp.split(self.selection(x), [self.rank, self.rank + self.state], axis=-1)
        dt = nn.softplus((self.dt_proj(dt) + _like(self.dt_bias, x)).astype(self.carry))
        return dt, drive.astype(self.carry), read.astype(self.carry)

    def _decay(self, dt: Array) -> Array:
        rates = -jnp.exp(self.log_rates.astype(self.carry))
        return jnp.exp(dt[..., None] * rates.reshape((1,) * (dt.ndim - 1) + rates.shape))

    def _elements(self, x: Array) -> tuple[Array, Array, Array]:
        dt, drive, read = self._selected(x)
        drive = (dt * x.astype(self.carry))[..., None] * drive[..., None, :]
        return self._decay(dt), drive, read

    def _activated(self, x: Array) -> Array:
        return nn.silu(x) if self.convolution else x

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        x = self._activated(x)
        decay, drive, read = self._elements(x)
        return self._read(affine_scan(decay, drive, method=self.scan), read, x)

    def start(self, batch: int, length: int) -> Array:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.inner_width, self.state), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        x = self._activated(x)
        decay, drive, read = self._elements(x)
        state = decay * state + drive
        return state, self._read(state, read, x)

    def _read(self, state: Array, read: Array, x: Array) -> Array:
        return jnp.einsum("...cn,...n->...c", state, read) + (_like(self.skip, x) * x).astype(self.carry)


class SignedMamba(Mamba):
    """Mamba with the diagonal entries stretched from (0, 1) to (-1, 1)."""

    def _decay(self, dt: Array) -> Array:
        return 2 * super()._decay(dt) - 1


class AUSSM(Mixer):
    """An adaptive unitary state space model: `state` input-dependent rotations for each channel.

    As published, the bias of the step size enters twice. State and angles are carried in float32 or better.
    """

    gate: bool = True
    state: int = 16
    scan: str = "auto"

    def check(self) -> None:
        """Check the switches. Raises as `Mixer.check`."""
        one_of("scan", self.scan, METHODS)
        at_least("state", self.state, 1)
        super().check()

    def prepare(self) -> None:
        """Make the parameters: B and C complex normal, beta uniform in (-pi, pi), D = 1."""
        self.turn = Linear(self.width * self.state, self.dtype)
        self.phase = self.param("phase", _angles, (self.width, self.state), self.dtype)
        self.down = Linear(self.state, self.dtype)
        self.dt_proj = Linear(self.width, self.dtype)
        self.dt_bias = self.param("dt_bias", step_size_bias, (self.width,), self.dtype)
        self.drive = self.param("drive", nn.initializers.normal(1.0), (2, self.state), self.dtype)
        self.read = self.param("read", nn.initializers.normal(1.0), (2, self.state), self.dtype)
        self.skip = self.param("skip", nn.initializers.ones, (self.width,), self.dtype)

    @property
    def wide(self) -> jnp.dtype:
        """Real type of the angles and of the real and imaginary parts of the state."""
        return at_least_single(self.carry)

    def angle(self, x: Float[Array, "... width"]) -> Float[Array, "... width state"]:
        """Return the angles of the rotations at each position."""
        turn = self.turn(x).reshape(*x.shape, self.state).astype(self.wide)
        return turn * self.width**-0.5 + _like(self.phase.astype(self.wide), turn, 2)

    def decay(self, x: Float[Array, "... width"]) -> Array:
        """Return the diagonal entries exp(i angle), on the unit circle."""
        angle = self.angle(x)
        return jax.lax.complex(jnp.cos(angle), jnp.sin(angle))

    def _elements(self, x: Array) -> tuple[Array, Array]:
        dt = self.dt_proj(self.down(x)) + 2 * _like(self.dt_bias, x)
        force = (nn.softplus(dt) * nn.silu(x)).astype(self.wide)[..., None]
        real, imaginary = _polar(self.drive.astype(self.wide))
        return self.decay(x), jax.lax.complex(force * _like(real, force), force * _like(imaginary, force))

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions."""
        decay, drive = self._elements(x)
        return self._read(affine_scan(decay, drive, method=self.scan), x)

    def start(self, batch: int, length: int) -> Array:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.width, self.state), jnp.complex128 if self.wide.itemsize == 8 else jnp.complex64)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """Return the next state and the output at one position."""
        decay, drive = self._elements(x)
        state = decay * state + drive
        return state, self._read(state, x)

    def _read(self, state: Array, x: Array) -> Array:
        real, imaginary = _polar(self.read.astype(self.wide))
        return state.real @ real - state.imag @ imaginary + (_like(self.skip, x) * x).astype(self.wide)


def step_size_bias(key: Array, shape: tuple[int, ...], dtype: jnp.dtype) -> Array:
    """Return biases whose softplus is log-uniform in [1e-3, 1e-1]."""
    dt = jnp.exp(jax.random.uniform(key, shape, jnp.float32, jnp.log(1e-3), jnp.log(1e-1)))
    return (dt + jnp.log(-jnp.expm1(-dt))).astype(dtype)


def _log_counts(key: Array, shape: tuple[int, int], dtype: jnp.dtype) -> Array:
    return jnp.broadcast_to(jnp.log(jnp.arange(1, shape[1] + 1, dtype=jnp.float32)).astype(dtype), shape)


def _angles(key: Array, shape: tuple[int, int], dtype: jnp.dtype) -> Array:
    return jax.random.uniform(key, shape, dtype, -jnp.pi, jnp.pi)


def _polar(parts: Array) -> tuple[Array, Array]:
    """Real and imaginary parts of numbers given by their radius before a softplus (first row) and their angle (second row)."""
    radius = nn.softplus(parts[0])
    return radius * jnp.cos(parts[1]), radius * jnp.sin(parts[1])


def _like(parameter: Array, x: Array, axes: int = 1) -> Array:
    """The parameter with leading axes of size one, so that it broadcasts over x."""
    return parameter.reshape((1,) * (x.ndim - axes) + parameter.shape)
