"""Residual streams with random weights, by hand and against each other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.width.residual_second_moment.growth import stream_growth
from experiments.width.residual_sensitivity.noise import noise_agreement, noise_distance


def test_streams_that_divide_by_their_growth_have_the_directions_of_those_with_a_norm():
    weights, linear = jnp.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), jnp.array([1.0, 1.0, 0.0])
    given, sizes = (jax.random.key(0), jnp.asarray(0.8), weights, linear), {"width": 6, "seeds": 4, "depth": 3}
    expected = np.asarray(noise_agreement(*given, **sizes))
    apart, before = map(np.asarray, noise_distance(*given, **sizes))
    assert np.abs(before[1:] - expected[:-1]).max() < 1e-12 and np.abs(before[0] - 1).max() < 1e-12
    # one layer of post-norm by hand: x = (1 + W) 1 / sqrt(2), and the same with the other weights
    drawn = np.asarray(jax.random.normal(jax.random.fold_in(jax.random.key(0), 0), (2, 4, 6, 6))) * 6**-0.5
    moved = (drawn[0] - (0.8 * drawn[0] + 0.6 * drawn[1])).sum(axis=-1) / 2**0.5
    np.testing.assert_allclose(apart[0, :, 0], (moved**2).sum(axis=-1) / 12, rtol=1e-10)


def test_streams_share_weights_when_tied(key):
    growth = stream_growth(key, jnp.array([0.5]), width=8, seeds=3, depth=2, tied=True)
    drawn = np.asarray(jax.random.normal(jax.random.fold_in(key, 0), (3, 8, 8))) / 8**0.5
    for matrix, last in zip(drawn, growth[1, :, 0], strict=True):
        assert np.linalg.norm(np.linalg.matrix_power(np.eye(8) + 0.5 * matrix, 2)[:, 0]) ** 2 == pytest.approx(float(last))
