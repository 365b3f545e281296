r"""The alternating gradient flow of the two-layer network z^k: what gradient flow does as its initialisation vanishes.

With the rate log(1/alpha) ||theta||^{1-k} a neuron theta = r (u_1 .. u_k, w) near the origin moves by

    d log r / dt = log(1/alpha) (k+1) U,    d(u, w)/dt = log(1/alpha) P grad U,    U = E <f_(u,w), target - f_active>,

P the projection off (u, w). As alpha vanishes the direction is at a maximum of U before time passes, and log r climbs from
log alpha to zero while (k+1) integral U dt goes from 0 to 1. So, in turn:

1. every dormant neuron climbs U on the unit sphere, by gradient ascent, to the maximum of its basin;
2. time passes until the first has (k+1) integral U dt = 1; all that are there become active;
3. the active neurons minimise the loss, in no time; what is left of the target is the new residual.

It ends when no dormant neuron has any utility left. Active neurons do not become dormant again.

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

ARC = 0.05  # radians that a direction moves in a step, at most
STEEPEST = 1e-9  # largest entry of the gradient at which minimisation ends


class Staircase(NamedTuple):
    """An alternating flow, jump by jump.

    Attributes:
        times: of the jumps.
        losses: before the first jump, and after every one: one more.
        shares: of every part of the target that the active neurons have, E <f, part> / E ||part||^2; one row for each loss.
        neurons: that each jump activates.
        doubts: by how much each jump may come earlier, its first neuron not quite at its maximum: what the second half of the
            ascent still gained.
        left: loss that the minimisation after each jump may leave: the norm of the gradient where it ended, times the norm of
            the weights. Where the loss is convex between there and its minimum, it is above it by at most the gradient times
            the distance; and the minimum is taken to be no farther away than the origin. No curvature is assumed: losses that
            are flat in some direction have been seen four times above what the last tenfold fall of the gradient gained.
        asleep: neurons that no jump activated; with none left the network could learn nothing more.
    """

    times: Float[np.ndarray, " jumps"]
    losses: Float[np.ndarray, " plateaus"]
    shares: Float[np.ndarray, "plateaus parts"]
    neurons: Int[np.ndarray, " jumps"]
    doubts: Float[np.ndarray, " jumps"]
    left: Float[np.ndarray, " jumps"]
    asleep: int

    def learned(self) -> Float[np.ndarray, " parts"]:
        """When half of each part is first there; infinite for one that never is."""
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

    O(order^length (order + width)) for each of the steps that climb and for each evaluation of the loss.

    Args:
        key: of the directions in which neurons start.
        parts: codes of encodings that add up to the encoding of the task, as for `gradient_flow`.
        table: Cayley table.
        length: k.
        width: neurons.
        climb: steps of gradient ascent between jumps.
        most: jumps, at most.
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


@partial(jax.jit, static_argnames=("length", "width"))
def _begun(key: Array, parts: Array, table: Array, length: int, width: int) -> tuple[Array, Array, TwoLayer, TwoLayer]:
    """The codes, the product of every word, dormant neurons in random directions, and none that is active."""
    codes, order = parts.sum(axis=0), table.shape[0]
    answers = products(table, all_words(order, length)).reshape((order,) * length)
    blocks = jax.random.normal(key, (length + 1, order, width), codes.dtype)
    dormant = _normalised(TwoLayer(blocks[:-1], blocks[-1]))
    return codes, answers, dormant, jax.tree.map(jnp.zeros_like, dormant)


@jax.jit
def _left(active: TwoLayer, parts: Array, answers: Array) -> tuple[Array, Array, Array, Array]:
    """What is left of the target, the target, the loss, and the share of every part that the active neurons have."""
    codes, order = parts.sum(axis=0), parts.shape[1]
    targets, output = codes[answers], two_layer_table(active, codes)
    residual, mean = targets - output, jnp.zeros((order, order), codes.dtype).at[answers].add(output) / answers.size
    gram = jnp.einsum("pgf,pgf->p", parts, parts) / order
    return residual, targets, _half_square(residual), jnp.einsum("gf,pgf->p", mean, parts) / gram


@partial(jax.jit, static_argnames="steps")
def _climb(neurons: TwoLayer, codes: Array, residual: Array, steps: int) -> tuple[TwoLayer, Array, Array]:
    """Unit neurons at the maxima of their utilities, these, and what the second half of the steps gained.

    The path of the ascent does not depend on its speed: along an arc at first, then by Newton's length, the curvature at a
    maximum of a form of degree k + 1 being at most (k+1)^2 U.
    """
    degree = neurons.inputs.shape[0] + 1

    def step(_: Array, neurons: TwoLayer) -> TwoLayer:
        values, slope = _slopes(neurons, codes, residual)
        slope = jax.tree.map(lambda s, n: s - degree * _as(values, n) * n, slope, neurons)
        size = _norms(slope)
        tiny = jnp.finfo(size.dtype).tiny
        pace = jnp.minimum(ARC / jnp.maximum(size, tiny), 1 / jnp.maximum(degree**2 * jnp.abs(values), tiny))
        pace = jnp.where(size > tiny, pace, 0)  # nothing to climb
        return _normalised(jax.tree.map(lambda n, s: n + _as(pace, n) * s, neurons, slope))

    def half(neurons: TwoLayer, _: None) -> tuple[TwoLayer, Array]:
        neurons = jax.lax.fori_loop(0, steps // 2, step, neurons)
        return neurons, _slopes(neurons, codes, residual)[0]

    neurons, values = jax.lax.scan(half, neurons, None, length=2)
    return neurons, values[1], jnp.abs(values[1] - values[0])


def _slopes(neurons: TwoLayer, codes: Array, residual: Array) -> tuple[Array, TwoLayer]:
    """The utility of every neuron, and its gradient; the sum's gradient, as each neuron is in one term only."""
    slope = jax.grad(lambda n: (two_layer_table(n, codes) * residual).sum() / _words(residual))(neurons)
    return (slope.out * neurons.out).sum(axis=0), slope  # the utility is linear in the output vector


@jax.jit
def _joined(active: TwoLayer, dormant: TwoLayer, woken: Array, codes: Array, residual: Array) -> TwoLayer:
    """The active neurons, and the woken ones at a size at which together they write a twentieth of what is left."""
    fresh = jax.tree.map(lambda n: jnp.where(_as(woken, n), n, 0), dormant)
    output = two_layer_table(fresh, codes)
    degree = dormant.inputs.shape[0] + 1
    size = (0.05 * jnp.linalg.norm(residual.ravel()) / jnp.linalg.norm(output.ravel())) ** (1 / degree)
    return jax.tree.map(lambda a, f: a + size * f, active, fresh)


def _minimised(neurons: TwoLayer, awake: Array, codes: Array, targets: Array) -> tuple[TwoLayer, float]:
    """The awake neurons at a minimum of the loss (limited-memory BFGS), and what may be left; the others stay zero."""

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
    """One number for every neuron, with axes to multiply a block."""
    return values.reshape((1,) * (block.ndim - 1) + values.shape)
