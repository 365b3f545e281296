"""The base class of sequence mixers, and the linear maps, norms, convolutions and MLPs around them.

Arrays are time-major inside a model, (length, batch, width), so a recurrence reads and writes whole slices. A mixer has a
parallel form for all positions (`__call__`) and a stepwise form for one position (`step`); their results agree.
"""

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

TAPS = 4  # of the causal convolution
RATIO = 4  # of the MLP


class Linear(nn.Module):
    """The map x W, plus b with `use_bias`; W starts normal with variance 1/inputs, b at zero.

    All positions are rows of one matrix. On a CPU the gradient of W is then one matrix product, a third faster than over two
    axes.
    """

    features: int
    dtype: jnp.dtype
    use_bias: bool = False

    @nn.compact
    def __call__(self, x: Float[Array, "... inputs"]) -> Float[Array, "... features"]:
        """Return the image of every row."""
        kernel = self.param("kernel", nn.initializers.lecun_normal(), (x.shape[-1], self.features), self.dtype)
        y = x.reshape(-1, x.shape[-1]) @ kernel
        if self.use_bias:
            y = y + self.param("bias", nn.initializers.zeros, (self.features,), self.dtype)[None]
        return y.reshape(*x.shape[:-1], self.features)


class RMSNorm(nn.Module):
    """The norm x / sqrt(mean(x^2) + 1e-5), times a learned scale for every entry; the mean is computed in float32 or better."""

    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x: Float[Array, "... width"]) -> Float[Array, "... width"]:
        """Return the output at every position."""
        scale = self.param("scale", nn.initializers.ones, (x.shape[-1],), self.dtype)
        wide = x.astype(at_least_single(x.dtype))
        wide = wide * jax.lax.rsqrt((wide**2).mean(axis=-1, keepdims=True) + 1e-5)
        return wide.astype(self.dtype) * scale.reshape((1,) * (x.ndim - 1) + (-1,))


class SwiGLU(nn.Module):
    """The gated MLP W3 (silu(W1 x) * W2 x), with RATIO * width hidden units."""

    width: int
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x: Float[Array, "... width"]) -> Float[Array, "... width"]:
        """Return the output at every position."""
        gate, up = jnp.split(Linear(2 * RATIO * self.width, self.dtype)(x), 2, axis=-1)
        return Linear(self.width, self.dtype)(nn.silu(gate) * up)


class Convolution(nn.Module):
    """A causal depthwise convolution over time, TAPS wide, with bias; inputs before the first position are zero."""

    width: int
    dtype: jnp.dtype

    def setup(self):
        """Make the parameters."""
        bound = TAPS**-0.5
        self.taps = self.param("taps", _uniform(bound), (TAPS, self.width), self.dtype)
        self.bias = self.param("bias", nn.initializers.zeros, (self.width,), self.dtype)

    def __call__(self, x: Float[Array, "length batch width"]) -> Float[Array, "length batch width"]:
        """Return the output at every position."""
        padded = jnp.concatenate([jnp.zeros((TAPS - 1, *x.shape[1:]), x.dtype), x])
        shifted = [padded[tap : tap + x.shape[0]] * self.taps[tap][None, None] for tap in range(TAPS)]
        return sum(shifted[1:], shifted[0]) + self.bias[None, None]

    def step(self, past: Array, x: Float[Array, "batch width"]) -> tuple[Array, Array]:
        """Return the last TAPS - 1 inputs and the output at one position."""
        window = jnp.concatenate([past, x[None]])
        return window[1:], (window * self.taps[:, None]).sum(axis=0) + self.bias[None]


class Mixer(nn.Module):
    """The pipeline in_proj -> convolution (optional) -> core -> times silu(gate_proj) (optional) -> out_proj.

    Subclasses define the core: `prepare` makes its parameters, `parallel` and `advance` are its two forms, and `start` is its
    first state. Fields after the first four are the switches of a kind.

    Attributes:
        width: Width of the residual stream.
        heads: Heads of the core.
        dtype: Type of weights and activations.
        carry: Type of the coefficients and of the state of a recurrence.
        convolution: Whether a causal convolution precedes the core.
        gate: Whether a gate multiplies the output of the core.

    >>> from depthjax.models.kinds import KINDS
    >>> all(issubclass(kind.mixer, Mixer) for kind in KINDS.values())
    True
    """

    width: int
    heads: int
    dtype: jnp.dtype
    carry: jnp.dtype
    convolution: bool = False
    gate: bool = False

    def check(self) -> None:
        """Check sizes and switches before anything is built; a kind with switches of its own adds their checks.

        Raises:
            TypeError: A size is not an integer.
            ValueError: The arithmetic of the kind does not support a size, or a switch has no such value.
        """
        if self.width % self.heads:
            raise ValueError(
                f"width {self.width} is not divisible by {self.heads} heads: every head needs the same number of channels"
            )

    @property
    def inner_width(self) -> int:
        """Channels that the core reads; if they equal the width there is no `in_proj`."""
        return self.width

    @property
    def core_width(self) -> int:
        """Channels that the core returns."""
        return self.inner_width

    def setup(self):
        """Make the parameters."""
        if self.inner_width != self.width:
            self.in_proj = Linear(self.inner_width, self.dtype)
        if self.convolution:
            self.filter = Convolution(self.inner_width, self.dtype)
        if self.gate:
            self.gate_proj = Linear(self.core_width, self.dtype)
        self.out_proj = Linear(self.width, self.dtype)
        self.prepare()

    def __call__(self, u: Float[Array, "length batch width"]) -> Float[Array, "length batch width"]:
        """Return the output at every position."""
        x = self.in_proj(u) if self.inner_width != self.width else u
        return self._close(u, self.parallel(self.filter(x) if self.convolution else x))

    def initial(self, batch: int, length: int) -> Any:
        """Return the state before the first position; `length` bounds the positions, which only attention needs."""
        past = jnp.zeros((TAPS - 1, batch, self.inner_width), self.dtype) if self.convolution else ()
        return past, self.start(batch, length)

    def step(self, state: Any, u: Float[Array, "batch width"]) -> tuple[Any, Float[Array, "batch width"]]:
        """Return the next state and the output at this position."""
        past, inner = state
        x = self.in_proj(u) if self.inner_width != self.width else u
        if self.convolution:
            past, x = self.filter.step(past, x)
        inner, read = self.advance(inner, x)
        return (past, inner), self._close(u, read)

    def _close(self, u: Array, read: Array) -> Array:
        read = read.astype(self.dtype)
        return self.out_proj(read * nn.silu(self.gate_proj(u)) if self.gate else read)

    def prepare(self) -> None:
        """Make the core's parameters."""
        raise NotImplementedError

    def parallel(self, x: Array) -> Array:
        """Return the core's output at every position: (length, batch, inner_width) -> (length, batch, core_width)."""
        raise NotImplementedError

    def start(self, batch: int, length: int) -> Any:
        """Return the core's first state."""
        raise NotImplementedError

    def advance(self, state: Any, x: Array) -> tuple[Any, Array]:
        """Return the core's next state and its output at one position."""
        raise NotImplementedError


def at_least_single(dtype: jnp.dtype) -> jnp.dtype:
    """Return float32 for the half types, and the type itself otherwise."""
    return jnp.dtype(jnp.float32) if dtype.itemsize < 4 else jnp.dtype(dtype)


def split_heads(x: Array, heads: int) -> Array:
    """Return the array with its last axis split, (..., heads * size) -> (..., heads, size)."""
    return x.reshape(*x.shape[:-1], heads, -1)


def merge_heads(x: Array) -> Array:
    """Return the array with its last two axes merged, (..., heads, size) -> (..., heads * size)."""
    return x.reshape(*x.shape[:-2], -1)


def _uniform(bound: float):
    def draw(key: Array, shape: tuple[int, ...], dtype: jnp.dtype) -> Array:
        return jax.random.uniform(key, shape, dtype, -bound, bound)

    return draw
