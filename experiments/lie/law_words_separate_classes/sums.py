"""A layer of sums, h <- h + b: what a diagonal kind is without its decay. Its maps are translations, which commute."""

import jax
import jax.numpy as jnp

from depthjax.models.mixer import Linear, Mixer


class Sums(Mixer):
    """A sum of inputs in every channel, read through a sigmoid so that the layer above is not linear in it."""

    def prepare(self) -> None:
        """Make the parameters."""
        self.drives = Linear(self.width, self.dtype, use_bias=True)

    def parallel(self, x: jax.Array) -> jax.Array:
        """Return the outputs at all positions."""
        return jax.nn.sigmoid(jnp.cumsum(self.drives(x).astype(self.carry), axis=0))

    def start(self, batch: int, length: int) -> jax.Array:
        """Return h_0 = 0."""
        return jnp.zeros((batch, self.width), self.carry)

    def advance(self, state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the next state and the output at one position."""
        state = state + self.drives(x).astype(self.carry)
        return state, jax.nn.sigmoid(state)
