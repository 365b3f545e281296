r"""The alternating gradient flow of the two-layer network z^k: the limit of gradient flow as its initialisation vanishes.

With the rate log(1/alpha) ||theta||^{1-k} a neuron theta = r (u_1 .. u_k, w) near the origin moves by

    d log r / dt = log(1/alpha) (k+1) U,    d(u, w)/dt = log(1/alpha) P grad U,    U = E <f_(u,w), target - f_active>,

with P the projection orthogonal to (u, w). As alpha vanishes the direction reaches a maximum of U before time passes, and log r
climbs from log alpha to zero while (k+1) integral U dt goes from 0 to 1. So three phases alternate:

1. Every dormant neuron climbs U on the unit sphere, by gradient ascent, to the maximum of its basin.
2. Time passes until the first neuron has (k+1) integral U dt = 1; all neurons that have reached it become active.
3. The active neurons minimise the loss, in no time. The unexplained part of the target is the new residual.

The flow ends when no dormant neuron has any utility left. Active neurons do not become dormant again.

Source: Kunin et al. (arXiv 2506.06489) for the two phases; the activation rule derived here from the equations above.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
from jaxtyping import Array, Float, Int, Key

from depthjax.models.polynomial import TwoLayer, two_layer_table
from depthjax.tasks.composition import products
from depthjax.tasks.words import all_words

ARC = 0.05  # largest angle, in radians, by which a direction moves in one step
STEEPEST = 1e-9  # minimisation ends when no entry of the gradient is larger


class Staircase(NamedTuple):
    """An alternating flow, jump by jump.

    Attributes:
        times: Times of the jumps.
        losses: Loss before the first jump and after every jump.
        shares: Share of every part of the target that the active neurons have, E <f, part> / E ||part||^2, one row for each
            loss.
        neurons: Number of neurons that each jump activates.
        doubts: Largest error of the time of each jump: its first neuron was not quite at its maximum, by the gain of the second
            half of the ascent.
        left: Largest error of the loss after each jump: the norm of the gradient at the end of the minimisation times the norm
            of the weights. This bounds the excess loss if the loss is convex between the end point and its minimum, and if the
            minimum is no farther away than the origin. No curvature is assumed, because the excess of losses that are flat in
            some direction was up to four times the gain of the last tenfold fall of the gradient.
        asleep: Number of neurons that no jump activated; at zero the network can learn nothing more.
    """

    times: Float[np.ndarray, " jumps"]
    losses: Float[np.ndarray, " plateaus"]
    shares: Float[np.ndarray, "plateaus parts"]
    neurons: Int[np.ndarray, " jumps"]
    doubts: Float[np.ndarray, " jumps"]
    left: Float[np.ndarray, " jumps"]
    asleep: int

    def learned(self) -> Float[np.ndarray, " parts"]:
        """Return the time at which half of each part is first learned; infinite if it never is."""
        over = self.shares >= 0.5
        return np.where(over.any(axis=0), np.append(0.0, self.times)[np.argmax(over, axis=0)], np.inf)


def alternating_flow(
    key: Key[Array, ""],
    parts: Float[Array, "parts order order"],
    table: Int[Array, "order order"],
    *,
    length: int,
    width: int,
    climb: int = 2000,
    most: int = 64,
) -> Staircase:
    """Return the staircase of one network.

    Cost: O(order^length (order + width)) for each step of the ascent and for each evaluation of the loss.

    Args:
        key: Key of the initial directions of the neurons.
        parts: Codes of encodings that add up to the encoding of the task, as for `gradient_flow`.
        table: Cayley table.
        length: Length k of the words.
        width: Number of neurons.
        climb: Steps of gradient ascent between two jumps.
        most: Largest number of jumps.
    """
    codes, answers, dormant, active = _begun(key, parts, table, length, width)
    asleep, passed, unsure, now = np.ones(width, bool), np.zeros(width), np.zeros(width), 0.0
    residual, targets, loss, share = _left(active, parts, answers)
    losses, shares, times, neurons, doubts, left = [float(loss)], [np.asarray(share)], [], [], [], []
    start = None
    while asleep.any() and len(times) < most:
        dormant, utilities, gained = _climb(dormant, codes, residual, climb)
        growth = (length + 1) * np.where(asleep, np.asarray(utilities), 0.0)
        start = float(growth.max()) if start is None else start
        if growth.max() <= 1e-6 * start:  # rounding of a residual that has been learned
            break
        wait = np.where(growth > 1e-6 * start, (1 - passed) / np.maximum(growth, 1e-300), np.inf)
        first, pause = int(np.argmin(wait)), float(wait.min())
        passed, now = passed + growth * pause, now + pause
        unsure += (length + 1) * np.asarray(gained) * pause
        woken = asleep & (passed > 1 - 1e-6)
        asleep &= ~woken
        active = _joined(active, dormant, jnp.asarray(woken), codes, residual)
        active, unreached = _minimised(active, jnp.asarray(~asleep), codes, targets)
        residual, _, loss, share = _left(active, parts, answers)
        times.append(now)
        neurons.append(int(woken.sum()))
        doubts.append(unsure[first] / growth[first])
        left.append(unreached)
        losses.append(float(loss))
        shares.append(np.asarray(share))
    return Staircase(
        np.array(times),
        np.array(losses),
        np.array(shares),
        np.array(neurons, int),
        np.array(doubts),
        np.array(left),
        int(asleep.sum()),
    )


def largest_utility(
    key: Key[Array, ""],
    part: Float[Array, "order order"],
    table: Int[Array, "order order"],
    *,
    length: int,
    width: int = 4,
    climb: int = 200,
) -> tuple[float, float]:
    """Return the largest utility of unit neurons where nothing is learned yet, and what the second half of the ascent gained.

    Args:
        key: Key of the initial directions.
        part: Codes of the encoding, in one irrep.
        table: Cayley table.
        length: Length k of the words.
        width: Number of neurons that climb.
        climb: Steps of each.
    """
    codes, answers, neurons, _ = _begun(key, part[None], table, length, width)
    _, utilities, gained = _climb(neurons, codes, codes[answers], climb)
    best = int(jnp.argmax(utilities))
    return float(utilities[best]), float(gained[best])


@partial(jax.jit, static_argnames=("length", "width"))
def _begun(key: Array, parts: Array, table: Array, length: int, width: int) -> tuple[Array, Array, TwoLayer, TwoLayer]:
    """The codes, the product of every word, dormant neurons in random directions, and active neurons, all zero."""
    codes, order = parts.sum(axis=0), table.shape[0]
    answers = products(table, all_words(order, length)).reshape((order,) * length)
    blocks = jax.random.normal(key, (length + 1, order, width), codes.dtype)
    dormant = _normalised(TwoLayer(blocks[:-1], blocks[-1]))
    return codes, answers, dormant, jax.tree.map(jnp.zeros_like, dormant)


@jax.jit
def _left(active: TwoLayer, parts: Array, answers: Array) -> tuple[Array, Array, Array, Array]:
    """The residual, the target, the loss, and the share of every part that the active neurons have."""
    codes, order = parts.sum(axis=0), parts.shape[1]
    targets, output = codes[answers], two_layer_table(active, codes)
    residual, mean = targets - output, jnp.zeros((order, order), codes.dtype).at[answers].add(output) / answers.size
    gram = jnp.einsum("pgf,pgf->p", parts, parts) / order
    return residual, targets, _half_square(residual), jnp.einsum("gf,pgf->p", mean, parts) / gram


@partial(jax.jit, static_argnames="steps")
def _climb(neurons: TwoLayer, codes: Array, residual: Array, steps: int) -> tuple[TwoLayer, Array, Array]:
    """Unit neurons at the maxima of their utilities, these utilities, and the gain of the second half of the steps.

    The path of the ascent does not depend on its speed. Steps are arcs of fixed length at first and Newton steps later, since
    the curvature at a maximum of a form of degree k + 1 is at most (k+1)^2 U.
    """
    degree = neurons.inputs.shape[0] + 1

    def step(_: Array, neurons: TwoLayer) -> TwoLayer:
        values, slope = _slopes(neurons, codes, residual)
        slope = jax.tree.map(lambda s, n: s - degree * _as(values, n) * n, slope, neurons)
        size = _norms(slope)
        tiny = jnp.finfo(size.dtype).tiny
        rate = jnp.minimum(ARC / jnp.maximum(size, tiny), 1 / jnp.maximum(degree**2 * jnp.abs(values), tiny))
        rate = jnp.where(size > tiny, rate, 0)  # nothing to climb
        return _normalised(jax.tree.map(lambda n, s: n + _as(rate, n) * s, neurons, slope))

    def half(neurons: TwoLayer, _: None) -> tuple[TwoLayer, Array]:
        neurons = jax.lax.fori_loop(0, steps // 2, step, neurons)
        return neurons, _slopes(neurons, codes, residual)[0]

    neurons, values = jax.lax.scan(half, neurons, None, length=2)
    return neurons, values[1], jnp.abs(values[1] - values[0])


def _slopes(neurons: TwoLayer, codes: Array, residual: Array) -> tuple[Array, TwoLayer]:
    """The utility of every neuron and its gradient: that of the sum, because each neuron is in one term only."""
    slope = jax.grad(lambda n: (two_layer_table(n, codes) * residual).sum() / _words(residual))(neurons)
    return (slope.out * neurons.out).sum(axis=0), slope  # the utility is linear in the output vector


@jax.jit
def _joined(active: TwoLayer, dormant: TwoLayer, woken: Array, codes: Array, residual: Array) -> TwoLayer:
    """The active neurons and the woken ones, scaled so that their output has a twentieth of the norm of the residual."""
    fresh = jax.tree.map(lambda n: jnp.where(_as(woken, n), n, 0), dormant)
    output = two_layer_table(fresh, codes)
    degree = dormant.inputs.shape[0] + 1
    size = (0.05 * jnp.linalg.norm(residual.ravel()) / jnp.linalg.norm(output.ravel())) ** (1 / degree)
    return jax.tree.map(lambda a, f: a + size * f, active, fresh)


def _minimised(neurons: TwoLayer, awake: Array, codes: Array, targets: Array) -> tuple[TwoLayer, float]:
    """The awake neurons at a minimum of the loss (limited-memory BFGS) and its largest error; the others stay zero."""

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        loss, slope = _loss(jnp.asarray(flat.reshape(shape)), awake, codes, targets)
        return float(loss), np.asarray(slope).ravel()

    flat = np.concatenate([np.asarray(neurons.inputs), np.asarray(neurons.out)[None]])
    shape = flat.shape
    options = {"maxiter": 5000, "maxfun": 10_000, "ftol": 0.0, "gtol": STEEPEST}
    found = scipy.optimize.minimize(value, flat.ravel(), jac=True, method="L-BFGS-B", options=options)
    blocks = found.x.reshape(shape).astype(codes.dtype)
    left = float(np.linalg.norm(found.jac) * np.linalg.norm(found.x))
    return TwoLayer(jnp.asarray(blocks[:-1]), jnp.asarray(blocks[-1])), left


@jax.jit
def _loss(blocks: Array, awake: Array, codes: Array, targets: Array) -> tuple[Array, Array]:
    def loss(blocks: Array) -> Array:
        blocks = jnp.where(_as(awake, blocks), blocks, 0)
        return _half_square(two_layer_table(TwoLayer(blocks[:-1], blocks[-1]), codes) - targets)

    return jax.value_and_grad(loss)(blocks)


def _half_square(residual: Array) -> Array:
    return 0.5 * (residual**2).sum() / _words(residual)


def _words(residual: Array) -> int:
    return residual.size // residual.shape[-1]


def _norms(neurons: TwoLayer) -> Array:
    return jnp.sqrt((neurons.inputs**2).sum(axis=(0, 1)) + (neurons.out**2).sum(axis=0))


def _normalised(neurons: TwoLayer) -> TwoLayer:
    size = _norms(neurons)
    return jax.tree.map(lambda n: n / _as(size, n), neurons)


def _as(values: Array, block: Array) -> Array:
    """One number for every neuron, with axes that broadcast over a block."""
    return values.reshape((1,) * (block.ndim - 1) + values.shape)
