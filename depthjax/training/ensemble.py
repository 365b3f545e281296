"""Seeds times depths as one array program: depth is data, runs are a batch axis, and the batch is spread over devices.

The layout and the number of lanes (`depthjax.training.layout`) decide how runs are batched. They change speed and rounding, not
results.

The key of a run is folded from its depth and seed, so its numbers do not depend on what else is run. A run is cut into
segments. After each segment progress is reported and states are stored, so a program that was killed resumes from the last one.
Several processes (`jax.distributed`) run the same program on their shares of one global batch axis.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import jax
import numpy as np
import optax
from jaxtyping import Array, Key, PyTree

from depthjax.checks import at_least
from depthjax.compiler import lean_options
from depthjax.training.checkpoints import Checkpoints
from depthjax.training.fit import Fit, Record, Sample, TrainState, advance, start, streams
from depthjax.training.layout import Layout, Spread, chosen_lanes, chosen_layout, device_sharding, running, work_of_step
from depthjax.training.recipe import Recipe

LONG = 30.0  # seconds of a program's runs, from which on faster loops are worth slower compilation
DepthLoss = Callable[[Any, Any, Any], tuple[Array, dict[str, Array]]]
Test = Callable[[Array, Any, Any], dict[str, Array]]


class Ensemble(NamedTuple):
    """Trained runs, as numpy arrays.

    Attributes:
        depths: Depths along the first axis.
        fit: The finished runs; every array has leading axes (depths, seeds).
        test: Results of the test of every run, with the same leading axes.
        layout: Layout that was used.
        lanes: Number of runs side by side on each device, at most.
        seconds: Time of the whole call, compilation included.

    >>> Ensemble._fields
    ('depths', 'fit', 'test', 'layout', 'lanes', 'seconds')
    """

    depths: tuple[int, ...]
    fit: Fit
    test: dict[str, np.ndarray]
    layout: str
    lanes: int
    seconds: float


class Segment(NamedTuple):
    """The progress of an ensemble after a segment.

    Attributes:
        step: Optimiser steps so far of the runs that are being trained.
        depths: Depths of these runs.
        losses: Last recorded training loss of each of these runs.
        ended: Number of these runs that have ended.
        done: Network-layer-steps so far.
        total: Network-layer-steps of the whole ensemble.
        rate: Network-steps per second in this segment; the first segment includes compilation.
        left: Estimate of the remaining seconds, at the speed of this segment.

    >>> Segment._fields[:3]
    ('step', 'depths', 'losses')
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
    optimiser: optax.GradientTransformation | None = None,
    validate: Sample | None = None,
    test: Test | None = None,
    layout: Layout = "auto",
    lanes: int | None = None,
    devices: int | None = None,
    segments: int = 1,
    checkpoints: Checkpoints | None = None,
    watch: Callable[[Segment], None] = lambda segment: None,
) -> Ensemble:
    """Train networks of every depth from every seed.

    Args:
        key: Root key of all runs.
        init: key -> parameters of the deepest network.
        loss: (params, batch, depth) -> (mean loss, metrics). The depth is an integer, traced in the masked layout.
        sample: key -> batch.
        recipe: Training recipe of every run.
        depths: Distinct depths, each at least 1.
        seeds: Number of runs for each depth.
        optimiser: Any optax transformation; it then decides rates, decay and clipping. None takes the recipe's.
        validate: key -> validation batch. None takes `sample`, with a key of its own.
        test: (test key, params, depth) -> dict of arrays, evaluated at the end of every run.
        layout: "masked", "buckets", or "auto", which takes the faster one (`chosen_layout`).
        lanes: Runs side by side on a device. None takes the fastest number (`chosen_lanes`); a number above that of runs means
            all.
        devices: Number of devices to spread the runs over; None takes all devices of all processes.
        segments: Largest number of segments; their number divides that of the recipe's records.
        checkpoints: Store for the states after every segment; training resumes from the latest one.
        watch: Called after every segment.

    Raises:
        TypeError: A size is not an integer.
        ValueError: A size is too small, a depth appears twice, the layout is unknown, or there are too few devices.
        CheckpointError: A checkpoint cannot be read or written.

    >>> import jax.numpy as jnp
    >>> recipe = Recipe(steps=2, record_every=1)
    >>> loss = lambda params, batch, depth: ((params - batch) ** 2, {})
    >>> runs = ensemble(jax.random.key(0), lambda key: jnp.zeros(()), loss, jax.random.normal, recipe, depths=[1], seeds=2)
    >>> runs.depths, runs.fit.losses.shape
    ((1,), (1, 2, 2))
    """
    depths = tuple(at_least("each depth", depth, 1) for depth in depths)
    at_least("the number of depths", len(depths), 1)
    at_least("seeds", seeds, 1)
    if len(set(depths)) < len(depths):
        raise ValueError(f"depths are {depths}: each may appear once; a second time would train the same networks again")
    if layout not in get_args(Layout):
        raise ValueError(f"layout is {layout!r}, expected one of {', '.join(get_args(Layout))}")
    begun, sharding = time.perf_counter(), device_sharding(devices)
    work, count = work_of_step(init, sample), recipe.steps * seeds * len(depths)
    backend = jax.default_backend()
    kind = chosen_layout(backend, depths, work, count) if layout == "auto" else layout
    lanes = chosen_lanes(backend, work) if lanes is None else at_least("lanes", lanes, 1)
    buckets = [(depth,) for depth in depths] if kind == "buckets" else [depths]
    sizes = [recipe.steps * seeds * len(bucket) * max(bucket) for bucket in buckets]

    spread = Spread.over(sharding, seeds * len(buckets[0]), lanes)
    options = lean_options(backend) if running(work, count) < LONG * len(buckets) else None

    def begin(depth, seed):
        own = jax.random.fold_in(jax.random.fold_in(key, depth), seed)
        return start(own, init(streams(own).initial), partial(_at_depth, loss, max(depths)), sample, recipe, optimiser)

    begins, found = jax.jit(spread.mapped(begin), compiler_options=options), []
    for number, bucket in enumerate(buckets):
        tell = partial(_tell, watch, bucket, sum(sizes[:number]), sizes[number], sum(sizes), recipe)
        group = _Group(begins, bucket, seeds, loss, sample, validate, recipe, optimiser, test, spread, options)
        found.append(group.train(_piece(recipe.records, segments), checkpoints, tell))
    fit, tested = jax.tree.map(lambda *parts: np.concatenate(parts).reshape(len(depths), seeds, *parts[0].shape[1:]), *found)
    return Ensemble(depths, fit, tested, kind, spread.lanes, time.perf_counter() - begun)


class _Group:
    """The runs that share one program."""

    def __init__(self, begin, depths, seeds, loss, sample, validate, recipe, optimiser, test, spread, options):
        self.begin, self.recipe, self.test, self.sharding = begin, recipe, test, spread.sharding
        self.name = "depth-" + "-".join(map(str, depths))
        self.runs = seeds * len(depths)
        # runs are numbered by depth, then seed; their rows the other way, so that every device gets its share of the deep ones
        order = np.arange(self.runs).reshape(len(depths), seeds).T.ravel()
        # surplus rows repeat the last run
        self.run = order[np.minimum(np.arange(spread.rows), self.runs - 1)]
        self.row = np.argsort(order)
        self.depth = np.repeat(depths, seeds)[self.run]
        self.seed = np.tile(np.arange(seeds), len(depths))[self.run]
        fixed = depths[0] if len(depths) == 1 else None

        def known(depth):
            return depth if fixed is None else fixed

        def go(records, course, depth):
            return advance(course, partial(_at_depth, loss, known(depth)), sample, recipe, records, optimiser, validate)

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
        """Run the remaining segments, then the test; arrays have one row for each run."""
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
        if done < self.recipe.records:  # all runs have ended: each repeats its last record
            last = jax.tree.map(lambda a: np.repeat(a[:, done - 1 : done], self.recipe.records - done, axis=1), curves)
            _write(curves, last, done)
        fit = self._own(course._replace(key=None, optimiser=None))
        return Fit(fit.params, curves.loss, curves.metrics, fit.step, fit.failed), self._own(self.tried(course, depth))

    def _own(self, tree: Any) -> Any:
        """The arrays of all processes in numpy, ordered by run and without padding."""
        if jax.process_count() > 1:
            from jax.experimental import multihost_utils

            tree = multihost_utils.process_allgather(tree, tiled=True)
        return jax.tree.map(lambda a: np.asarray(a)[self.row], tree)

    def _stored(self, course: TrainState, curves: Record) -> dict[str, np.ndarray]:
        state = self._own(course._replace(key=None))
        return {_name(path): leaf for path, leaf in jax.tree.leaves_with_path(_named(state, curves))}

    def _restored(self, course: TrainState, curves: Record, stored: dict[str, np.ndarray]) -> tuple[TrainState, Record]:
        known = _named(course._replace(key=None), curves)
        found = jax.tree.map_with_path(lambda path, _: np.array(stored[_name(path)]), known)
        old = jax.tree.map(lambda a: jax.device_put(a[self.run], self.sharding), found["state"])
        return old._replace(key=course.key), found["curves"]


def _named(state: TrainState, curves: Record) -> dict[str, Any]:
    return {"state": state, "curves": curves}


def _name(path: Any) -> str:
    """The name of a leaf in a checkpoint, such as ``state.params.layers.mixer.out_proj.kernel``."""
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _at_depth(loss: DepthLoss, depth: Any, params: Any, batch: Any):
    return loss(params, batch, depth)


def _write(curves: Record, seen: Record, begin: int) -> None:
    for whole, part in zip(jax.tree.leaves(curves), jax.tree.leaves(seen), strict=True):
        whole[:, begin : begin + part.shape[1]] = part


def _piece(records: int, segments: int) -> int:
    """The number of records of a segment; it divides `records`, so all segments share one program."""
    at_least("segments", segments, 1)
    return next(piece for piece in range(-(-records // segments), records + 1) if records % piece == 0)


def _tell(watch, depths, before, work, total, recipe, runs, done, piece, losses, ended, seconds) -> None:
    share = done / recipe.records
    speed = work * piece / recipe.records / seconds  # layer-steps per second
    finished = before + work * (1.0 if ended.all() else share)
    rate = runs * piece * recipe.record_every / seconds
    left = (total - finished) / speed
    watch(Segment(done * recipe.record_every, depths, losses, int(ended.sum()), finished, total, rate, left))
