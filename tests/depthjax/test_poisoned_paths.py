"""A path, a word or a run that is not finite leaves the others of its batch as they are: values and gradients, bit by bit."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from depthjax import log_signature
from depthjax.constructions.towers.lie import lie_tower
from depthjax.lie.brackets import never
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.logarithm import logarithm_from_excess
from depthjax.tasks.words import Batch
from depthjax.training.losses import cross_entropy, mean_square

BATCH, LENGTH, SIZE = 3, 8, 2
few = settings(max_examples=8)
rows = st.integers(0, BATCH - 1)
steps = st.integers(0, LENGTH - 1)
poisons = st.sampled_from([np.nan, np.inf, -np.inf, "largest"])
dtypes = st.sampled_from([jnp.float32, jnp.float64])


@partial(jax.jit, static_argnames=("order", "stream"))
def log_signature_gradient(x, order, stream):
    return jax.grad(lambda y: jnp.sin(log_signature(y, order, stream=stream)).sum())(x)


def paths(dtype, row, step, poison, shape=(BATCH, LENGTH, SIZE)):
    """Clean arrays, and the same with one number of one path spoiled."""
    clean = np.random.default_rng(0).normal(size=shape).astype(dtype) / 4
    spoiled = clean.copy()
    spoiled[row, step, 0] = np.finfo(dtype).max if poison == "largest" else poison
    return jnp.asarray(clean), jnp.asarray(spoiled), np.arange(BATCH) != row


@few
@given(rows, steps, poisons, dtypes, st.booleans())
@example(1, 0, np.nan, jnp.float64, False)
def test_log_signature(row, step, poison, dtype, stream):
    clean, spoiled, others = paths(dtype, row, step, poison)
    value = partial(jax.jit(log_signature, static_argnames=("order", "stream")), order=4, stream=stream)
    np.testing.assert_array_equal(value(spoiled)[others], value(clean)[others])
    gradient = partial(log_signature_gradient, order=4, stream=stream)
    got, want = gradient(spoiled), gradient(clean)
    np.testing.assert_array_equal(got[others], want[others])
    assert np.isnan(got[row]).all() and np.isfinite(want).all()


@few
@given(rows, steps, poisons, dtypes)
def test_log_signature_forwards(row, step, poison, dtype):
    clean, spoiled, others = paths(dtype, row, step, poison)

    @jax.jit
    def pushed(x):
        return jax.jvp(lambda y: log_signature(y, 4, forward=True), (x,), (jnp.ones_like(x),))

    for got, want in zip(pushed(spoiled), pushed(clean), strict=True):
        np.testing.assert_array_equal(got[others], want[others])


def test_all_paths_spoiled_and_an_empty_batch():
    assert np.isnan(jax.grad(lambda x: log_signature(x, 3).sum())(jnp.full((2, 4, 2), jnp.nan))).all()
    assert log_signature(jnp.zeros((2, 0, 4, 2)), 3).shape == (2, 0, 5)
    assert log_signature(jnp.zeros((0, 4, 2)), 3, stream=True).shape == (0, 4, 5)
    assert jax.grad(lambda x: log_signature(x, 3).sum())(jnp.zeros((0, 4, 2))).shape == (0, 4, 2)


@pytest.mark.parametrize("value", [0.0, 1e308, np.inf, np.nan])
def test_the_barrier_of_brackets_never_holds(value):
    assert not never(jnp.full((2, 3), value)) and not never(jnp.zeros((2, 0)))


@few
@given(rows, steps, poisons, dtypes)
def test_lie_tower(row, step, poison, dtype):
    clean, spoiled, others = paths(dtype, row, step, poison)
    tower = lie_tower(2, 2, 4)
    for got, want in zip(tower.apply(spoiled), tower.apply(clean), strict=True):
        np.testing.assert_array_equal(got[others], want[others])


@few
@given(rows, poisons, dtypes)
def test_exponential_and_logarithm(row, poison, dtype):
    clean, spoiled, others = paths(dtype, row, 1, poison, (BATCH, 3, 3))
    for run in (exponential_excess, logarithm_from_excess):
        pushed = jax.jit(lambda x, run=run: jax.jvp(run, (x,), (jnp.ones_like(x),)))
        for got, want in zip(pushed(spoiled), pushed(clean), strict=True):
            assert np.isfinite(want).all()
            np.testing.assert_array_equal(got[others], want[others])


def test_what_does_not_count_in_a_loss_may_be_infinite():
    labels, weights = jnp.array([[0, 1, -1]]), jnp.array([[1.0, 1.0, 0.0]], jnp.float32)
    logits = jnp.ones((1, 3, 2), jnp.float32)
    batch = Batch(labels, labels, weights)
    infinite = logits.at[0, 2].set(jnp.array([0, -jnp.inf], jnp.float32))
    assert cross_entropy(infinite, batch)[0] == cross_entropy(logits, batch)[0]
    real = Batch(labels, jnp.zeros((1, 3, 2)), weights)
    assert mean_square(logits.at[0, 2].set(jnp.inf), real)[0] == mean_square(logits, real)[0]
    assert jnp.isnan(cross_entropy(logits, batch._replace(weights=jnp.ones((1, 3), jnp.float32)))[0])
