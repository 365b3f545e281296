"""Networks of quadratic neurons on two letters, trained by gradient flow from a small start or by Adam from an ordinary one.

The weights are one array of shape (3, order, width): u and v, which read the two letters, and w, which writes the answer. The
target of the letters a and b is row (a, b) of an array of shape (order, order, order).
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from depthjax.compiler import lean_options

STEP = 0.1  # by how much of its norm a neuron may move in one step of the flow
LONGEST = 200  # steps of the flow for each unit of log(1/alpha)
RATE = 0.02  # of Adam, falling to zero along a cosine
START = 0.2  # deviation of the weights from which Adam starts


class Trained(NamedTuple):
    """Weights, the loss, and the steps taken; the loss is half the squared error, over coordinates and a mean over words."""

    weights: Float[Array, "3 order width"]
    loss: Float[Array, ""]
    steps: Int[Array, ""]


def answers(weights: Array, codes: Array) -> Float[Array, "order order order"]:
    """Return what the network answers to all words of two letters."""
    read = codes @ weights[0], codes @ weights[1]
    return (read[0][:, None] + read[1][None]) ** 2 @ weights[2].T


def loss_of(weights: Array, codes: Array, target: Array) -> Float[Array, ""]:
    """Return half the squared error, summed over coordinates and averaged over words."""
    return 0.5 * ((answers(weights, codes) - target) ** 2).sum() / len(codes) ** 2


@partial(jax.jit, static_argnames="width", compiler_options=lean_options(jax.default_backend()))
def begun(key: Key[Array, ""], codes: Array, target: Array, log_scale: Float[Array, ""], width: int) -> Trained:
    r"""Follow the gradient flow from N(0, alpha^2) until the answers have sqrt(alpha) of the size of the target.

    Every neuron has the rate 1 / ||theta||, as in `depthjax.training.flow`. Steps of Heun's method are so long that the fastest
    neuron moves by `STEP` of its norm. NaN if the answers are still smaller after all steps.
    """
    size = jnp.exp(-log_scale / 2) * jnp.linalg.norm(target)
    last = (LONGEST * log_scale).astype(jnp.int32)

    def norms(weights: Array) -> Array:
        return jnp.sqrt((weights**2).sum(axis=(0, 1)))

    def velocity(weights: Array) -> Array:
        return -jax.grad(loss_of)(weights, codes, target) / norms(weights)[None, None]

    def heun(state: tuple[Array, Array]) -> tuple[Array, Array]:
        weights, count = state
        slope = velocity(weights)
        step = STEP / (norms(slope) / norms(weights)).max()
        return weights + step * (slope + velocity(weights + step * slope)) / 2, count + 1

    def small(state: tuple[Array, Array]) -> Array:
        weights, count = state
        return (jnp.linalg.norm(answers(weights, codes)) < size) & (count < last)

    start = jnp.exp(-log_scale) * jax.random.normal(key, (3, len(codes), width), codes.dtype)
    weights, count = jax.lax.while_loop(small, heun, (start, jnp.int32(0)))
    weights = jnp.where(count < last, weights, jnp.nan)
    return Trained(weights, loss_of(weights, codes, target), count)


@partial(jax.jit, static_argnames=("width", "steps"), compiler_options=lean_options(jax.default_backend()))
def ended(key: Key[Array, ""], codes: Array, target: Array, width: int, steps: int) -> Trained:
    """Train with Adam on all words from an ordinary start."""
    adam = optax.adam(optax.cosine_decay_schedule(RATE, max(steps, 1)))
    start = START * jax.random.normal(key, (3, len(codes), width), codes.dtype)

    def descend(_: Array, state: tuple[Array, optax.OptState]) -> tuple[Array, optax.OptState]:
        weights, memory = state
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
            move, memory = adam.update(jax.grad(loss_of)(weights, codes, target), memory)
        return jnp.asarray(optax.apply_updates(weights, move)), memory

    weights, memory = jax.lax.fori_loop(0, steps, descend, (start, adam.init(start)))
    return Trained(weights, loss_of(weights, codes, target), optax.tree_utils.tree_get(memory[0], "count"))


@partial(jax.jit, compiler_options=lean_options(jax.default_backend(), once=True))
def feature(weights: Float[Array, "3 order width"], table: Int[Array, "order order"]) -> Float[Array, " order"]:
    """Return the sum of u[c] w[b] v[a] over all neurons and all c b^-1 a = g, for every element g."""
    u, v, w = weights
    quotients = table[:, jnp.argmin(table, axis=1)]  # c b^-1; the identity is element 0
    products = jnp.einsum("ci,bi,ai->cba", u, w, v)
    return jax.ops.segment_sum(products.ravel(), table[quotients].ravel(), len(table))
