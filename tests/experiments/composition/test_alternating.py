"""The alternating flow against closed forms."""

import importlib.util
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks.composition import spectral_encoding
from experiments.composition.agf_dynamics.alternating import alternating_flow

_SPEC = importlib.util.spec_from_file_location("groups_by_hand", pathlib.Path(__file__).parents[2] / "groups_by_hand.py")
groups_by_hand = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(groups_by_hand)


def _parts(name, coefficients):
    table, irreps = groups_by_hand.CASES[name]()
    kept = [(matrices, c) for (_, matrices), c in zip(irreps, coefficients, strict=True)]
    return table, np.stack([spectral_encoding([m], [c])[table] for m, c in kept if c])


@pytest.mark.slow
def test_jumps_and_levels_of_the_triangle_group():
    """t = ((k+1)|G|)^((k+1)/2) / ((k+1) k! score), at k = 2; levels n ||x^||^2 / 2|G|."""
    table, parts = _parts("D3", [0, 1.0, 0.8])
    found = alternating_flow(jax.random.key(0), jnp.asarray(parts), jnp.asarray(table), length=2, width=16, climb=800)
    scores = np.array([1, 0.8**3 / 2**0.5])
    assert np.abs(found.learned() / (18**1.5 / (3 * 2 * scores)) - 1).max() < 1e-6
    assert np.abs(found.losses - np.array([1 + 4 * 0.64, 4 * 0.64, 0]) / 12).max() < 1e-10
    assert found.neurons.sum() == 16 and found.shares[-1] == pytest.approx(np.ones(2))


@pytest.mark.slow
def test_what_minimisation_leaves_is_bounded_by_its_gradient():
    """Whatever the gradient at which a minimiser happens to stop: a floor under all keys, and far below the levels."""
    table, parts = _parts("D3", [0, 1.0, 0.8])
    levels = np.array([1 + 4 * 0.64, 4 * 0.64, 0]) / 12
    for seed in range(3):
        key = jax.random.key(seed)
        found = alternating_flow(key, jnp.asarray(parts), jnp.asarray(table), length=2, width=40, climb=800)
        rounding = 100 * np.finfo(float).eps * levels[0]
        assert (np.abs(found.losses - levels)[1:] <= found.left + rounding).all(), seed
        assert (found.left > 0).all() and found.left.max() < 1e-6 and found.asleep == 0


def test_too_few_neurons_leave_something_unlearned():
    table, parts = _parts("D3", [0, 1.0, 0.8])
    found = alternating_flow(jax.random.key(0), jnp.asarray(parts), jnp.asarray(table), length=2, width=3, climb=800)
    assert found.losses[-1] > 1e-3 and (np.diff(found.losses) < 0).all()
