"""How well trained recurrences recall keys: tanh networks of several widths on several numbers of keys, in one program."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from depthjax.tasks.hops import keyed_words
from depthjax.training import Recipe, ensemble

BATCH, TESTS = 64, 1024  # words of a training step, and of the test


class Question(NamedTuple):
    """The bits of all keys, and which of the keys is asked for, as a place from 0 to 1 in their list."""

    bits: Array
    place: Array


def recall_errors(
    key: Key[Array, ""], units: tuple[int, ...], keys: tuple[int, ...], seeds: int, steps: int
) -> Float[np.ndarray, "units keys seeds"]:
    """Return the share of wrong answers of trained networks on fresh words; guessing has one half.

    A network h <- tanh(W x + U h + b) reads k_1 b_1 ... k_n b_n and one of the keys again, and answers with its bit. All widths
    and numbers of keys train in one program: the widest network with some units closed, the longest word with blanks in front.

    Args:
        key: Root of all runs.
        units: Widths of the networks.
        keys: Numbers of keys.
        seeds: Runs of every width and number of keys.
        steps: Training steps of each run.
    """
    grid = np.array([(u, n) for u in units for n in keys])
    widest, longest = max(units), max(keys)
    blank = longest + 2

    def init(start: Array) -> dict[str, Array]:
        enter, mix, leave = jax.random.split(start, 3)
        return {
            "in_proj": jax.random.normal(enter, (blank + 1, widest), jnp.float32),
            "transition": jax.random.orthogonal(mix, widest, dtype=jnp.float32),
            "bias": jnp.zeros(widest, jnp.float32),
            "out_proj": jax.random.normal(leave, (widest,), jnp.float32) * widest**-0.5,
        }

    def sample(draw: Array, batch: int = BATCH) -> Question:
        bits, place = jax.random.split(draw)
        return Question(jax.random.randint(bits, (batch, longest), 0, 2), jax.random.uniform(place, (batch,), jnp.float32))

    def loss(params: dict[str, Array], batch: Question, case: Array | int) -> tuple[Array, dict[str, Array]]:
        width, count = jnp.asarray(grid)[case - 1]
        first = longest - count  # the last `count` keys are used, and blanks stand before them
        asked = first + jnp.floor(batch.place * count.astype(jnp.float32)).astype(batch.bits.dtype)
        words = keyed_words(batch.bits, asked)
        words = jnp.where((jnp.arange(words.shape[1]) >= 2 * first)[None, :], words, blank)
        open_units = (jnp.arange(widest) < width).astype(jnp.float32)[None, :]

        def step(hidden: Array, letter: Array) -> tuple[Array, None]:
            drive = params["in_proj"][letter] + params["bias"][None, :] + hidden @ params["transition"]
            return jnp.tanh(drive) * open_units, None

        last = jax.lax.scan(step, jnp.zeros((len(words), widest), jnp.float32), words.T)[0]
        logit = last @ params["out_proj"]
        truth = jnp.take_along_axis(batch.bits, asked[:, None], axis=1)[:, 0] > 0
        cost = jax.nn.softplus(jnp.where(truth, -logit, logit)).mean()
        return cost, {"error": ((logit > 0) != truth).mean(dtype=jnp.float32)}

    def test(draw: Array, params: dict[str, Array], case: Array | int) -> dict[str, Array]:
        return loss(params, sample(draw, TESTS), case)[1]

    recipe = Recipe(steps, 0.01, warmup=steps // 20, record_every=steps // 10, clip=1.0)
    cases = tuple(range(1, len(grid) + 1))  # what the ensemble calls a depth is a case of the grid here
    made = ensemble(key, init, loss, sample, recipe, depths=cases, seeds=seeds, test=test, layout="masked")
    return made.test["error"].reshape(len(units), len(keys), seeds)
