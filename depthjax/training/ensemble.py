"""Seeds times depths as one array program: depth is data, runs are a batch axis, and the batch is spread over devices.

Two numbers say how; every choice gives the same runs, with rounding of its own.

- The layout is what one program is for: ``masked``, all depths; ``buckets``, one depth.
- Lanes are how many runs a device computes side by side. With one lane a run skips the layers that it does not have; side by
  side, in the masked layout, each computes the deepest stack and masks.

The key of a run is folded from its depth and seed, so its numbers do not depend on what else is run. A run is cut into
segments: between them progress is told and states are stored, and a program that was killed goes on from the last one.
Several processes (`jax.distributed`) run the same program on their shares of one global batch axis.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import jax
import numpy as np
from jaxtyping import Array, Key, PyTree

from depthjax.checks import at_least
from depthjax.runs.compiler import lean_options
from depthjax.training.checkpoints import Checkpoints
from depthjax.training.fit import Fit, Record, Sample, TrainState, advance, start, streams
from depthjax.training.recipe import Recipe

Layout = Literal["auto", "masked", "buckets"]
ALL = 2**30  # lanes: as many as there are runs
# Measured on CPUs in processor seconds (`benchmarks/ensemble.py` and the gradient of the word problems' networks):
LARGE = 500_000  # of `work_of_step`: one lane took 0.71 of the time of sixteen at 8e5, 0.69 of that of eight at 9e6
STEP, UNIT = 1e-3, 2e-10  # seconds of a network-step, and for a unit of its work: 0.8 ms at 8e5, 3.7 at 9e6, 88 at 5e8
MASKED = 0.8  # of these in addition for depth as data: the gradient took 1.9 times as long at width 16, 1.75 times at 64
COMPILING = 8.0  # seconds for the program of one more depth
LONG = 30.0  # seconds of a program's runs, from which on faster loops are worth slower compilation
DepthLoss = Callable[[Any, Any, Any], tuple[Array, dict[str, Array]]]
Test = Callable[[Array, Any, Any], dict[str, Array]]


class Ensemble(NamedTuple):
    """Trained runs, as numpy arrays.

    Attributes:
        depths: of the first axis.
        fit: every array with leading axes (depths, seeds).
        test: what the test said of every run, leading axes the same.
        layout: that was used. lanes: on each device, at most.
        seconds: of everything after the keys were made, compilation included.
    """

    depths: tuple[int, ...]
    fit: Fit
    test: dict[str, np.ndarray]
    layout: str
    lanes: int
    seconds: float


class Segment(NamedTuple):
    """How far an ensemble is, after a segment.

    Attributes:
        step: of the runs that are being trained.
        depths: being trained now.
        losses: last recorded training loss of each of these runs.
        ended: how many of them have ended.
        done: network-layer-steps so far, `total` all of them.
        rate: network-steps per second in this segment (its compilation included, if it was the first).
        left: seconds, if it goes on like this.
    """

    step: int
    depths: tuple[int, ...]
    losses: np.ndarray
    ended: int
    done: float
    total: float
    rate: float
    left: float


def ensemble(
    key: Key[Array, ""],
    init: Callable[[Array], PyTree],
    loss: DepthLoss,
    sample: Sample,
    recipe: Recipe,
    *,
    depths: Sequence[int],
    seeds: int,
    test: Test | None = None,
    layout: Layout = "auto",
    lanes: int | None = None,
    devices: int | None = None,
    segments: int = 1,
    checkpoints: Checkpoints | None = None,
    watch: Callable[[Segment], None] = lambda segment: None,
) -> Ensemble:
    """Return networks of every depth from every seed, trained.

    Args:
        key: root of all runs.
        init: key -> parameters of the deepest network.
        loss: (params, batch, depth) -> (mean loss, metrics); depth is an integer, traced in the masked layout.
        sample: key -> batch.
        recipe: how every run is trained.
        depths: different, at least 1 each.
        seeds: runs of each depth.
        test: (test key, params, depth) -> dict of arrays, evaluated at the end of every run.
        layout: see above; "auto" takes the faster one (`chosen_layout`).
        lanes: see above; None takes as many as are fastest (`chosen_lanes`), a number more than there are runs means all.
        devices: that the runs are spread over; None: all there are, over all processes.
        segments: at most so many pieces; they divide the records of the recipe.
        checkpoints: where states are stored after every segment, and read from at the start.
        watch: told after every segment.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size is too small, a depth appears twice, the layout is unknown, or there are too few devices.
        CheckpointError: a checkpoint cannot be read or written.
    """
    depths = tuple(at_least("each depth", depth, 1) for depth in depths)
    at_least("the number of depths", len(depths), 1)
    at_least("seeds", seeds, 1)
    if len(set(depths)) < len(depths):
        raise ValueError(f"depths are {depths}: each may appear once, it would train the same networks again")
    if layout not in get_args(Layout):
        raise ValueError(f"layout is {layout!r}, expected one of {', '.join(get_args(Layout))}")
    begun, sharding = time.perf_counter(), _sharding(devices)
    work, count = work_of_step(init, sample), recipe.steps * seeds * len(depths)
    backend = jax.default_backend()
    kind = chosen_layout(backend, depths, work, count) if layout == "auto" else layout
    lanes = chosen_lanes(backend, work) if lanes is None else at_least("lanes", lanes, 1)
    buckets = [(depth,) for depth in depths] if kind == "buckets" else [depths]
    sizes = [recipe.steps * seeds * len(bucket) * max(bucket) for bucket in buckets]

    spread = _Spread.over(sharding, seeds * len(buckets[0]), lanes)
    options = lean_options(backend) if running(work, count) < LONG * len(buckets) else None

    def begin(depth, seed):
        own = jax.random.fold_in(jax.random.fold_in(key, depth), seed)
        return start(own, init(streams(own).initial), partial(_at_depth, loss, max(depths)), sample, recipe)

    begins, found = jax.jit(spread.mapped(begin), compiler_options=options), []
    for number, bucket in enumerate(buckets):
        tell = partial(_tell, watch, bucket, sum(sizes[:number]), sizes[number], sum(sizes), recipe)
        group = _Group(begins, bucket, seeds, loss, sample, recipe, test, spread, options)
        found.append(group.train(_piece(recipe.records, segments), checkpoints, tell))
    fit, tested = jax.tree.map(lambda *parts: np.concatenate(parts).reshape(len(depths), seeds, *parts[0].shape[1:]), *found)
    return Ensemble(depths, fit, tested, kind, spread.lanes, time.perf_counter() - begun)


def work_of_step(init: Callable[[Array], PyTree], sample: Sample) -> int:
    """Return parameters of the deepest network times positions of a batch: to within a factor, additions of a forward pass."""
    key = jax.eval_shape(jax.random.key, 0)
    params, batch = (jax.tree.leaves(jax.eval_shape(make, key)) for make in (init, sample))
    return sum(leaf.size for leaf in params) * max((leaf.size for leaf in batch), default=1)


def chosen_layout(backend: str, depths: Sequence[int], work: int, steps: int) -> str:
    """Return the faster layout.

    On a CPU depth as data costs running time, a program for every depth compile time: masked if the former is less over all
    network-steps. An accelerator wants one large batch (a rule, not a measurement).

    Args:
        backend: as JAX names it.
        depths: of the networks.
        work: of a step of the deepest network (`work_of_step`).
        steps: network-steps of all depths and seeds together.
    """
    if backend != "cpu" or len(depths) == 1:
        return "masked"
    shallower = sum(depths) / (len(depths) * max(depths))
    return "masked" if MASKED * running(work, steps) * shallower < COMPILING * (len(depths) - 1) else "buckets"


def running(work: int, steps: int) -> float:
    """Return about how many seconds of a CPU so many network-steps take (`work` as above)."""
    return (STEP + UNIT * work) * steps


def chosen_lanes(backend: str, work: int) -> int:
    """Return how many runs side by side are fastest on one device.

    On a CPU runs push each other out of the caches, and products of many small matrices are slower than single ones, so one
    at a time wherever that was measured; all below, and on an accelerator (rules, not measurements). `work` is that of a step
    (`work_of_step`).
    """
    return 1 if backend == "cpu" and work >= LARGE else ALL


class _Spread(NamedTuple):
    """How the rows of a group lie: over devices, on each of them `rounds` times `lanes`."""

    sharding: jax.sharding.NamedSharding
    rounds: int
    lanes: int

    @classmethod
    def over(cls, sharding: jax.sharding.NamedSharding, runs: int, lanes: int) -> "_Spread":
        """As many lanes at most, the same number in every round."""
        each = -(-runs // sharding.mesh.size)
        rounds = -(-each // lanes)
        return cls(sharding, rounds, -(-each // rounds))

    @property
    def rows(self) -> int:
        """Runs and padding."""
        return self.sharding.mesh.size * self.rounds * self.lanes

    def mapped(self, run: Callable) -> Callable:
        """Return `run` for all rows: arguments and results have a leading axis of them."""
        rows = self.sharding.spec
        return jax.shard_map(partial(self._local, run), mesh=self.sharding.mesh, in_specs=rows, out_specs=rows, check_vma=False)

    def _local(self, run: Callable, *rows: Any) -> Any:
        if self.lanes == 1:
            return jax.lax.map(lambda row: run(*row), rows)
        rows = jax.tree.map(lambda a: a.reshape(self.rounds, self.lanes, *a.shape[1:]), rows)
        found = jax.lax.map(lambda row: jax.vmap(run)(*row), rows)
        return jax.tree.map(lambda a: a.reshape(self.rounds * self.lanes, *a.shape[2:]), found)


class _Group:
    """Runs that share a program."""

    def __init__(self, begin, depths, seeds, loss, sample, recipe, test, spread, options):
        self.begin, self.recipe, self.test, self.sharding = begin, recipe, test, spread.sharding
        self.name = "depth-" + "-".join(map(str, depths))
        self.runs = seeds * len(depths)
        # runs are numbered by depth, then seed; their rows the other way, so that every device gets its share of the deep ones
        order = np.arange(self.runs).reshape(len(depths), seeds).T.ravel()
        self.run = order[np.minimum(np.arange(spread.rows), self.runs - 1)]  # of a row; what is too much repeats the last one
        self.row = np.argsort(order)
        self.depth = np.repeat(depths, seeds)[self.run]
        self.seed = np.tile(np.arange(seeds), len(depths))[self.run]
        fixed = depths[0] if len(depths) == 1 else None

        def known(depth):
            return depth if fixed is None else fixed

        def go(records, course, depth):
            return advance(course, partial(_at_depth, loss, known(depth)), sample, recipe, records)

        def tried(course, depth):
            return {} if test is None else test(streams(course.key).test, course.params, known(depth))

        self.go = jax.jit(
            lambda records, course, depth: spread.mapped(partial(go, records))(course, depth),
            static_argnums=0,
            donate_argnums=1,
            compiler_options=options,
        )
        self.tried = jax.jit(spread.mapped(tried), compiler_options=options)

    def train(self, piece: int, checkpoints: Checkpoints | None, tell: Callable) -> tuple[Fit, dict[str, np.ndarray]]:
        """Run every segment that is left, then the test; arrays of one row per run."""
        depth, seed = (jax.device_put(a, self.sharding) for a in (self.depth, self.seed))
        course, done = self.begin(depth, seed), 0
        curves = jax.tree.map(lambda a: np.zeros((self.runs, self.recipe.records, *a.shape[1:]), a.dtype), course.last)
        if checkpoints is not None and (stored := checkpoints.latest(self.name, self._stored(course, curves))):
            done, (course, curves) = stored[0], self._restored(course, curves, stored[1])
        ended = done > 0 and bool(self._own(course.ended).all())
        while done < self.recipe.records and not ended:
            before = time.perf_counter()
            course, records = self.go(piece, course, depth)
            seen, stopped = self._own((records, course.ended))
            _write(curves, seen, done)
            done, ended = done + piece, bool(stopped.all())
            if checkpoints is not None:
                checkpoints.save(self.name, done, self._stored(course, curves))
            tell(self.runs, done, piece, seen.loss[:, -1], stopped, time.perf_counter() - before)
        if done < self.recipe.records:  # all have ended: a run repeats its last record
            last = jax.tree.map(lambda a: np.repeat(a[:, done - 1 : done], self.recipe.records - done, axis=1), curves)
            _write(curves, last, done)
        fit = self._own(course._replace(key=None, optimiser=None))
        return Fit(fit.params, curves.loss, curves.metrics, fit.step, fit.failed), self._own(self.tried(course, depth))

    def _own(self, tree: Any) -> Any:
        """As numpy arrays, from all processes, by number and without padding."""
        if jax.process_count() > 1:
            from jax.experimental import multihost_utils

            tree = multihost_utils.process_allgather(tree, tiled=True)
        return jax.tree.map(lambda a: np.asarray(a)[self.row], tree)

    def _stored(self, course: TrainState, curves: Record) -> dict[str, np.ndarray]:
        leaves = jax.tree.leaves((self._own(course._replace(key=None)), curves))
        return {f"{number:04d}": leaf for number, leaf in enumerate(leaves)}

    def _restored(self, course: TrainState, curves: Record, stored: dict[str, np.ndarray]) -> tuple[TrainState, Record]:
        bare = course._replace(key=None)
        leaves = [np.asarray(stored[name]) for name in sorted(stored)]
        old, curves = jax.tree.unflatten(jax.tree.structure((bare, curves)), leaves)
        old = jax.tree.map(lambda a: jax.device_put(a[self.run], self.sharding), old)
        return old._replace(key=course.key), jax.tree.map(np.array, curves)


def _at_depth(loss: DepthLoss, depth: Any, params: Any, batch: Any):
    return loss(params, batch, depth)


def _write(curves: Record, seen: Record, begin: int) -> None:
    for whole, part in zip(jax.tree.leaves(curves), jax.tree.leaves(seen), strict=True):
        whole[:, begin : begin + part.shape[1]] = part


def _piece(records: int, segments: int) -> int:
    """The records of a segment: a divisor, so that all segments share one program."""
    at_least("segments", segments, 1)
    return next(piece for piece in range(-(-records // segments), records + 1) if records % piece == 0)


def _sharding(devices: int | None) -> jax.sharding.NamedSharding:
    """The batch axis of runs over devices, all of every process."""
    seen = jax.devices()
    wanted = len(seen) if devices is None else at_least("devices", devices, 1)
    if wanted > len(seen):
        raise ValueError(
            f"{wanted} devices were asked for, but JAX sees {len(seen)} ({seen[0].platform}): ask for fewer, or for none "
            "to take all; a CPU is split with XLA_FLAGS=--xla_force_host_platform_device_count=N"
        )
    if jax.process_count() > 1 and wanted < len(seen):
        raise ValueError(f"{jax.process_count()} processes share {len(seen)} devices: ask for all of them, not {wanted}")
    mesh = jax.make_mesh((wanted,), ("runs",), axis_types=(jax.sharding.AxisType.Auto,), devices=seen[:wanted])
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("runs"))


def _tell(watch, depths, before, work, total, recipe, runs, done, piece, losses, ended, seconds) -> None:
    share = done / recipe.records
    pace = work * piece / recipe.records / seconds  # layer-steps per second
    finished = before + work * (1.0 if ended.all() else share)
    rate = runs * piece * recipe.record_every / seconds
    left = (total - finished) / pace
    watch(Segment(done * recipe.record_every, depths, losses, int(ended.sum()), finished, total, rate, left))
