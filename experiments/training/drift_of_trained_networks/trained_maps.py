"""Recurrences with one affine map for each letter, trained to name products, and what becomes of errors of their states.

    h_t = A[x_t] h_{t-1} + b[x_t],   or its tanh;   the reading is the largest entry of W h_t + c

The affine recurrence and the one with tanh are the same network but for one flag, so both are trained and examined by the same
program. Networks are trained in float32 and examined in float64.
"""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Integer, Key

from depthjax.compiler import lean_options
from depthjax.instruments.trained import Facts, watched
from depthjax.scans.tables import prefix_products
from depthjax.training import Learner, Recipe, Streams, trials

SMALL = 1e-6  # size of the noise: what is not linear in it is left out
RETURN = 4  # letters of a return word

Params = dict[str, Array]


class Course(NamedTuple):
    """What becomes of errors along one random word, after each of some numbers of letters.

    A run starts at the state of the empty word, another one at the state of a letter. A state's share is how far it lies on the
    line from the first run to the second.

    Attributes:
        share: Share of a run that starts at the share `kick` and is left alone.
        kicked: Square share of runs that are moved by `kick`, forwards or backwards at random, after every letter; in units of
            the square of `kick`.
        noise: Square error of runs with independent noise in every coordinate after every letter, in units of its mean as the
            Jacobians predict it: the trace of C with C <- J C J^T + s^2 at every letter.
        added: The same in units of the mean if errors added up unchanged.
        narrow: Largest entry of the states over the distance of the two runs.
    """

    share: Float[Array | np.ndarray, "*runs times"]
    kicked: Float[Array | np.ndarray, "*runs times draws"]
    noise: Float[Array | np.ndarray, "*runs times draws"]
    added: Float[Array | np.ndarray, "*runs times draws"]
    narrow: Float[Array | np.ndarray, "*runs times"]


class Horizons(NamedTuple):
    """How often a return word is read, from the state of every letter, before a reading is wrong.

    Attributes:
        read: By the network itself, letter by letter.
        jacobian: By the sum of powers of the word's Jacobian, applied to what one reading moves.
        added: The same with the identity in place of the Jacobian.
    """

    read: Int[Array | np.ndarray, "*runs"]
    jacobian: Int[Array | np.ndarray, "*runs"]
    added: Int[Array | np.ndarray, "*runs"]


def trained_maps(
    key: Key[Array, ""],
    table: Integer[np.ndarray, "order order"],
    affine: Bool[np.ndarray, " runs"],
    recipe: Recipe,
    width: int,
    length: int,
    batch: int,
) -> tuple[Params, Facts, Bool[np.ndarray, " runs"]]:
    """Train one network for each run on fresh words.

    What is returned: the weights in float64, what was trained, and whether every step was finite.

    Args:
        key: Key of all runs.
        table: Cayley table; letters are all elements.
        affine: Whether a run has no tanh.
        recipe: Training recipe.
        width: Size of the state.
        length: Letters of a training word.
        batch: Words of a step.

    Cost: ``recipe.steps`` gradients of all networks at once.
    """
    keys = jax.random.split(key, len(affine))[:, None]
    done = trials(_network, (recipe, width, length, batch), keys, (affine,), (jnp.asarray(table),), together=True)
    params, facts = jax.tree.map(lambda part: part[:, 0], (done.found[0], done.finite(done.found[1])))
    return jax.tree.map(lambda part: jnp.asarray(part, float), params), facts, np.asarray(done.failed[:, 0] < 0)


def random_maps(key: Key[Array, ""], runs: int, order: int, width: int) -> Params:
    """Return the weights that training starts from, for some networks, in float64."""
    return jax.tree.map(
        lambda part: part.astype(float), jax.vmap(lambda own: _initial(own, order, width))(jax.random.split(key, runs))
    )


def advance(params: Params, affine: Array, state: Float[Array, "batch d"], letters: Int[Array, " batch"]) -> Array:
    """Return the states after one letter each."""
    chosen = jax.nn.one_hot(letters, params["shifts"].shape[0], dtype=state.dtype)
    moved = jnp.einsum("bg,gij,bj->bi", chosen, params["maps"], state) + chosen @ params["shifts"]
    return jnp.where(affine, moved, jnp.tanh(moved))


def logits(params: Params, state: Float[Array, "*batch d"]) -> Float[Array, "*batch order"]:
    """Return what a state is read as."""
    said = state @ params["readout"]
    return said + params["bias"].reshape((1,) * (said.ndim - 1) + (-1,))


def right_prefixes(
    params: Params,
    affine: Bool[np.ndarray, " runs"],
    table: Integer[np.ndarray, "order order"],
    words: Integer[np.ndarray, "words length"],
    asked: Integer[np.ndarray, "words length"] | None = None,
) -> Int[np.ndarray, "runs words"]:
    """Return how many letters of each word every network reads before its first mistake.

    With `asked` what is right are the products of these words.
    """
    labels = prefix_products(jnp.asarray(table), jnp.asarray(words if asked is None else asked))
    return np.asarray(_over_runs(_prefixes, 2, 2)(params, jnp.asarray(affine), jnp.asarray(words), labels))


def courses(
    key: Key[Array, ""], params: Params, affine: Bool[np.ndarray, " runs"], kick: float, times: tuple[int, ...], draws: int
) -> Course:
    """Follow errors of every network along a random word of its own, up to the last of the numbers of letters in `times`.

    Cost: ``times[-1]`` letters of ``2 * draws + 3`` runs of every network.
    """
    keys = jax.random.split(key, len(affine))
    found = _over_runs(_course, 3, 1, times=times, draws=draws)(params, jnp.asarray(affine), keys, jnp.asarray(kick))
    return Course(*map(np.asarray, found))


def horizons(
    key: Key[Array, ""], params: Params, affine: Bool[np.ndarray, " runs"], table: Integer[np.ndarray, "order order"], most: int
) -> Horizons:
    """Return how often, of `most` times, every network reads a random return word of its own before its first mistake.

    The orbit of every start c under the affine map F of the word is c + sum_{j<k} J^j (F(c) - c), so the Jacobian J at one
    start and one reading of each start fix all others.
    """
    keys, shared = jax.random.split(key, len(affine)), (jnp.asarray(table), jnp.asarray(np.argmin(table, axis=1)))
    return Horizons(*map(np.asarray, _over_runs(_horizon, 3, 2, most=most)(params, jnp.asarray(affine), keys, *shared)))


def _prefixes(params: Params, affine: Array, words: Array, labels: Array) -> Array:
    def step(now: tuple[Array, Array], seen: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
        state, right = now
        state = advance(params, affine, state, seen[0])
        right = right & (logits(params, state).argmax(axis=-1) == seen[1])
        return (state, right), right

    begin = jnp.broadcast_to(params["start"][None], (len(words), len(params["start"]))), jnp.ones(len(words), bool)
    return jax.lax.scan(step, begin, (words.T, labels.T))[1].sum(axis=0)


def _course(params: Params, affine: Array, key: Array, kick: Array, *, times: tuple[int, ...], draws: int) -> Course:
    order, size = params["shifts"].shape
    draw, other, noise = jax.random.split(key, 3)
    word = jax.random.randint(draw, (times[-1],), 0, order)
    first = params["start"]
    second = advance(params, affine, first[None], jax.random.randint(other, (1,), 1, order))[0]
    begin = jnp.stack([first, second, first + kick * (second - first), *[first] * (2 * draws)])

    def step(now: tuple[Array, Array], seen: tuple[Array, Array]) -> tuple[tuple[Array, Array], Course]:
        (runs, covariance), (letter, number) = now, seen
        jacobian = jax.jacfwd(lambda state: advance(params, affine, state[None], letter[None])[0])(runs[0])
        covariance = jacobian @ covariance @ jacobian.T + SMALL**2 * jnp.eye(size)
        runs = advance(params, affine, runs, jnp.broadcast_to(letter, (len(runs),)))
        signs, moves = jax.random.split(jax.random.fold_in(noise, number))
        apart = runs[1] - runs[0]
        kicks = kick * jax.random.rademacher(signs, (draws, 1), apart.dtype) * apart[None]
        runs = runs.at[3:].add(jnp.concatenate([kicks, SMALL * jax.random.normal(moves, (draws, size))]))
        away = runs - runs[:1]
        share, square = away @ apart / (apart @ apart), jnp.square(away[3 + draws :]).sum(axis=1)
        alone = (number + 1).astype(square.dtype) * SMALL**2 * size
        narrow = jnp.abs(runs[:3]).max() / jnp.linalg.norm(apart)
        kicked = jnp.square(share[3 : 3 + draws] / kick)
        return (runs, covariance), Course(share[2], kicked, square / jnp.trace(covariance), square / alone, narrow)

    found = jax.lax.scan(step, (begin, jnp.zeros((size, size))), (word, jnp.arange(times[-1])))[1]
    return jax.tree.map(lambda part: part[jnp.array(times) - 1], found)


def _horizon(params: Params, affine: Array, key: Array, table: Array, inverses: Array, *, most: int) -> tuple[Array, ...]:
    order, size = params["shifts"].shape
    letters = jax.random.randint(key, (RETURN - 1,), 1, order)
    last = inverses[prefix_products(table, letters[None])[0, -1]]
    word = jnp.append(letters, last.astype(letters.dtype))
    classes = jnp.arange(order)

    def reading(states: Array) -> Array:
        for letter in word:
            states = advance(params, affine, states, jnp.broadcast_to(letter, (len(states),)))
        return states

    starts = advance(params, affine, jnp.broadcast_to(params["start"][None], (order, size)), classes)
    moves = reading(starts) - starts
    jacobian = jax.jacfwd(lambda state: reading(state[None])[0])(starts[0])

    def step(now: tuple[Array, Array, Array], _: None) -> tuple[tuple[Array, Array, Array], Array]:
        states, offsets, right = now
        states, offsets = reading(states), jnp.stack([offsets[0] @ jacobian.T + moves, offsets[1] + moves])
        seen = logits(params, jnp.concatenate([states[None], starts[None] + offsets])).argmax(axis=-1)
        right = right & (seen == classes[None]).all(axis=1)
        return (states, offsets, right), right

    begin = starts, jnp.zeros((2, order, size)), jnp.ones(3, bool)
    return tuple(jax.lax.scan(step, begin, None, most)[1].sum(axis=0))


@cache
def _over_runs(one: Any, own: int, shared: int, **static: Any) -> Any:
    """One program for all networks: the first arguments are their own. It runs once, so it is not optimised."""
    options = lean_options(jax.default_backend(), once=True)
    return jax.jit(jax.vmap(partial(one, **static), (0,) * own + (None,) * shared), compiler_options=options)


def _network(setup: tuple[Recipe, int, int, int], own: Streams, affine: Array, table: Array) -> Learner:
    recipe, width, length, batch = setup
    order = table.shape[0]

    def sample(key: Array) -> tuple[Array, Array]:
        words = jax.random.randint(key, (batch, length), 0, order)
        return words, prefix_products(table, words)

    def loss(params: Params, given: tuple[Array, Array]) -> tuple[Array, dict[str, Array]]:
        words, labels = given
        begin = jnp.broadcast_to(params["start"][None], (batch, width))

        def step(state: Array, letters: Array) -> tuple[Array, Array]:
            state = advance(params, affine, state, letters)
            return state, state

        said = jax.nn.log_softmax(logits(params, jax.lax.scan(step, begin, words.T)[1]))
        return -jnp.take_along_axis(said, labels.T[..., None], axis=-1).mean(), {}

    return watched(Learner(_initial(own.initial, order, width), loss, sample, recipe, lambda found: found.params))


def _initial(key: Array, order: int, width: int) -> Params:
    """Nine tenths of random orthogonal maps, small shifts, and a readout of variance one over the width."""
    maps, shifts, start, readout = jax.random.split(key, 4)
    draw = partial(jax.random.normal, dtype=jnp.float32)
    return {
        "maps": 0.9 * jnp.linalg.qr(draw(maps, (order, width, width)))[0],
        "shifts": 0.1 * draw(shifts, (order, width)),
        "start": 0.5 * draw(start, (width,)),
        "readout": draw(readout, (width, order)) * width**-0.5,
        "bias": jnp.zeros(order, jnp.float32),
    }
