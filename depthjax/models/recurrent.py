"""Recurrences that are nonlinear in the state and hence sequential: LSTM and tanh RNN.

    RNN   h_t = tanh(W u_t + U h_{t-1} + b)
    LSTM  (i, f, g, o) = W u_t + U h_{t-1} + b,  c_t = sig(f) c_{t-1} + sig(i) tanh(g),  h_t = sig(o) tanh(c_t)

W u_t is computed for all positions at once; only U h_{t-1} waits for the previous position.
"""

from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array

from depthjax.models.mixer import Linear, Mixer, at_least_single


class RNN(Mixer):
    """The recurrence h_t = tanh(W u_t + U h_{t-1} + b); U starts orthogonal."""

    gates = 1

    def prepare(self) -> None:
        """Make the parameters."""
        self.drives = Linear(self.gates * self.width, self.dtype, use_bias=True)
        self.mix = self.param("mix", _orthogonal, (self.width, self.gates * self.width), self.dtype)

    def parallel(self, x: Array) -> Array:
        """Return the outputs at all positions, computed one after the other."""
        cell = partial(self.cell, self.mix.astype(self.carry))
        return jax.lax.scan(cell, self.start(x.shape[1], x.shape[0]), self.drives(x).astype(self.carry))[1]

    def start(self, batch: int, length: int) -> Any:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.width), self.carry)

    def advance(self, state: Any, x: Array) -> tuple[Any, Array]:
        """Return the next state and the output at one position."""
        return self.cell(self.mix.astype(self.carry), state, self.drives(x).astype(self.carry))

    @staticmethod
    def cell(mix: Array, state: Any, drive: Array) -> tuple[Any, Array]:
        """Return the next state and the output."""
        state = jnp.tanh(drive + state @ mix)
        return state, state


class LSTM(RNN):
    """Long short-term memory; the forget gate's bias starts at one."""

    gates = 4

    def start(self, batch: int, length: int) -> tuple[Array, Array]:
        """Return c_0 = h_0 = 0."""
        empty = jnp.zeros((batch, self.width), self.carry)
        return empty, empty

    @staticmethod
    def cell(mix: Array, state: tuple[Array, Array], drive: Array) -> tuple[tuple[Array, Array], Array]:
        """Return the next state and the output."""
        memory, hidden = state
        write, keep, new, show = jnp.split(drive + hidden @ mix, 4, axis=-1)
        memory = nn.sigmoid(keep + 1) * memory + nn.sigmoid(write) * jnp.tanh(new)
        hidden = nn.sigmoid(show) * jnp.tanh(memory)
        return (memory, hidden), hidden


def _orthogonal(key: Array, shape: tuple[int, int], dtype: jnp.dtype) -> Array:
    """Draw an orthogonal matrix in float32 or better: JAX has no QR decomposition in half precision."""
    return nn.initializers.orthogonal()(key, shape, at_least_single(dtype)).astype(dtype)
