r"""Diagonal input-dependent recurrences: GLA, Mamba, signed Mamba, AUSSM.

    GLA           S_t = diag(a_t) S_{t-1} + k_t v_t^T, o_t = S_t^T q_t; a_t = sigmoid(W2 W1 u_t + b)^(1/16) in (0, 1)
    Mamba         h_t = a_t h_{t-1} + dt_t B_t u_t, y_t = C_t h_t + D u_t; a_t = exp(dt_t A) in (0, 1), A < 0, dt = softplus(.)
    signed Mamba  the same with a_t = 2 exp(dt_t A) - 1 in (-1, 1)
    AUSSM         h_t = a_t h_{t-1} + dt_t B silu(u_t), y_t = Re(C h_t) + D u_t; a_t = exp(i (W u_t / sqrt(d) + beta))

(Heo et al., arXiv 2603.05573, as their code runs them; Karuvally et al., arXiv 2507.05238, for the shapes of AUSSM: one angle
for every channel and state, B and C per state.) The intervals are open: 0, +-1 are limits, reached only by rounding.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.models.mixer import Mixer, RMSNorm, at_least_single, dense, merge_heads, split_heads
from depthjax.scans import affine_scan, gated_scan
from depthjax.scans.gated import gated_step

RANK = 16  # of GLA's decay


class GLA(Mixer):
    """Gated linear attention with heads of width / heads, an RMS norm of what each head reads, and an output gate."""

    gate: bool = True
    scan: str = "auto"

    def prepare(self) -> None:
        """Make the parameters."""
        self.projections = dense(3 * self.width, self.dtype)
        self.down = dense(min(RANK, self.width), self.dtype)
        self.up = dense(self.width, self.dtype, bias=True)
        self.norm = RMSNorm(self.dtype)

    def decay(self, x: Float[Array, "... width"]) -> Float[Array, "... heads key"]:
        """Return a_t."""
        logits = self.up(self.down(x)).astype(self.carry)
        return split_heads(jnp.exp(nn.log_sigmoid(logits) / 16), self.heads)

    def _elements(self, x: Array) -> tuple[Array, Array, Array, Array]:
        parts = jnp.split(self.projections(x).astype(self.carry), 3, axis=-1)
        query, key, value = (split_heads(part, self.heads) for part in parts)
        return query * (self.width // self.heads) ** -0.5, key, value, self.decay(x)

    def parallel(self, x: Array) -> Array:
        """All positions."""
        return self._read(gated_scan(*self._elements(x), method=self.scan))

    def start(self, batch: int, length: int) -> Array:
        """S_0 = 0."""
        size = self.width // self.heads
        return jnp.zeros((batch, self.heads, size, size), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """One position."""
        state, read = gated_step(state, self._elements(x))
        return state, self._read(read)

    def _read(self, read: Array) -> Array:
        return merge_heads(self.norm(read.astype(self.dtype)))


class Mamba(Mixer):
    """A selective state space model: `state` numbers for each of `expand` * width channels."""

    convolution: bool = True
    gate: bool = True
    state: int = 16
    expand: int = 2
    scan: str = "auto"

    @property
    def entering(self) -> int:
        """Expanded channels."""
        return self.expand * self.width

    @property
    def rank(self) -> int:
        """Of the step size's map."""
        return -(-self.width // 16)

    def prepare(self) -> None:
        """A = -(1 ... state), D = 1, dt log-uniform in [1e-3, 1e-1] at u = 0."""
        inner = self.entering
        self.selection = dense(self.rank + 2 * self.state, self.dtype)
        self.pace = dense(inner, self.dtype)
        self.pace_bias = self.param("pace_bias", step_size_bias, (inner,), self.dtype)
        self.log_rates = self.param("log_rates", _log_counts, (inner, self.state), self.dtype)
        self.skip = self.param("skip", nn.initializers.ones, (inner,), self.dtype)

    def decay(self, x: Float[Array, "... inner"]) -> Float[Array, "... inner state"]:
        """Return the entries of the diagonal at each position, x after the convolution and its silu."""
        return self._decay(self._selected(x)[0])

    def _selected(self, x: Array) -> tuple[Array, Array, Array]:
        pace, drive, read = jnp.split(self.selection(x), [self.rank, self.rank + self.state], axis=-1)
        pace = nn.softplus((self.pace(pace) + _like(self.pace_bias, x)).astype(self.carry))
        return pace, drive.astype(self.carry), read.astype(self.carry)

    def _decay(self, pace: Array) -> Array:
        rates = -jnp.exp(self.log_rates.astype(self.carry))
        return jnp.exp(pace[..., None] * rates.reshape((1,) * (pace.ndim - 1) + rates.shape))

    def _elements(self, x: Array) -> tuple[Array, Array, Array]:
        pace, drive, read = self._selected(x)
        drive = (pace * x.astype(self.carry))[..., None] * drive[..., None, :]
        return self._decay(pace), drive, read

    def _activated(self, x: Array) -> Array:
        return nn.silu(x) if self.convolution else x

    def parallel(self, x: Array) -> Array:
        """All positions."""
        x = self._activated(x)
        decay, drive, read = self._elements(x)
        return self._read(affine_scan(decay, drive, method=self.scan), read, x)

    def start(self, batch: int, length: int) -> Array:
        """h_0 = 0."""
        return jnp.zeros((batch, self.entering, self.state), self.carry)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """One position."""
        x = self._activated(x)
        decay, drive, read = self._elements(x)
        state = decay * state + drive
        return state, self._read(state, read, x)

    def _read(self, state: Array, read: Array, x: Array) -> Array:
        return jnp.einsum("...cn,...n->...c", state, read) + (_like(self.skip, x) * x).astype(self.carry)


class SignedMamba(Mamba):
    """Mamba with the entries stretched to (-1, 1)."""

    def _decay(self, pace: Array) -> Array:
        return 2 * super()._decay(pace) - 1


class AUSSM(Mixer):
    """An adaptive unitary state space model: `state` input-dependent rotations for each channel.

    The step size's bias enters twice, as published. State and angles are carried in float32 at least.
    """

    gate: bool = True
    state: int = 16
    scan: str = "auto"

    def prepare(self) -> None:
        """B and C complex normal, beta uniform in (-pi, pi), D = 1."""
        self.turn = dense(self.width * self.state, self.dtype)
        self.phase = self.param("phase", _angles, (self.width, self.state), self.dtype)
        self.down = dense(self.state, self.dtype)
        self.pace = dense(self.width, self.dtype)
        self.pace_bias = self.param("pace_bias", step_size_bias, (self.width,), self.dtype)
        self.drive = self.param("drive", nn.initializers.normal(1.0), (2, self.state), self.dtype)
        self.read = self.param("read", nn.initializers.normal(1.0), (2, self.state), self.dtype)
        self.skip = self.param("skip", nn.initializers.ones, (self.width,), self.dtype)

    @property
    def wide(self) -> jnp.dtype:
        """Real dtype of angles and of the two parts of the state."""
        return at_least_single(self.carry)

    def angle(self, x: Float[Array, "... width"]) -> Float[Array, "... width state"]:
        """Return th_t."""
        turn = self.turn(x).reshape(*x.shape, self.state).astype(self.wide)
        return turn * self.width**-0.5 + _like(self.phase.astype(self.wide), turn, 2)

    def decay(self, x: Float[Array, "... width"]) -> Array:
        """Return exp(i th_t), on the unit circle."""
        angle = self.angle(x)
        return jax.lax.complex(jnp.cos(angle), jnp.sin(angle))

    def _elements(self, x: Array) -> tuple[Array, Array]:
        pace = self.pace(self.down(x)) + 2 * _like(self.pace_bias, x)
        force = (nn.softplus(pace) * nn.silu(x)).astype(self.wide)[..., None]
        real, imaginary = _polar(self.drive.astype(self.wide))
        return self.decay(x), jax.lax.complex(force * _like(real, force), force * _like(imaginary, force))

    def parallel(self, x: Array) -> Array:
        """All positions."""
        decay, drive = self._elements(x)
        return self._read(affine_scan(decay, drive, method=self.scan), x)

    def start(self, batch: int, length: int) -> Array:
        """h_0 = 0."""
        return jnp.zeros((batch, self.width, self.state), jnp.complex128 if self.wide.itemsize == 8 else jnp.complex64)

    def advance(self, state: Array, x: Array) -> tuple[Array, Array]:
        """One position."""
        decay, drive = self._elements(x)
        state = decay * state + drive
        return state, self._read(state, x)

    def _read(self, state: Array, x: Array) -> Array:
        real, imaginary = _polar(self.read.astype(self.wide))
        return state.real @ real - state.imag @ imaginary + (_like(self.skip, x) * x).astype(self.wide)


def step_size_bias(key: Array, shape: tuple[int, ...], dtype: jnp.dtype) -> Array:
    """Return biases whose softplus is log-uniform in [1e-3, 1e-1]."""
    pace = jnp.exp(jax.random.uniform(key, shape, jnp.float32, jnp.log(1e-3), jnp.log(1e-1)))
    return (pace + jnp.log(-jnp.expm1(-pace))).astype(dtype)


def _log_counts(key: Array, shape: tuple[int, int], dtype: jnp.dtype) -> Array:
    return jnp.broadcast_to(jnp.log(jnp.arange(1, shape[1] + 1, dtype=jnp.float32)).astype(dtype), shape)


def _angles(key: Array, shape: tuple[int, int], dtype: jnp.dtype) -> Array:
    return jax.random.uniform(key, shape, dtype, -jnp.pi, jnp.pi)


def _polar(parts: Array) -> tuple[Array, Array]:
    """Real and imaginary parts: the first row is the radius before its softplus, the second the angle."""
    radius = nn.softplus(parts[0])
    return radius * jnp.cos(parts[1]), radius * jnp.sin(parts[1])


def _like(parameter: Array, x: Array, axes: int = 1) -> Array:
    """The parameter with as many leading axes of one as spread it over x."""
    return parameter.reshape((1,) * (x.ndim - axes) + parameter.shape)
