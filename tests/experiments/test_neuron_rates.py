"""The published optimisers of the composition benchmark, by hand on weights of ones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.models.polynomial import Recurrent, TwoLayer

rates = pytest.importorskip("benchmarks.neuron_rates", reason="no benchmarks beside the tests")


def moved(optimiser, weights):
    with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
        return optimiser.update(jax.tree.map(jnp.ones_like, weights), optimiser.init(weights), weights)[0]


def test_a_neuron_moves_at_its_own_rate():
    sizes = jnp.array([1.0, 2.0, 3.0])
    weights = TwoLayer(jnp.tile(sizes, (2, 4, 1)), jnp.tile(sizes, (4, 1)))
    step = moved(rates.per_neuron(0.5, degree=3, clip=None), weights)
    assert np.abs(np.asarray(step.out[0]) + 0.5 / (np.sqrt(12.0) * np.array([1, 2, 3]))).max() < 1e-12


def test_what_no_input_meets_counts_in_the_norms():
    weights = Recurrent(jnp.ones((4, 3)), jnp.ones((4, 3)), jnp.ones((3, 3)), jnp.ones((4, 3)))
    step = moved(rates.hybrid(2.0, 1e-3, clip=None, constant=jnp.array([0.0, 4.0, 24.0])), weights)
    assert np.abs(np.asarray(step.first[0]) + 2 / np.sqrt([12, 16, 36])).max() < 1e-12
    assert np.abs(step.mix + 1e-3).max() < 1e-9, "the mixing matrix moves by Adam"
    layer = TwoLayer(jnp.ones((2, 4, 3)), jnp.ones((4, 3)))
    step = moved(rates.per_neuron(1.0, 3, clip=None, constant=jnp.full(3, 4.0)), layer)
    assert np.abs(step.out + 1 / 4).max() < 1e-12


def test_weights_are_asked_for():
    weights = TwoLayer(jnp.ones((2, 4, 3)), jnp.ones((4, 3)))
    optimiser = rates.per_neuron(0.5, degree=3, clip=None)
    with pytest.raises(ValueError, match="norms of the neurons"):
        optimiser.update(weights, optimiser.init(weights))
