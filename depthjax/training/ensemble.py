"""Seeds times depths as one array program: depth is data, runs are a batch axis, and the batch is spread over devices.

Two layouts give the same runs, with rounding of their own:

- ``masked``: one program for all depths; every run computes the deepest stack and masks what it does not have;
- ``buckets``: one program per depth, which computes no more than it needs.

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
from depthjax.training.checkpoints import Checkpoints
from depthjax.training.fit import Course, Fit, Record, Sample, advance, start, streams
from depthjax.training.recipe import Recipe

Layout = Literal["auto", "masked", "buckets"]
DepthLoss = Callable[[Any, Any, Any], tuple[Array, dict[str, Array]]]
Test = Callable[[Array, Any, Any], dict[str, Array]]


class Ensemble(NamedTuple):
    """Trained runs, as numpy arrays.

    Attributes:
        depths: of the first axis.
        fit: every array with leading axes (depths, seeds).
        test: what the test said of every run, leading axes the same.
        layout: that was used.
        seconds: of everything after the keys were made, compilation included.
    """

    depths: tuple[int, ...]
    fit: Fit
    test: dict[str, np.ndarray]
    layout: str
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
    kind = chosen_layout(jax.default_backend(), depths) if layout == "auto" else layout
    begun, sharding = time.perf_counter(), _sharding(devices)
    buckets = [(depth,) for depth in depths] if kind == "buckets" else [depths]
    work = [recipe.steps * seeds * len(bucket) * max(bucket) for bucket in buckets]
    found = []
    for number, bucket in enumerate(buckets):
        tell = partial(_tell, watch, bucket, sum(work[:number]), work[number], sum(work), recipe)
        group = _Group(key, bucket, seeds, init, loss, sample, recipe, test, sharding)
        found.append(group.train(_piece(recipe.records, segments), checkpoints, tell))
    fit, tested = jax.tree.map(lambda *parts: np.concatenate(parts).reshape(len(depths), seeds, *parts[0].shape[1:]), *found)
    return Ensemble(depths, fit, tested, kind, time.perf_counter() - begun)


def chosen_layout(backend: str, depths: Sequence[int]) -> str:
    """Return the faster layout: on a CPU masked layers only cost, an accelerator wants one large batch."""
    return "buckets" if backend == "cpu" and len(depths) > 1 else "masked"


class _Group:
    """Runs that share a program."""

    def __init__(self, key, depths, seeds, init, loss, sample, recipe, test, sharding):
        self.recipe, self.test, self.sharding = recipe, test, sharding
        self.name = "depth-" + "-".join(map(str, depths))
        self.runs = seeds * len(depths)
        padded = -(-self.runs // sharding.mesh.size) * sharding.mesh.size
        index = np.minimum(np.arange(padded), self.runs - 1)  # what is too much repeats the last run
        self.depth = np.repeat(depths, seeds)[index]
        self.seed = np.tile(np.arange(seeds), len(depths))[index]
        fixed = depths[0] if len(depths) == 1 else None

        def known(depth):
            return depth if fixed is None else fixed

        def begin(depth, seed):
            own = jax.random.fold_in(jax.random.fold_in(key, depth), seed)
            return start(own, init(streams(own).initial), partial(_at_depth, loss, known(depth)), sample, recipe)

        def go(records, course, depth):
            return advance(course, partial(_at_depth, loss, known(depth)), sample, recipe, records)

        def tried(course, depth):
            return {} if test is None else test(streams(course.key).test, course.params, known(depth))

        self.begin = jax.jit(jax.vmap(begin), out_shardings=sharding)
        self.go = jax.jit(
            lambda records, course, depth: jax.vmap(partial(go, records))(course, depth),
            static_argnums=0,
            donate_argnums=1,
            out_shardings=sharding,
        )
        self.tried = jax.jit(jax.vmap(tried), out_shardings=sharding)

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
        """As numpy arrays, from all processes, without padding."""
        if jax.process_count() > 1:
            from jax.experimental import multihost_utils

            tree = multihost_utils.process_allgather(tree, tiled=True)
        return jax.tree.map(lambda a: np.asarray(a)[: self.runs], tree)

    def _stored(self, course: Course, curves: Record) -> dict[str, np.ndarray]:
        leaves = jax.tree.leaves((self._own(course._replace(key=None)), curves))
        return {f"{number:04d}": leaf for number, leaf in enumerate(leaves)}

    def _restored(self, course: Course, curves: Record, stored: dict[str, np.ndarray]) -> tuple[Course, Record]:
        bare = course._replace(key=None)
        leaves = [np.asarray(stored[name]) for name in sorted(stored)]
        old, curves = jax.tree.unflatten(jax.tree.structure((bare, curves)), leaves)
        rows = np.minimum(np.arange(self.depth.size), self.runs - 1)
        old = jax.tree.map(lambda a: jax.device_put(a[rows], self.sharding), old)
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
