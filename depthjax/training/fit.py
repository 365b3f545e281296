"""One training run as one `lax.scan`: pure, so that `jit`, `vmap` and sharding apply to it from outside.

Randomness: `streams` splits the key of a run into independent keys for initialisation, training, validation and testing. Batch
s is drawn with the training key folded with s, so a run that is cut into segments, or killed and resumed, sees the same
batches. A run that has ended, because its metric was reached or a loss was not finite, stays as it is while the others of a
`vmap` go on.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from depthjax.training.recipe import Recipe

Optimiser = optax.GradientTransformation | None  # None for the recipe's own

Batch = Any
Loss = Callable[[Any, Batch], tuple[Array, dict[str, Array]]]
Sample = Callable[[Array], Batch]


class Streams(NamedTuple):
    """The independent keys of one run.

    >>> Streams._fields
    ('initial', 'training', 'validation', 'test')
    """

    initial: Key[Array, ""]
    training: Key[Array, ""]
    validation: Key[Array, ""]
    test: Key[Array, ""]


class Fit(NamedTuple):
    """A finished run, or many of them along leading axes.

    Attributes:
        params: Parameters at the end of the run; the last finite ones if a loss was not finite.
        losses: Mean training loss since the previous record, shape (records,). After its end a run repeats its last record.
        metrics: Metrics on a validation batch at every record, each of shape (records, ...).
        steps: Number of steps taken.
        failed: First step whose loss or gradient was not finite, -1 if there is none.

    >>> Fit._fields
    ('params', 'losses', 'metrics', 'steps', 'failed')
    """

    params: PyTree
    losses: Float[Array, "*runs records"]
    metrics: dict[str, Array]
    steps: Int[Array, "*runs"]
    failed: Int[Array, "*runs"]

    @property
    def finite(self) -> Bool[Array, "*runs"]:
        """Whether every loss and gradient was finite."""
        return self.failed < 0


class TrainState(NamedTuple):
    """The state of a run: everything that the next step depends on."""

    params: PyTree
    optimiser: PyTree
    key: Key[Array, ""]
    step: Int[Array, ""]
    failed: Int[Array, ""]
    ended: Bool[Array, ""]
    last: "Record"


class Record(NamedTuple):
    """The record of a stretch of steps: mean training loss and validation metrics."""

    loss: Float[Array, ""]
    metrics: dict[str, Array]


def streams(key: Key[Array, ""]) -> Streams:
    """Return the four keys of a run.

    >>> streams(jax.random.key(0)).test.shape
    ()
    """
    return Streams(*(jax.random.fold_in(key, purpose) for purpose in range(len(Streams._fields))))


def fit(
    key: Key[Array, ""],
    params: PyTree,
    loss: Loss,
    sample: Sample,
    recipe: Recipe,
    optimiser: Optimiser = None,
    validate: Sample | None = None,
) -> Fit:
    """Train parameters by the recipe on fresh batches.

    The function is pure and not compiled: wrap it in `jax.jit`, and in `jax.vmap` over keys, parameters or values that `loss`
    closes over. Cost: steps * (one gradient of `loss` + one AdamW update) + records * one value of `loss`.

    Args:
        key: Key of the run; `streams` derives the keys of batches and validation draws from it.
        params: Any tree of real arrays.
        loss: (params, batch) -> (mean loss, metrics), with the metrics a dict of arrays.
        sample: key -> batch.
        recipe: Training recipe.
        optimiser: Any optax transformation; it then decides rates, decay and clipping. None takes the recipe's.
        validate: key -> validation batch. None takes `sample`, with a key of its own.

    Raises:
        ValueError: The recipe stops at a metric that `loss` does not return.

    >>> loss = lambda params, batch: ((params - batch) ** 2, {})
    >>> recipe = Recipe(steps=2, record_every=1, stop_metric="accuracy")
    >>> fit(jax.random.key(0), jnp.ones(()), loss, jax.random.normal, recipe)
    Traceback (most recent call last):
    ValueError: the recipe stops at 'accuracy', but the loss returns no metrics
    """
    begin = start(key, params, loss, sample, recipe, optimiser)
    course, records = advance(begin, loss, sample, recipe, recipe.records, optimiser, validate)
    return Fit(course.params, records.loss, records.metrics, course.step, course.failed)


def start(
    key: Key[Array, ""], params: PyTree, loss: Loss, sample: Sample, recipe: Recipe, optimiser: Optimiser = None
) -> TrainState:
    """Return the state before the first step. Raises as `fit`."""
    value, metrics = jax.eval_shape(lambda k: loss(params, sample(k)), key)
    if recipe.stop_metric and recipe.stop_metric not in metrics:
        raise ValueError(f"the recipe stops at {recipe.stop_metric!r}, but the loss returns {sorted(metrics) or 'no metrics'}")
    nothing = jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), Record(value, metrics))
    zero = jnp.zeros((), jnp.int32)
    moments = (optimiser or recipe.optimiser()).init(params)
    return TrainState(params, moments, key, zero, zero - 1, jnp.zeros((), bool), nothing)


def advance(
    course: TrainState,
    loss: Loss,
    sample: Sample,
    recipe: Recipe,
    records: int,
    optimiser: Optimiser = None,
    validate: Sample | None = None,
) -> tuple[TrainState, Record]:
    """Return the state after `records` records, and these records along a leading axis."""
    optimiser, validate = optimiser or recipe.optimiser(), validate or sample
    keys = streams(course.key)
    gradient = jax.value_and_grad(loss, has_aux=True)

    def step(course: TrainState, _: Any) -> tuple[TrainState, Array]:
        (value, _), slope = gradient(course.params, sample(jax.random.fold_in(keys.training, course.step)))
        fine = jnp.isfinite(value) & jnp.isfinite(optax.tree.norm(slope))
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
            updates, moments = optimiser.update(slope, course.optimiser, course.params)
        moves = ~course.ended & fine
        new = course._replace(params=optax.apply_updates(course.params, updates), optimiser=moments, step=course.step + 1)
        kept = jax.tree.map(lambda a, b: jnp.where(moves, a, b), new._replace(key=None), course._replace(key=None))
        failed = jnp.where(~course.ended & ~fine, course.step, course.failed)
        return kept._replace(key=course.key, failed=failed, ended=course.ended | ~fine), value

    def record(course: TrainState, _: Any) -> tuple[TrainState, Record]:
        before = course.ended
        course, values = jax.lax.scan(step, course, None, length=recipe.record_every)
        _, metrics = loss(course.params, validate(jax.random.fold_in(keys.validation, course.step)))
        fresh = Record(jnp.mean(values), metrics)
        seen = jax.tree.map(lambda new, old: jnp.where(before, old, new), fresh, course.last)
        ended = course.ended
        if recipe.stop_metric:
            ended = ended | (seen.metrics[recipe.stop_metric] >= recipe.stop_at)
        return course._replace(last=seen, ended=ended), seen

    return jax.lax.scan(record, course, None, length=records)
