"""One harness for trained networks: a claim says how a network is drawn, trained and tested, and gets every row and seed of it.

A row is what runs differ in beside their seed: an automaton, a Cayley table, a penalty, a depth. Rows are data, so all of them
share one program. Depths are rows where the network takes its depth as an array (`depthjax.models.SequenceModel.apply`): the
parameters are those of the deepest network, and a shallower one leaves its last layers out.

Runs go one after another by a program of one run, or together (`depthjax.training.stretches`).
"""

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Int, Key

from depthjax import dtypes
from depthjax.compiler import lean_options
from depthjax.training.fit import fit
from depthjax.training.learner import Asked, Learner
from depthjax.training.stretches import Stretches, Together


class Trials(NamedTuple):
    """What was kept of every run, as numpy arrays with the leading axes (rows, seeds), or (seeds,) where there are no rows.

    Attributes:
        found: What the test returned.
        failed: First step of each run whose loss or gradient was not finite, -1 if there is none.

    >>> Trials((), np.array([-1, 7])).finite(np.array([2, 3])).tolist()
    [2.0, nan]
    """

    found: Any
    failed: Int[np.ndarray | Array, "*runs"]

    def finite(self, found: Any) -> Any:
        """Return a tree of numbers with NaN for every run that failed, whose network was not trained to the end."""

        def known(each: np.ndarray) -> np.ndarray:
            fine = np.asarray(self.failed).reshape(self.failed.shape + (1,) * (each.ndim - self.failed.ndim)) < 0
            return np.where(fine, each, np.nan).astype(each.dtype if dtypes.is_floating(each.dtype) else float)

        return jax.tree.map(known, found)


def where_trained(holds: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """Return 1 where it holds, 0 where it does not, and NaN where a number is: a run that failed is not measured.

    Args:
        holds: Truth values, one a run.
        numbers: What they were read from, with NaN for a run that failed, as `Trials.finite` returns it.

    >>> score = np.array([0.2, np.nan, 0.9])
    >>> where_trained(score > 0.5, score).tolist()
    [0.0, nan, 1.0]
    """
    return np.where(np.isnan(sum(numbers)), np.nan, holds)


def trials(
    trial: Callable[..., Learner],
    setup: Hashable,
    keys: Key[Array, "*rows seeds"],
    rows: tuple[Any, ...] = (),
    shared: tuple[Any, ...] = (),
    *,
    together: bool | Together | None = None,
) -> Trials:
    """Train and test a network for every row and seed.

    The key of a run is split into the four `streams` that draw its parameters, batches, validation batches and test, so a run
    does not depend on what else is run. Programs are kept by `trial`, `setup` and the shapes of arrays.

    Args:
        trial: (setup, streams of the run, *row, *shared) -> what is trained. It is traced: of arrays it may read shapes and
            types alone.
        setup: Sizes that shape the program, and whatever else is not an array.
        keys: A key for each row and seed; with one axis, all rows share the keys of their seeds.
        rows: Arrays, or trees of arrays, with one leading axis: the rows.
        shared: Arrays, or trees of arrays, that all runs read.
        together: Whether runs are trained side by side, or how. None: on an accelerator. A CPU then trains one run after
            another by a program of one run, which any number of rows and seeds shares: with its compilation this took 0.72 to
            0.85 of the processor time of twelve small networks side by side, without it 0.8 to 1.4 (`benchmarks/trials.py`).

    Cost: the training of ``len(rows) * seeds`` networks. Side by side and one after the other give the same numbers up to
    rounding.

    Raises:
        TypeError: A size is not an integer.
        ValueError: Rows have different lengths, or are not as many as the keys; two seeds have one key; there are too few
            devices.
        CheckpointError: A checkpoint cannot be read or written.

    >>> import jax.numpy as jnp
    >>> from depthjax.training import Recipe
    >>> def trial(setup, own, target):
    ...     loss = lambda params, batch: ((params - target) ** 2, {})
    ...     start = jax.random.normal(own.initial)
    ...     return Learner(start, loss, lambda key: (), Recipe(setup, 0.1, record_every=setup), lambda found: found.params)
    >>> done = trials(trial, 200, jax.random.split(jax.random.key(0), 2), (jnp.array([1.0, 2.0, 3.0]),))
    >>> done.found.round(1).tolist(), done.failed.shape
    ([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], (3, 2))
    """
    lengths = {len(leaf) for leaf in jax.tree.leaves(rows)}
    shape: tuple[int, ...] = keys.shape if keys.ndim == 2 or not rows else (*lengths, *keys.shape)
    if (rows and lengths != {shape[0]}) or (not rows and keys.ndim != 1) or len(shape) > 2 or 0 in shape:
        given = f"rows of lengths {sorted(lengths)}" if rows else "no rows"
        raise ValueError(
            f"{given} and keys of shape {keys.shape}: expected rows of one length, and keys of shape (rows, seeds) or (seeds,)"
        )
    backend = jax.default_backend()
    together = backend != "cpu" if together is None else together
    how = Together() if together is True else together
    # in numpy: an operation of JAX would be one more program for every number of rows and seeds
    drawn, rows = np.asarray(jax.random.key_data(keys)), jax.tree.map(np.asarray, rows)
    if any(len(np.unique(row, axis=0)) < len(row) for row in drawn.reshape(-1, *drawn.shape[-2:])):
        raise ValueError("two seeds have one key: expected a key for each, because runs of one key are one run counted twice")
    drawn = np.broadcast_to(drawn, (*shape, drawn.shape[-1])).reshape(-1, drawn.shape[-1])
    rows = jax.tree.map(lambda leaf: np.repeat(leaf, len(drawn) // len(leaf), axis=0), rows)
    asked = Asked(trial, setup, str(jax.random.key_impl(keys)))
    if how:
        done = Stretches(asked, drawn, rows, shared, shape, how).train()
    else:
        run = _program(backend)
        every = [run(asked, key, jax.tree.map(lambda leaf, n=n: leaf[n], rows), shared) for n, key in enumerate(drawn)]
        done = jax.tree.map(lambda *each: np.stack(each), *every)
    return Trials(*jax.tree.map(lambda each: np.asarray(each).reshape(*shape, *each.shape[1:]), done))


@cache
def _program(backend: str) -> Callable[..., tuple[Any, Array]]:
    """One run."""

    def one(asked: Asked, key: Array, row: tuple, shared: tuple) -> tuple[Any, Array]:
        own, learner = asked.of(key, row, shared)
        done = fit(own, learner.params, learner.loss, learner.sample, learner.recipe, learner.optimiser, learner.validate)
        return learner.test(done), done.failed

    return jax.jit(one, static_argnums=0, compiler_options=lean_options(backend))
