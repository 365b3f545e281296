"""What signed words do to the states of a stack of layers whose recurrences are affine in the state.

A letter maps the states (h_1, ..., h_L) of all layers to h_l' = A_l(u_l) h_l + b_l(u_l). The input u_l is read from the letter
and from the new states below. So the inverse of a letter is computed from the bottom up: u_1 is known, h_1 = A_1^-1 (h_1' -
b_1), u_2 is read from h_1', and so on. Words then hold indices of signed letters: i + n is the inverse of letter i of n, and
2 n is silent.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Int, Key

from depthjax.models.stack import SequenceModel
from depthjax.rounding import rounding_floor
from experiments.lie.law_words_separate_classes.long_arithmetic import exactly, in_long_arithmetic

NOISE = 1e-7  # relative noise that imitates rounding: far above it, and small enough to act linearly where floors are believed
COPIES = 4  # noisy copies of each run, two and two with opposite noise
BENT = 0.1  # of its linear part: a response that is further from linear says nothing of smaller noise
HUGE = 1e300  # what is larger is not told apart
DIGITS = 50, 1600  # of the first run in longer arithmetic, which is held against one of twice as many, and of the last


class SignedRun(NamedTuple):
    """What words do.

    Attributes:
        change: Change of every entry of the state, for every draw, word and layer.
        floor: What rounding alone explains of any of them.
        long: Whether the word ran in longer arithmetic with this draw.
    """

    change: Float[np.ndarray, "draws words layers entries"]
    floor: Float[np.ndarray, "draws words layers"]
    long: Bool[np.ndarray, "draws words"]


def signed_run(
    model: SequenceModel, key: Key[Array, ""], words: Int[np.ndarray, "words length"], draws: int, told: int | None = None
) -> SignedRun:
    """Return how far signed words move the states of all layers, for random weights and random normal states.

    All weights are normal: matrices with variance 1/inputs, other parameters with variance 1, so that transitions are not near
    the identity, as they are at the start of training. Every draw is kept.

    In float64 the floor is the response to noise of 1e-7 after every letter, in the ratio of the roundoffs. That is a floor
    only where the response is linear, which runs with opposite noise show, and it says something only where digits are left:
    the inverse of a small decay magnifies rounding. A draw and a word for which one of the two fails run again in longer
    arithmetic. So do those that seem to return a layer that the word moves with another draw, because what moves the states of
    one draw moves those of almost all. There the floor is the difference between runs of p and of 2 p digits, and the change
    that of the second, whose own error is smaller by p digits; p grows until the floor is below the roundoff of float64.

    Args:
        model: A stack of mixers whose state is updated affinely, without a convolution, and with invertible transitions.
        key: Key of weights, states and noise.
        words: Indices of signed letters.
        draws: Number of draws of weights and states.
        told: Number of lowest layers whose words run again where it is needed; None: all. In the layers above, a floor that
            cannot be believed is infinite.

    Cost: a solve in the state of a layer for every letter, layer and draw, six times. In longer arithmetic a letter takes about
    three milliseconds for a layer of a draw.
    """
    params, start, noise = _drawn(model, key, words.shape[1], draws)
    change, floor, sound = (np.array(part) for part in _run(model, params, start, noise, jnp.asarray(words)))
    change, floor = np.nan_to_num(change, nan=HUGE, posinf=HUGE), np.where(sound, floor, np.inf)
    moved = change.max(axis=3) > floor
    again = np.any((~sound | (~moved & moved.any(axis=0)))[:, :, :told], axis=2)
    for word in np.flatnonzero(again.any(axis=0)):
        those = np.flatnonzero(again[:, word])
        weights, begin = jax.tree.map(lambda part, those=those: np.asarray(part)[those], (params, start[:, :told]))
        change[those, word, :told], floor[those, word, :told] = _long_run(model, weights, begin, words[word])
    return SignedRun(change, floor, again)


def _drawn(model: SequenceModel, key: Key[Array, ""], length: int, draws: int) -> tuple[dict, Array, Array]:
    """Return weights, states and noise of all draws."""
    leaves, tree = jax.tree.flatten_with_path(jax.eval_shape(model.init, key))
    shape = (model.max_depth, sum(part.size for part in _real(_empty(model))))
    shapes = [leaf.shape for _, leaf in leaves] + [shape, (COPIES // 2, length, *shape)]
    ends = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
    # one draw for all: each draw costs as much to compile as the rest
    numbers = jax.random.normal(key, (draws, int(ends[-1])), model.dtype)
    *drawn, start, noise = (numbers[:, a:b].reshape(-1, *s) for a, b, s in zip(ends, ends[1:], shapes, strict=False))
    scales = [leaf.shape[-2] ** -0.5 if "kernel" in jax.tree_util.keystr(path) else 1.0 for path, leaf in leaves]
    params = jax.tree.unflatten(tree, [part * scale for part, scale in zip(drawn, scales, strict=True)])
    return params, start, noise


def _layer(model: SequenceModel) -> Callable[[dict, Array, Array], tuple[Array, Array]]:
    """Weights, flat real state and input of a layer -> its next state and its output."""
    empty = _empty(model)
    unravel = ravel_pytree(_real(empty))[1]

    def layer(weights: dict, state: Array, x: Array) -> tuple[Array, Array]:
        past = ((), _complex(unravel(state), empty))
        (_, after), out = model.layer.apply({"params": weights}, past, x, method="step")  # type: ignore[misc]
        return ravel_pytree(_real(after))[0], out  # type: ignore[return-value]

    return layer


@partial(jax.jit, static_argnames="model")
def _run(model: SequenceModel, params: dict, start: Array, noise: Array, words: Array) -> tuple[Array, Array, Array]:
    """Changes, floors, and whether a floor is one that can be believed and used."""
    layer = _layer(model)

    def step(params: dict, states: Array, token: Array) -> Array:
        backward = token >= model.letters

        def upwards(x: Array, now: tuple) -> tuple[Array, Array]:
            weights, here = now
            # differences of images would lose the digits of a matrix that is small beside the shift
            shift, matrix = (of(lambda state: layer(weights, state, x)[0])(0 * here) for of in (lambda f: f, jax.jacfwd))
            there = jnp.where(backward, jnp.linalg.solve(matrix, here - shift), matrix @ here + shift)
            # the layer above reads the state after the letter
            return layer(weights, jnp.where(backward, there, here), x)[1], there

        moved = jax.lax.scan(upwards, params["embedding"][token % model.letters][None], (params["layers"], states))[1]
        return jnp.where(token == 2 * model.letters, states, moved)

    def one(params: dict, start: Array, noise: Array, word: Array) -> tuple[Array, Array, Array]:
        factors = 1 + NOISE * jnp.concatenate([jnp.zeros_like(noise[:1]), noise, -noise])

        def forward(states: Array, now: tuple[Array, Array]) -> tuple[Array, None]:
            token, factor = now
            return jax.vmap(lambda state: step(params, state, token))(states) * factor, None

        started = jnp.broadcast_to(start, (COPIES + 1, *start.shape))
        ends = jax.lax.scan(forward, started, (word, jnp.swapaxes(factors, 0, 1)))[0]
        up, down = jnp.split(ends[1:] - ends[:1], 2)
        tilt, bend = (jnp.abs(part).max(axis=(0, 2)) for part in ((up - down) / 2, (up + down) / 2))
        # a step of a layer is a solve and a few products of its state
        floor = rounding_floor(16 * start.shape[1] ** 2, model.dtype, tilt / NOISE)
        sound = (bend <= BENT * tilt) & (floor < float(jnp.finfo(model.dtype).eps) ** 0.5)  # false for NaN
        return jnp.abs(ends[0] - start), floor, sound

    return jax.vmap(lambda p, s, n: jax.vmap(lambda word: one(p, s, n, word))(words))(params, start, noise)


def _long_run(model: SequenceModel, params: dict, start: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return changes and floor of one word for some draws, in as many of the lowest layers as have a start: (draw, layer)."""
    shape, dtype = start.shape, model.dtype
    weights = jax.tree.map(lambda part: part[:, 0], params["layers"])
    layer = jax.vmap(_layer(model))
    images = jax.vmap(jax.vmap(_layer(model), (None, 0, None)))
    flat, x = np.zeros((shape[0], shape[2]), dtype), np.zeros((shape[0], 1, model.width), dtype)
    alone = in_long_arithmetic(layer, weights, flat, x)
    output = in_long_arithmetic(lambda *given: layer(*given)[1], weights, flat, x)
    probes = np.broadcast_to(np.eye(shape[2] + 1, shape[2], -1), (shape[0], shape[2] + 1, shape[2]))
    probed = in_long_arithmetic(lambda *given: images(*given)[0], weights, probes.astype(dtype), x)
    exact, begin, units = (jax.tree.map(exactly, part) for part in (params, start, probes))
    digits, before = DIGITS[0], None
    while True:
        with mpmath.workdps(digits):
            after = _followed(model, exact, begin, units, word, alone, output, probed)
            if before is not None:
                change, floor = abs(after - begin), abs(after - before).max(axis=2)
                if digits >= DIGITS[1] or (floor < float(jnp.finfo(dtype).eps)).all():
                    return np.minimum(change, HUGE).astype(float), np.minimum(floor, HUGE).astype(float)
        digits, before = 2 * digits, after


def _followed(
    model: SequenceModel,
    params: dict,
    start: np.ndarray,
    probes: np.ndarray,
    word: np.ndarray,
    alone: Callable,
    output: Callable,
    probed: Callable,
) -> np.ndarray:
    """Return the states of all draws after the word, in mpmath's numbers."""
    states = start.copy()
    for token in word[word < 2 * model.letters]:
        x = params["embedding"][:, token % model.letters, None]
        for number in range(states.shape[1]):
            weights = jax.tree.map(lambda part, number=number: part[:, number], params["layers"])
            here = states[:, number]
            if token < model.letters:
                states[:, number], x = alone(weights, here, x)
                continue
            shift, *columns = np.moveaxis(probed(weights, probes, x), 1, 0)
            matrix = np.stack(columns, axis=-1) - shift[..., None]
            solved = [
                mpmath.lu_solve(mpmath.matrix(a.tolist()), mpmath.matrix(b.tolist()))
                for a, b in zip(matrix, here - shift, strict=True)
            ]
            states[:, number] = there = np.array([list(each) for each in solved], dtype=object)
            x = output(weights, there, x)
    return states


def _empty(model: SequenceModel) -> Array:
    """The state of one layer for a batch of one, before the first letter."""
    return jax.tree.map(lambda part: part[0], model.initial(1, 1))[1][1]


def _real(state: Array) -> tuple[Array, ...]:
    return (state.real, state.imag) if jnp.iscomplexobj(state) else (state,)


def _complex(parts: tuple[Array, ...], like: Array) -> Array:
    return jax.lax.complex(*parts) if jnp.iscomplexobj(like) else parts[0]
