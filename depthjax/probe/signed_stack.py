"""What signed words do to the states of a stack of layers whose recurrences are affine in the state.

A letter maps the states (h_1, ..., h_L) of all layers to h_l' = A_l(u_l) h_l + b_l(u_l). The input u_l is read from the letter
and from the new states below. So the inverse of a letter is computed from the bottom up: u_1 is known, h_1 = A_1^-1 (h_1' -
b_1), u_2 is read from h_1', and so on. Words then hold indices of signed letters: i + n is the inverse of letter i of n, and
2 n is silent.
"""

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from depthjax.models.stack import SequenceModel
from depthjax.probe.rounding import rounding_floor

NOISE = 1e-7  # relative noise that imitates rounding: far above it, and small enough to act linearly
COPIES = 4  # noisy copies of each run


class SignedRun(NamedTuple):
    """What words do.

    Attributes:
        change: Largest change of an entry of the state, for every draw, word and layer.
        floor: Its rounding floor, from copies of the run that are disturbed after every letter; infinite where one overflows.
    """

    change: Float[Array, "draws words layers"]
    floor: Float[Array, "draws words layers"]


def signed_run(model: SequenceModel, key: Key[Array, ""], words: Int[Array, "words length"], draws: int) -> SignedRun:
    """Return how far signed words move the states of all layers, for random weights and random normal states.

    All weights are normal: matrices with variance 1/inputs, other parameters with variance 1, so that transitions are not near
    the identity, as they are at the start of training. The inverse of a small decay magnifies rounding, and may overflow. So
    twice as many networks are drawn, and those with the smaller floors are kept; what moves has no say in it.

    Args:
        model: A stack of mixers whose state is updated affinely, without a convolution, and with invertible transitions.
        key: Key of weights, states and noise.
        words: Indices of signed letters.
        draws: Number of draws of weights and states that are kept.

    Cost: a solve in the state of a layer for every letter, layer and draw, ten times.
    """
    leaves, tree = jax.tree.flatten_with_path(jax.eval_shape(model.init, key))
    shape = (model.max_depth, sum(part.size for part in _real(_empty(model))))
    shapes = [leaf.shape for _, leaf in leaves] + [shape, (COPIES, words.shape[1], *shape)]
    ends = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
    # one draw for all: each draw costs as much to compile as the rest
    numbers = jax.random.normal(key, (2 * draws, int(ends[-1])), model.dtype)
    *drawn, start, noise = (numbers[:, a:b].reshape(-1, *s) for a, b, s in zip(ends, ends[1:], shapes, strict=False))
    scales = [leaf.shape[-2] ** -0.5 if "kernel" in jax.tree_util.keystr(path) else 1.0 for path, leaf in leaves]
    params = jax.tree.unflatten(tree, [part * scale for part, scale in zip(drawn, scales, strict=True)])
    run = _run(model, params, start, noise, words)
    steady = jnp.argsort(run.floor.max(axis=(1, 2)))[:draws]
    return SignedRun(run.change[steady], run.floor[steady])


@partial(jax.jit, static_argnames="model")
def _run(model: SequenceModel, params: dict, start: Array, noise: Array, words: Array) -> SignedRun:
    empty = _empty(model)
    flat, unravel = ravel_pytree(_real(empty))

    def layer(weights: dict, state: Array, x: Array) -> tuple[Array, Array]:
        past = ((), _complex(unravel(state), empty))
        (_, after), out = model.layer.apply({"params": weights}, past, x, method="step")  # type: ignore[misc]
        return ravel_pytree(_real(after))[0], out  # type: ignore[return-value]

    def step(params: dict, states: Array, token: Array) -> Array:
        backward = token >= model.letters

        def upwards(x: Array, now: tuple) -> tuple[Array, Array]:
            weights, here = now
            probes = jnp.concatenate([jnp.zeros((1, flat.size)), jnp.eye(flat.size)]).astype(here.dtype)
            images = jax.vmap(lambda state: layer(weights, state, x)[0])(probes)
            shift, matrix = images[0], (images[1:] - images[:1]).T
            there = jnp.where(backward, jnp.linalg.solve(matrix, here - shift), matrix @ here + shift)
            # the layer above reads the state after the letter
            return layer(weights, jnp.where(backward, there, here), x)[1], there

        moved = jax.lax.scan(upwards, params["embedding"][token % model.letters][None], (params["layers"], states))[1]
        return jnp.where(token == 2 * model.letters, states, moved)

    def one(params: dict, start: Array, noise: Array, word: Array) -> SignedRun:
        factors = 1 + NOISE * jnp.concatenate([jnp.zeros_like(noise[:1]), noise])

        def forward(states: Array, now: tuple[Array, Array]) -> tuple[Array, None]:
            token, factor = now
            return jax.vmap(lambda state: step(params, state, token))(states) * factor, None

        started = jnp.broadcast_to(start, (COPIES + 1, *start.shape))
        ends = jax.lax.scan(forward, started, (word, jnp.swapaxes(factors, 0, 1)))[0]
        response = jnp.abs(ends[1:] - ends[:1]).max(axis=(0, 2)) / NOISE
        # a step of a layer is a solve and a few products of its state
        floor = rounding_floor(16 * flat.size**2, model.dtype, response)
        known = jnp.isfinite(ends).all(axis=(0, 2)) & jnp.isfinite(floor)
        return SignedRun(jnp.abs(ends[0] - start).max(axis=1), jnp.where(known, floor, jnp.inf))

    return jax.vmap(lambda p, s, n: jax.vmap(lambda word: one(p, s, n, word))(words))(params, start, noise)


def _empty(model: SequenceModel) -> Array:
    """The state of one layer for a batch of one, before the first letter."""
    return jax.tree.map(lambda part: part[0], model.initial(1, 1))[1][1]


def _real(state: Array) -> tuple[Array, ...]:
    return (state.real, state.imag) if jnp.iscomplexobj(state) else (state,)


def _complex(parts: tuple[Array, ...], like: Array) -> Array:
    return jax.lax.complex(*parts) if jnp.iscomplexobj(like) else parts[0]
