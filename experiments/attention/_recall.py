"""Trained recurrences that recall keys: a tanh network with a traced number of units, every width and length in one program."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depthjax.tasks.hops import keyed_words
from depthjax.training import Recipe, ensemble


class Question(NamedTuple):
    """Bits by key, and where in the list of keys the question lies, from 0 to 1."""

    bits: Array
    where: Array


def frontier(key: jax.Array, units: tuple[int, ...], keys: tuple[int, ...], seeds: int, steps: int) -> np.ndarray:
    """Errors of trained networks on the last bit of fresh words; shape (units, keys, seeds).

    h <- tanh(W x + U h + b) in float32, with so many units; the words are k_1 b_1 ... k_n b_n and a key. Chance is 1/2.
    """
    grid = np.array([(u, n) for u in units for n in keys])
    widest, longest = max(units), max(keys)
    blank = longest + 2

    def init(start: Array) -> dict[str, Array]:
        enter, mix, leave = jax.random.split(start, 3)
        return {
            "enter": jax.random.normal(enter, (blank + 1, widest), jnp.float32),
            "mix": jax.random.orthogonal(mix, widest, dtype=jnp.float32),
            "bias": jnp.zeros(widest, jnp.float32),
            "leave": jax.random.normal(leave, (widest,), jnp.float32) * widest**-0.5,
        }

    def sample(draw: Array, batch: int = 64) -> Question:
        bits, where = jax.random.split(draw)
        return Question(jax.random.randint(bits, (batch, longest), 0, 2), jax.random.uniform(where, (batch,), jnp.float32))

    def loss(params: dict[str, Array], batch: Question, case: Array) -> tuple[Array, dict[str, Array]]:
        chosen = jnp.asarray(grid)[case - 1]
        first = longest - chosen[1]  # the last so many keys are there, blanks stand before them
        asked = first + jnp.floor(batch.where * chosen[1].astype(jnp.float32)).astype(batch.bits.dtype)
        words = keyed_words(batch.bits, asked)
        words = jnp.where((jnp.arange(words.shape[1]) >= 2 * first)[None, :], words, blank)
        open_ = (jnp.arange(widest) < chosen[0]).astype(jnp.float32)[None, :]

        def step(hidden: Array, letter: Array) -> tuple[Array, None]:
            drive = params["enter"][letter] + params["bias"][None, :] + hidden @ params["mix"]
            return jnp.tanh(drive) * open_, None

        last = jax.lax.scan(step, jnp.zeros((len(words), widest), jnp.float32), words.T)[0]
        logit = last @ params["leave"]
        truth = jnp.take_along_axis(batch.bits, asked[:, None], axis=1)[:, 0] > 0
        cost = jax.nn.softplus(jnp.where(truth, -logit, logit)).mean()
        return cost, {"error": ((logit > 0) != truth).mean(dtype=jnp.float32)}

    recipe = Recipe(steps, 0.01, warmup=steps // 20, record_every=steps // 10, clip=1.0)
    cases = tuple(range(1, len(grid) + 1))

    def test(draw: Array, params: dict[str, Array], case: Array) -> dict[str, Array]:
        return loss(params, sample(draw, 1024), case)[1]

    made = ensemble(key, init, loss, partial(sample), recipe, depths=cases, seeds=seeds, test=test, layout="masked")
    return made.test["error"].reshape(len(units), len(keys), seeds)
