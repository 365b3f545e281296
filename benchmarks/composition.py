"""Training steps per second on sequential composition, 8 seeds in one program: ``python -m benchmarks.composition [row ...]``.

One step is a batch of uniform words, mean squared loss, gradients clipped to global norm 0.1, and the optimiser, in float32.
The figure is wall-clock seed-steps per second summed over seeds, the median of five runs after compilation. Beside it stand
what the published training loop reaches on one seed (one thread of a two-core machine) and the factor between the two.
"""

import statistics
import sys
import time
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from depthjax.models.polynomial import Recurrent, TwoLayer, recurrent, two_layer
from depthjax.tasks.composition import codes, one_hot_encoding, products
from depthjax.tasks.words import uniform_words
from depthjax.training.optimisers import per_neuron
from theory.groups import group

SEEDS = 8


class Row(NamedTuple):
    """A row of the comparison: sizes, and the published loop's steps per second."""

    model: str
    group: str
    length: int
    width: int
    batch: int
    published: float


ROWS = {
    "c10_k2": Row("two_layer", "C10", 2, 300, 100, 1166),
    "c10_k3": Row("two_layer", "C10", 3, 300, 128, 1467),
    "c4x4_k3": Row("two_layer", "C4xC4", 3, 480, 128, 1204),
    "d3": Row("two_layer", "S3", 2, 180, 33, 1858),
    "oct": Row("two_layer", "S4", 2, 1200, 128, 742),
    "a5": Row("two_layer", "A5", 2, 1200, 128, 415),
    "c11": Row("two_layer", "C11", 2, 200, 121, 871),
    "rnn_c10_k3": Row("recurrent", "C10", 3, 300, 128, 545),
    "rnn_c4x4_k3": Row("recurrent", "C4xC4", 3, 480, 128, 316),
    "rnn_c3x3_k3": Row("recurrent", "C3xC3", 3, 200, 1000, 104),
}


def start(key: jax.Array, row: Row, order: int) -> TwoLayer | Recurrent:
    """Gaussian weights of scale 0.01."""
    shapes = {"inputs": (row.length, row.width, order), "out": (row.width, order)}
    if row.model == "recurrent":
        shapes = {
            "first": (row.width, order),
            "drive": (row.width, order),
            "mix": (row.width, row.width),
            "out": (row.width, order),
        }
    keys = jax.random.split(key, len(shapes))
    drawn = {name: 0.01 * jax.random.normal(k, shape) for k, (name, shape) in zip(keys, shapes.items(), strict=True)}
    return TwoLayer(**drawn) if row.model == "two_layer" else Recurrent(**drawn)


@partial(jax.jit, static_argnames=("row", "steps"))
def train(key: jax.Array, weights: TwoLayer | Recurrent, vectors: jax.Array, table: jax.Array, row: Row, steps: int):
    """Weights of all seeds after so many steps, and their last losses."""
    apply = two_layer if row.model == "two_layer" else recurrent
    if row.model == "two_layer":
        optimiser = per_neuron(0.01, degree=row.length + 1)
    else:
        optimiser = optax.chain(optax.clip_by_global_norm(0.1), optax.adam(1e-3))

    def step(carry, key):
        weights, state = carry
        words = uniform_words(key, table.shape[0], row.batch, row.length)
        target = vectors[products(table, words)]
        loss, slope = jax.value_and_grad(lambda w: ((apply(w, vectors, words) - target) ** 2).mean())(weights)
        move, state = optimiser.update(slope, state, weights)
        return (optax.apply_updates(weights, move), state), loss

    def one(key, weights):
        (weights, _), losses = jax.lax.scan(step, (weights, optimiser.init(weights)), jax.random.split(key, steps))
        return weights, losses[-1]

    return jax.vmap(one)(jax.random.split(key, SEEDS), weights)


def measure(name: str, steps: int = 200, repeats: int = 5) -> tuple[float, float]:
    """Seed-steps per second, and the seconds that compiling took."""
    row = ROWS[name]
    table = jnp.asarray(np.asarray(group(row.group).table), jnp.int32)
    vectors = codes(one_hot_encoding(table.shape[0]), table)
    weights = jax.vmap(lambda key: start(key, row, table.shape[0]))(jax.random.split(jax.random.key(0), SEEDS))
    begin = time.perf_counter()
    jax.block_until_ready(train(jax.random.key(1), weights, vectors, table, row, steps))
    first = time.perf_counter() - begin
    seconds = []
    for repeat in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(train(jax.random.key(repeat), weights, vectors, table, row, steps))
        seconds.append(time.perf_counter() - begin)
    typical = statistics.median(seconds)
    return SEEDS * steps / typical, first - typical


def main() -> None:
    print(f"{'row':14} {'seed-steps/s':>13} {'published':>10} {'factor':>7} {'compile s':>10}")
    for name in sys.argv[1:] or ROWS:
        speed, compiling = measure(name)
        print(
            f"{name:14} {speed:13.0f} {ROWS[name].published:10.0f} {speed / ROWS[name].published:7.1f} {compiling:10.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
