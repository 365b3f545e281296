"""What the program does, in a process of its own: this file imports JAX, and neither `theory` nor claim.py."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, pair: np.ndarray):
    """The claim's measurement. Whatever else is random draws from the key."""
    return _errors(cell, pair, lambda x, y: expm(x) @ expm(y))


def symmetric(cell: Cell, key: jax.Array, pair: np.ndarray):
    """The control's: half a step of X on both sides of Y errs at order three."""
    return _errors(cell, pair, lambda x, y: expm(x / 2) @ expm(y) @ expm(x / 2))


def _errors(cell: Cell, pair: np.ndarray, product):
    """The distance of a product from the joint step, for every step size, and the rounding floor below which it is noise."""
    steps = jnp.exp2(-jnp.arange(1.0, 1 + cell.steps))
    errors = jax.vmap(lambda h: jnp.linalg.norm(product(*(h * pair)) - expm(h * pair.sum(0)), ord=2))(steps)
    floor = rounding_floor(3 * 13 * cell.size, steps.dtype, np.e)  # three exponentials of at most 13 products each
    return measured(step=steps, error=Quantity(errors, "step", floor=floor, label="distance", unit="operator norm"))
