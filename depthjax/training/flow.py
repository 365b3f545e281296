r"""Gradient flow of the two-layer network z^k over all words, with the rate of the theory for every neuron.

Loss L = E ||target - f||^2 / 2 over uniform words, summed over coordinates. Neuron theta = (u_1 .. u_k, w) moves by

    d theta / dt = - log(1/alpha) ||theta||^{1-k} dL/dtheta,    theta(0) ~ N(0, alpha^2),

so log ||theta|| of a small neuron grows by (k+1) U log(1/alpha) in a unit of time, independent of its size, and the times of
jumps converge as alpha vanishes. With `rate="plain"` both factors are left out: ordinary gradient flow.

Reference:
    Marchetti et al., arXiv 2602.03655.
"""

from functools import partial
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Int, Key

from depthjax.models.polynomial import TwoLayer, two_layer_table
from depthjax.tasks.composition import products
from depthjax.tasks.words import all_words


class Trajectory(NamedTuple):
    """The records of a flow, for every seed.

    Attributes:
        times: Times of the records.
        losses: Loss of each seed at each record.
        shares: Share of each part of the target that the network has learned, E <f, part> / E ||part||^2.
    """

    times: Float[Array, " records"]
    losses: Float[Array, "seeds records"]
    shares: Float[Array, "seeds records parts"]


@partial(jax.jit, static_argnames=("length", "width", "seeds", "records", "rate"))
def gradient_flow(
    key: Key[Array, ""],
    parts: Float[Array, "parts order order"],
    table: Int[Array, "order order"],
    *,
    length: int,
    width: int,
    log_scale: Float[Array, ""] | float,
    horizon: Float[Array, ""] | float,
    seeds: int,
    records: int = 400,
    steps: Int[Array, ""] | int = 8,
    rate: Literal["neuron", "plain"] = "neuron",
) -> Trajectory:
    """Return the trajectories of independently initialised networks, all in one program.

    Args:
        key: Key of the initialisations.
        parts: Codes of encodings that add up to the encoding of the task, one for each irrep; row g is the code of g.
        table: Cayley table.
        length: Length k of the words.
        width: Number of neurons.
        log_scale: log(1/alpha); may be traced.
        horizon: Simulated time.
        seeds: Number of networks.
        records: Number of records.
        steps: Steps of Heun's method between two records; may be traced.
        rate: "neuron", the rate of the theory, or "plain" gradient flow.
    """
    order = table.shape[0]
    codes = parts.sum(axis=0)
    answers = products(table, all_words(order, length)).reshape((order,) * length)
    targets = codes[answers]
    gram = jnp.einsum("pgf,pgf->p", parts, parts) / order
    dt = jnp.asarray(horizon, codes.dtype) / (records * steps)
    log_scale = jnp.asarray(log_scale, codes.dtype)

    def loss(weights: TwoLayer) -> Array:
        return 0.5 * ((two_layer_table(weights, codes) - targets) ** 2).sum() / order**length

    def velocity(weights: TwoLayer) -> TwoLayer:
        slope = jax.grad(loss)(weights)
        squares = (weights.inputs**2).sum(axis=(0, 1)) + (weights.out**2).sum(axis=0)
        speed = log_scale * squares ** ((1 - length) / 2) if rate == "neuron" else jnp.ones_like(squares)
        return TwoLayer(-speed[None, None] * slope.inputs, -speed[None] * slope.out)

    def stage(weights: TwoLayer, _: None) -> tuple[TwoLayer, None]:
        return jax.tree.map(lambda w, v: w + dt * v, weights, velocity(weights)), None

    def heun(_: Array, weights: TwoLayer) -> TwoLayer:
        # Heun's method: the mean of the start and of the end of two Euler steps; a loop keeps the program small
        ahead = jax.lax.scan(stage, weights, None, length=2)[0]
        return jax.tree.map(lambda w, a: 0.5 * (w + a), weights, ahead)

    def record(weights: TwoLayer, _: None) -> tuple[TwoLayer, tuple[Array, Array]]:
        weights = jax.lax.fori_loop(0, steps, heun, weights)
        read = two_layer_table(weights, codes)
        # the parts depend on the product alone, so the mean output over words with the same product suffices
        mean = jnp.zeros((order, order), codes.dtype).at[answers].add(read) / order**length
        shares = jnp.einsum("gf,pgf->p", mean, parts) / gram
        return weights, (0.5 * ((read - targets) ** 2).sum() / order**length, shares)

    def course(key: Array) -> tuple[Array, Array]:
        inner, outer = jax.random.split(key)
        alpha = jnp.exp(-log_scale)
        start = TwoLayer(
            alpha * jax.random.normal(inner, (length, order, width), codes.dtype),
            alpha * jax.random.normal(outer, (order, width), codes.dtype),
        )
        return jax.lax.scan(record, start, None, length=records)[1]

    losses, shares = jax.vmap(course)(jax.random.split(key, seeds))
    return Trajectory(dt * steps * jnp.arange(1, records + 1, dtype=codes.dtype), losses, shares)


@jax.jit
def jump_times(course: Trajectory, share: ArrayLike = 0.5) -> Float[Array, "seeds parts"]:
    """Return the time at which this share of each part is first learned, interpolated linearly; the horizon if it never is.

    Args:
        course: The records.
        share: One number, or one for each part.
    """
    share = jnp.broadcast_to(jnp.asarray(share, course.shares.dtype), course.shares.shape[-1:])[None]
    over = course.shares >= share[None]
    first = jnp.argmax(over, axis=1)
    before = jnp.maximum(first - 1, 0)
    low, high = (jnp.take_along_axis(course.shares, at[:, None], axis=1)[:, 0] for at in (before, first))
    fraction = jnp.where(first > 0, (share - low) / jnp.where(high == low, 1, high - low), 1)
    times = course.times[before] + fraction * (course.times[first] - course.times[before])
    return jnp.where(over.any(axis=1), times, course.times[-1])


def plateaus(losses: Float[Array, " records"], shares: Float[Array, "records parts"]) -> tuple[Array, Array]:
    """Return the loss where it is flattest between jumps, and its fall around that point, from halfway to either jump.

    A transient that decays like 1/t or faster falls from halfway by at least its remainder. There are parts + 1 stretches:
    between consecutive jumps (a jump: half of a part is learned), before the first and after the last.
    """
    records = losses.shape[0]
    over = shares >= 0.5
    jumps = jnp.sort(jnp.where(over.any(axis=0), jnp.argmax(over, axis=0), records))
    edges = jnp.concatenate([jnp.zeros(1, jumps.dtype), jumps, jnp.full(1, records, jumps.dtype)])
    position = jnp.arange(records)
    slope = jnp.abs(jnp.asarray(jnp.gradient(losses)))

    def flattest(start: Array, stop: Array) -> tuple[Array, Array]:
        inside = (position >= start) & (position < stop)
        at = jnp.argmin(jnp.where(inside, slope, jnp.inf))
        low, high = (start + at) // 2, (at + jnp.maximum(stop - 1, at)) // 2
        return losses[at], jnp.abs(losses[low] - losses[high])

    return jax.vmap(flattest)(edges[:-1], edges[1:])
