"""Runs that are trained together: spread over devices, and cut into stretches.

After each stretch progress is reported and states are stored, so a program that was killed goes on from the last one. Several
processes (`jax.distributed`) run the same program on their shares of one batch axis of all runs.
"""

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Bool, Float

from depthjax.checks import at_least
from depthjax.compiler import lean_options
from depthjax.training.checkpoints import Checkpoints
from depthjax.training.fit import Fit, Record, TrainState, advance, start
from depthjax.training.layout import ALL, Spread, device_sharding
from depthjax.training.learner import Asked
from depthjax.training.recipe import Recipe


class Stretch(NamedTuple):
    """The progress of runs after a stretch of their training.

    Attributes:
        done: Records so far.
        records: Records of this stretch.
        losses: Last recorded training loss of each run, in the order of rows, then seeds.
        ended: Whether each run has ended.
        seconds: Time of the stretch; that of the first includes compilation.

    >>> Stretch._fields[:2]
    ('done', 'records')
    """

    done: int
    records: int
    losses: Float[np.ndarray, " runs"]
    ended: Bool[np.ndarray, " runs"]
    seconds: float


class Together(NamedTuple):
    """How runs are trained side by side.

    Attributes:
        lanes: Runs side by side on a device, at most.
        devices: Number of devices to spread the runs over; None takes all devices of all processes.
        segments: Largest number of stretches; their number divides that of the recipe's records.
        checkpoints: Store for the states after every stretch; training goes on from the latest one.
        name: Name of these runs in the store.
        watch: Called after every stretch.
        long: Whether the runs take so long that faster loops are worth slower compilation.
        keep: Whether programs are kept for other calls. That of a trial which is made for one call is of no use to another.

    >>> Together(segments=4).name
    'runs'
    """

    lanes: int = ALL
    devices: int | None = None
    segments: int = 1
    checkpoints: Checkpoints | None = None
    name: str = "runs"
    watch: Callable[[Stretch], None] = lambda stretch: None
    long: bool = False
    keep: bool = True


class _Programs(NamedTuple):
    """The programs of all runs: their begin, a stretch of them, and their test."""

    begin: Callable[..., TrainState]
    go: Callable[..., tuple[TrainState, Record]]
    end: Callable[..., Any]


def _programs(options: bool) -> _Programs:
    """Return the programs, which compile for every `Asked`, spread and shape; `options`: whether they compile lean."""
    compile_ = partial(jax.jit, compiler_options=lean_options(jax.default_backend()) if options else None)

    def begin(asked: Asked, spread: Spread, keys: Array, rows: tuple, shared: tuple) -> TrainState:
        def run(key: Array, row: tuple) -> TrainState:
            own, learner = asked.of(key, row, shared)
            return start(own, learner.params, learner.loss, learner.sample, learner.recipe, learner.optimiser)

        return spread.mapped(run)(keys, rows)

    def go(
        asked: Asked, spread: Spread, records: int, course: TrainState, keys: Array, rows: tuple, shared: tuple
    ) -> tuple[TrainState, Record]:
        def run(course: TrainState, key: Array, row: tuple) -> tuple[TrainState, Record]:
            _, learner = asked.of(key, row, shared)
            loss, sample, recipe = learner.loss, learner.sample, learner.recipe
            return advance(course, loss, sample, recipe, records, learner.optimiser, learner.validate)

        return spread.mapped(run)(course, keys, rows)

    def end(asked: Asked, spread: Spread, fit: Fit, keys: Array, rows: tuple, shared: tuple) -> Any:
        return spread.mapped(lambda fit, key, row: asked.of(key, row, shared)[1].test(fit))(fit, keys, rows)

    return _Programs(
        compile_(begin, static_argnums=(0, 1)),
        compile_(go, static_argnums=(0, 1, 2), donate_argnums=3),
        compile_(end, static_argnums=(0, 1)),
    )


_kept = cache(_programs)


def forget() -> None:
    """Drop the programs that were kept in memory, so that whoever trains many networks does not fill it.

    >>> forget()
    """
    _kept.cache_clear()


class Stretches:
    """Runs that are trained together.

    Args:
        asked: What is trained.
        keys: Data of the key of each run.
        rows: Trees of arrays, with one row a run.
        shared: Trees of arrays that all runs read.
        shape: (rows, seeds) or (seeds,), whose product is the number of runs.
        how: How they are trained.
    """

    def __init__(self, asked: Asked, keys: np.ndarray, rows: tuple, shared: tuple, shape: tuple[int, ...], how: Together):
        self.asked, self.shared, self.how = asked, shared, how
        self.programs = (_kept if how.keep else _programs)(not how.long)
        self.runs = len(keys)
        lanes = at_least("lanes", how.lanes, 1)
        self.spread = Spread.over(device_sharding(how.devices), self.runs, lanes)
        # runs are numbered by row, then seed; on devices the other way, so that each gets its share of the expensive rows
        order = np.arange(self.runs).reshape(shape).T.ravel()
        # surplus places repeat the last run
        self.run = order[np.minimum(np.arange(self.spread.rows), self.runs - 1)]
        self.place = np.argsort(order)
        self.keys, self.rows = self._put((keys, rows))
        recipes: list[Recipe] = []
        one = jax.tree.map(lambda leaf: leaf[0], (keys, rows))
        jax.eval_shape(lambda key, row: recipes.append(asked.of(key, row, shared)[1].recipe), *one)
        self.records = recipes[0].records

    def train(self) -> tuple[Any, np.ndarray]:
        """Run the remaining stretches, then the test; arrays have one row for each run."""
        given, store, name = (self.keys, self.rows, self.shared), self.how.checkpoints, self.how.name
        fixed, piece = (self.asked, self.spread), _piece(self.records, self.how.segments)
        course, done = self.programs.begin(*fixed, *given), 0
        curves = jax.tree.map(lambda a: np.zeros((self.runs, self.records, *a.shape[1:]), a.dtype), course.last)
        if store is not None and (stored := store.latest(name, self._stored(course, curves))):
            done, (course, curves) = stored[0], self._restored(course, curves, stored[1])
        ended = done > 0 and bool(self._own(course.ended).all())
        while done < self.records and not ended:
            before = time.perf_counter()
            course, records = self.programs.go(*fixed, piece, course, *given)
            seen, stopped = self._own((records, course.ended))
            _write(curves, seen, done)
            done, ended = done + piece, bool(stopped.all())
            if store is not None:
                store.save(name, done, self._stored(course, curves))
            self.how.watch(Stretch(done, piece, seen.loss[:, -1], stopped, time.perf_counter() - before))
        if done < self.records:  # all runs have ended: each repeats its last record
            last = jax.tree.map(lambda a: np.repeat(a[:, done - 1 : done], self.records - done, axis=1), curves)
            _write(curves, last, done)
        losses, metrics = self._put(tuple(curves))
        fit = Fit(course.params, losses, metrics, course.step, course.failed)
        return self._own((self.programs.end(*fixed, fit, *given), course.failed))

    def _put(self, tree: Any) -> Any:
        """Arrays of runs on the devices, padded."""
        return jax.tree.map(lambda a: jax.device_put(a[self.run], self.spread.sharding), tree)

    def _own(self, tree: Any) -> Any:
        """The arrays of all processes in numpy, ordered by run and without padding."""
        if jax.process_count() > 1:
            from jax.experimental import multihost_utils

            tree = multihost_utils.process_allgather(tree, tiled=True)
        return jax.tree.map(lambda a: np.asarray(a)[self.place], tree)

    def _stored(self, course: TrainState, curves: Record) -> dict[str, np.ndarray]:
        state = self._own(course._replace(key=None))
        return {_name(path): leaf for path, leaf in jax.tree.leaves_with_path(_named(state, curves))}

    def _restored(self, course: TrainState, curves: Record, stored: dict[str, np.ndarray]) -> tuple[TrainState, Record]:
        known = _named(course._replace(key=None), curves)
        found = jax.tree.map_with_path(lambda path, _: np.array(stored[_name(path)]), known)
        return self._put(found["state"])._replace(key=course.key), found["curves"]


def _named(state: TrainState, curves: Record) -> dict[str, Any]:
    return {"state": state, "curves": curves}


def _name(path: Any) -> str:
    """The name of a leaf in a checkpoint, such as ``state.params.layers.mixer.out_proj.kernel``."""
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _write(curves: Record, seen: Record, begin: int) -> None:
    for whole, part in zip(jax.tree.leaves(curves), jax.tree.leaves(seen), strict=True):
        whole[:, begin : begin + part.shape[1]] = part


def _piece(records: int, segments: int) -> int:
    """The number of records of a stretch; it divides `records`, so all stretches share one program."""
    at_least("segments", segments, 1)
    return next(piece for piece in range(-(-records // segments), records + 1) if records % piece == 0)
