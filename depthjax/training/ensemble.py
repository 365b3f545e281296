"""Seeds times depths of one network: `depthjax.training.trials` whose rows are depths.

The layout and the number of lanes (`depthjax.training.layout`) decide how runs are batched. They change speed and rounding, not
results. The key of a run is folded from its depth and seed, so its numbers do not depend on what else is run.
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import jax
import numpy as np
import optax
from jaxtyping import Array, Key, PyTree

from depthjax.checks import at_least
from depthjax.training.checkpoints import Checkpoints
from depthjax.training.fit import Fit, Sample, Streams
from depthjax.training.layout import Layout, Spread, chosen_lanes, chosen_layout, device_sharding, running, work_of_step
from depthjax.training.learner import Learner
from depthjax.training.recipe import Recipe
from depthjax.training.stretches import Stretch, Together
from depthjax.training.trials import Trials, trials

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

    def finite(self, found: Any) -> Any:
        """Return a tree of numbers with NaN for every run that failed, as `depthjax.training.Trials.finite`."""
        return Trials(None, self.fit.failed).finite(found)


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
    keep: bool = False,
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
        keep: Whether programs are kept for later calls with the same functions and sizes, until `depthjax.training.forget`.
            The learning rate of the recipe is data, and so are keys: calls that differ in these alone share one program.
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
    long = running(work, count) >= LONG * len(buckets)
    keys = jax.vmap(
        lambda depth: jax.vmap(lambda seed: jax.random.fold_in(jax.random.fold_in(key, depth), seed))(np.arange(seeds))
    )

    plain = recipe if optimiser is not None else dataclasses.replace(recipe, learning_rate=1.0)
    every = partial(_Trial, init, loss, sample, plain, test, validate, optimiser)
    rate = np.array(recipe.learning_rate, np.float32)

    found = []
    for number, bucket in enumerate(buckets):
        tell = partial(_tell, watch, bucket, sum(sizes[:number]), sizes[number], sum(sizes), recipe, seeds * len(bucket))
        name = "depth-" + "-".join(map(str, bucket))
        how = Together(lanes, devices, segments, checkpoints, name, tell, long, keep)
        rows, known = (np.array(bucket),), bucket[0] if len(bucket) == 1 else None
        found.append(trials(every(), known, keys(rows[0]), rows, (rate,), together=how).found)
    fit, tested = jax.tree.map(lambda *parts: np.concatenate(parts), *found)
    lanes = Spread.over(sharding, seeds * len(buckets[0]), lanes).lanes
    return Ensemble(depths, fit, tested, kind, lanes, time.perf_counter() - begun)


@dataclasses.dataclass(frozen=True)
class _Trial:
    """One run, as `depthjax.training.trials` takes it; two of them are equal if their parts are, so they share programs."""

    init: Callable[[Array], PyTree]
    loss: DepthLoss
    sample: Sample
    recipe: Recipe
    test: Test | None
    validate: Sample | None
    optimiser: optax.GradientTransformation | None

    def __call__(self, known: int | None, own: Streams, depth: Array, rate: Array | np.ndarray) -> Learner:
        at: Any = depth if known is None else known

        def tested(found: Fit) -> tuple[Fit, dict[str, Array]]:
            return found, {} if self.test is None else self.test(own.test, found.params, at)

        # the steps of AdamW are proportional to its learning rate, which the recipe here has set to 1
        optimiser = self.optimiser or optax.chain(self.recipe.optimiser(), optax.scale(rate))
        loss = partial(_at_depth, self.loss, at)
        return Learner(self.init(own.initial), loss, self.sample, self.recipe, tested, self.validate, optimiser)


def _at_depth(loss: DepthLoss, depth: Any, params: Any, batch: Any):
    return loss(params, batch, depth)


def _tell(watch, depths, before, work, total, recipe, runs, stretch: Stretch) -> None:
    share = stretch.done / recipe.records
    speed = work * stretch.records / recipe.records / stretch.seconds  # layer-steps per second
    finished = before + work * (1.0 if stretch.ended.all() else share)
    rate = runs * stretch.records * recipe.record_every / stretch.seconds
    left = (total - finished) / speed
    step, ended = stretch.done * recipe.record_every, int(stretch.ended.sum())
    watch(Segment(step, depths, stretch.losses, ended, finished, total, rate, left))
