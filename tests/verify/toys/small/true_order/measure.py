"""What the program does."""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.verify import Quantity, measured


def measure(cell, key):
    steps = jnp.asarray(0.5 ** np.arange(1, cell.halvings + 1))
    jitter = 1 + 0 * jax.random.normal(key, steps.shape)
    terms = jnp.cumprod(jnp.stack([jnp.ones_like(steps)] + [steps / j for j in range(1, cell.degree + 1)]), axis=0)
    error = jnp.abs(jnp.exp(steps) - jitter * terms.sum(axis=0))
    return measured(step=steps, error=Quantity(error, "step", floor=4e-16, label="error of the cut series"))
