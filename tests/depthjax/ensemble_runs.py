"""A small ensemble of residual stacks; as a script it trains one, with checkpoints, to be killed or to be split over devices.

Arguments: checkpoint directory, file for the results, seconds to linger after every segment.
"""

import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.training import Checkpoints, Recipe, ensemble

DEEPEST, WIDTH = 2, 4
RECIPE = Recipe(steps=60, learning_rate=0.02, record_every=10)
CONFIGURATION = {"task": "roll", "width": WIDTH}


def init(key):
    return 0.3 * jax.random.normal(key, (DEEPEST, WIDTH, WIDTH), jnp.float32)


def output(params, x, depth):
    def layer(x, numbered):
        number, weights = numbered
        return jnp.where(number < depth, x + jnp.tanh(x @ weights), x), None

    return jax.lax.scan(layer, x, (jnp.arange(DEEPEST), params))[0]


def sample(key):
    x = jax.random.normal(key, (8, WIDTH), jnp.float32)
    return x, jnp.roll(x, 1, axis=1)


def loss(params, batch, depth):
    x, y = batch
    error = ((output(params, x, depth) - y) ** 2).mean()
    return error, {"score": -error}


def check(key, params, depth):
    return {"error": loss(params, sample(key), depth)[0]}


def train(recipe=RECIPE, loss=loss, **options):
    options = {"depths": (1, 2), "seeds": 3, "test": check, "segments": 3, "layout": "masked"} | options
    return ensemble(jax.random.key(7), init, loss, sample, recipe, **options)


def flat(found):
    """Every number of an ensemble in one array."""
    return np.concatenate([np.ravel(leaf).astype(float) for leaf in jax.tree.leaves((found.fit, found.test))])


if __name__ == "__main__":
    directory, results, linger = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])

    def watch(segment):
        print(segment.step, flush=True)
        time.sleep(linger)

    np.save(results, flat(train(checkpoints=Checkpoints(directory, CONFIGURATION), watch=watch)))
