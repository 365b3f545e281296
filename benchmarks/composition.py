"""Training steps per second on sequential composition, 8 seeds in one program: ``python -m benchmarks.composition [row ...]``.

``python -m benchmarks.composition staircase`` times 32 seeds of D3 from initialisation to the last plateau of gradient flow.

One step is a batch of words (all of them where the batch holds them all), mean squared loss, gradients clipped to global norm
0.1, and the published optimiser, in float32, with the encodings of the published configurations. The figure is seed-steps per
second summed over seeds, the median of five runs after compilation: by the clock, and, for a machine that is busy with other
work, as what two cores would do at the CPU time spent. Beside them stands what the published training loop reaches on one seed
(one thread of a two-core machine) and the factor by CPU time.

Two devices of one thread each take half of the seeds: on networks of this size threads that share one product wait for each
other. Seeds go through in packs whose hidden units fit the cache. Inputs are the codes' coordinates in their own span, elements
with equal codes are one letter, and prefixes that occur more than once are worked out once (`depthjax.models.polynomial`); all
three are exact.
"""

import argparse
import dataclasses
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2 --xla_cpu_multi_thread_eigen=false")

import statistics
import time
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from benchmarks.neuron_rates import hybrid, per_neuron
from depthjax.models.polynomial import Recurrent, TwoLayer, recurrent, two_layer
from depthjax.tasks.composition import codes, coordinates, faithful, one_hot_encoding, products, spectral_encoding
from depthjax.tasks.words import all_words, uniform_words
from depthjax.verify import Cell
from experiments.composition._flows import Flows
from experiments.composition._gradient_flow import flow
from experiments.composition.agf_dynamics.claim import objects
from experiments.composition.agf_dynamics.measure import parts_of
from theory.groups import group

SEEDS = 8
CACHE = 1_000_000  # bytes of hidden units that are kept in flight at a time


class Row(NamedTuple):
    """A row of the comparison: sizes, and the published loop's steps per second.

    Attributes:
        magnitudes: of the Fourier coefficients as multiples of the identity, trivial irrep first, pairs of conjugates together;
            none for the centred one-hot encoding.
        rate: of the optimiser.
        plain: whether XLA's older emitter of loops is the faster one, as for some rows it is by up to 2.
    """

    model: str
    group: str
    length: int
    width: int
    batch: int
    published: float
    magnitudes: tuple[float, ...] = ()
    rate: float = 0.01
    plain: bool = False


def _from_powers(order: int, *powers: tuple[int, float]) -> tuple[float, ...]:
    """Magnitudes from (dimension, power) with power = (dimension magnitude)^2 / order."""
    return tuple((power * order) ** 0.5 / dimension for dimension, power in powers)


ROWS = {
    "c10_k2": Row("two_layer", "C10", 2, 300, 100, 1166),
    "c10_k3": Row("two_layer", "C10", 3, 300, 128, 1467, plain=True),
    "c4x4_k3": Row("two_layer", "C4xC4", 3, 480, 128, 1204, (0, 1), plain=True),
    "d3": Row("two_layer", "S3", 2, 180, 33, 1858, _from_powers(6, (1, 0), (1, 30), (2, 3000)), plain=True),
    "oct": Row("two_layer", "S4", 2, 1200, 128, 742, _from_powers(24, (1, 0), (1, 0), (2, 0), (3, 300), (3, 500))),
    "a5": Row("two_layer", "A5", 2, 1200, 128, 415, _from_powers(60, (1, 0), (3, 1300), (3, 0), (4, 2000), (5, 0)), 0.001),
    "c11": Row("two_layer", "C11", 2, 200, 121, 871, (0, 12.5, 10, 7.5, 5, 2.5)),
    "rnn_c10_k3": Row("recurrent", "C10", 3, 300, 128, 545),
    "rnn_c4x4_k3": Row("recurrent", "C4xC4", 3, 480, 128, 316, (0, 1)),
    "rnn_c3x3_k3": Row("recurrent", "C3xC3", 3, 200, 1000, 104, (0, 4, 3, 2, 1)),
}


def task(row: Row) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the letters, and their Cayley table."""
    g = group(row.group)
    if not row.magnitudes:
        return np.asarray(codes(one_hot_encoding(g.order), jnp.asarray(g.table))), np.asarray(g.table, np.int32)
    left, sizes = list(row.magnitudes), np.zeros(len(g.irreps))
    every = len(left) == len(sizes)  # otherwise the trivial irrep and the pairs
    for irrep in g.irreps:
        if irrep.conjugate < irrep.number:
            sizes[irrep.number] = sizes[irrep.conjugate]
        elif left and (every or irrep.number == 0 or irrep.kind == "complex"):
            sizes[irrep.number] = left.pop(0)
    encoding = spectral_encoding([irrep.matrices for irrep in g.irreps], sizes.tolist())
    vectors, table = faithful(encoding[g.table], g.table)
    return vectors.astype(np.float32), table.astype(np.int32)


def start(key: jax.Array, row: Row, basis: jax.Array) -> tuple[TwoLayer | Recurrent, jax.Array]:
    """Gaussian weights of scale 0.01 in the coordinates of the basis, and the squared norms of what it leaves out."""
    order = basis.shape[0]
    names = {"inputs": (row.length,)} if row.model == "two_layer" else {"first": (), "drive": ()}
    *inner, outer, mixing = jax.random.split(key, len(names) + 2)
    drawn, constant = {}, jnp.zeros(row.width)
    for (name, shape), k in zip(names.items(), inner, strict=True):
        block = 0.01 * jax.random.normal(k, (*shape, order, row.width))
        drawn[name] = jnp.einsum("...fw,fr->...rw", block, basis)
        lost = (block**2).sum(axis=-2) - (drawn[name] ** 2).sum(axis=-2)
        constant += lost.sum(axis=0) if shape else lost
    drawn["out"] = 0.01 * jax.random.normal(outer, (order, row.width))
    if row.model == "two_layer":
        return TwoLayer(**drawn), constant
    return Recurrent(**drawn, mix=0.01 * jax.random.normal(mixing, (row.width, row.width))), constant


@partial(jax.jit, static_argnames=("row", "steps"))
def train(key: jax.Array, states, vectors: jax.Array, targets: jax.Array, table: jax.Array, row: Row, steps: int):
    """Weights of all seeds after so many steps, and their losses."""
    apply = two_layer if row.model == "two_layer" else recurrent
    letters = table.shape[0]
    whole = row.batch >= letters**row.length * 9 // 10 and row.model == "two_layer"  # the published split holds out a tenth

    def one(argument):
        key, (weights, constant) = argument
        optimiser = per_neuron(row.rate, row.length + 1, constant=constant)
        if row.model == "recurrent":
            optimiser = hybrid(constant=constant)

        def step(carry, words):
            weights, state = carry
            words = all_words(letters, row.length)[: row.batch] if whole else words
            target = targets[products(table, words)]
            loss, slope = jax.value_and_grad(lambda w: ((apply(w, vectors, words) - target) ** 2).mean())(weights)
            move, state = optimiser.update(slope, state, weights)
            return (optax.apply_updates(weights, move), state), loss

        words = None if whole else uniform_words(key, letters, steps * row.batch, row.length)
        words = None if words is None else words.reshape(steps, row.batch, row.length)
        (weights, _), losses = jax.lax.scan(step, (weights, optimiser.init(weights)), words, length=steps)
        return weights, losses

    rows = letters**row.length if letters**row.length <= row.batch else row.batch
    pack = int(np.clip(CACHE // (4 * rows * row.width), 1, SEEDS // jax.device_count()))

    def share(keys, states):
        return jax.lax.map(one, (keys, states), batch_size=None if pack == 1 else pack)

    spread = jax.P("seed")
    mesh = jax.make_mesh((jax.device_count(),), ("seed",), axis_types=(jax.sharding.AxisType.Auto,))
    split = jax.shard_map(share, mesh=mesh, in_specs=(spread, spread), out_specs=spread, check_vma=False)
    return split(jax.random.split(key, SEEDS), states)


def measure(name: str, steps: int = 200, repeats: int = 5) -> tuple[float, float, float]:
    """Seed-steps per second by the clock, the same at the CPU time spent if two cores were free, and seconds of compilation."""
    row = ROWS[name]
    targets, table = task(row)
    vectors, basis = coordinates(targets)
    keys = jax.random.split(jax.random.key(0), SEEDS)
    states = jax.vmap(lambda key: start(key, row, jnp.asarray(basis)))(keys)
    arrays = jnp.asarray(vectors), jnp.asarray(targets), jnp.asarray(table)
    options = {"xla_cpu_use_fusion_emitters": False} if row.plain else None
    begin = time.perf_counter()
    compiled = train.lower(jax.random.key(1), states, *arrays, row, steps).compile(options)
    jax.block_until_ready(compiled(jax.random.key(1), states, *arrays))
    first = time.perf_counter() - begin
    seconds, spent = [], []
    for repeat in range(repeats):
        begin, cpu = time.perf_counter(), time.process_time()
        jax.block_until_ready(compiled(jax.random.key(repeat), states, *arrays))
        seconds.append(time.perf_counter() - begin)
        spent.append(time.process_time() - cpu)
    typical = statistics.median(seconds)
    return SEEDS * steps / typical, 2 * SEEDS * steps / statistics.median(spent), first - typical


def staircase(seeds: int = 32) -> tuple[float, float]:
    """Seconds, by the clock and of CPU, in which so many seeds of D3 reach the last plateau of gradient flow, compiled."""
    jax.config.update("jax_enable_x64", True)
    sizes = dataclasses.replace(Flows(), group="S3", length=2, seeds=seeds)
    given, cell = objects(sizes), Cell.of(sizes)
    drawn = given["table"], parts_of(given), cell.log_scale
    flow(cell, jax.random.key(0), *drawn).losses.block_until_ready()
    begin, cpu = time.perf_counter(), time.process_time()
    run = flow(cell, jax.random.key(1), *drawn)
    run.losses.block_until_ready()
    if not bool((run.shares[:, -1] > 0.99).all(axis=1).mean() > 0.5):
        raise RuntimeError("most seeds are not on the last plateau: the horizon is too short")
    return time.perf_counter() - begin, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0], allow_abbrev=False)
    parser.add_argument(
        "rows", nargs="*", metavar="row", help=f"staircase, or any of {', '.join(ROWS)}; all of these if left out"
    )
    rows = parser.parse_args().rows
    if unknown := set(rows) - {*ROWS, "staircase"}:
        parser.error(f"no row is named {', '.join(sorted(unknown))}; there are staircase, {', '.join(ROWS)}")
    if "staircase" in rows:
        print("D3, 32 seeds to the last plateau: {:.1f} s by the clock, {:.1f} s of CPU (must 20, aim 5)".format(*staircase()))
        return
    print(f"{'row':12} {'by the clock':>13} {'by CPU time':>12} {'published':>10} {'factor':>7} {'compile s':>10}   load")
    for name in rows or ROWS:
        speed, free, compiling = measure(name)
        published = ROWS[name].published
        load = os.getloadavg()[0]
        print(
            f"{name:12} {speed:13.0f} {free:12.0f} {published:10.0f} {free / published:7.1f} {compiling:10.1f} {load:6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
