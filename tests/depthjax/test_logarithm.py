"""log(1 + E): inverse of the exponential at every size and angle, its derivative, and NaN where there is no principal one."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.lie import exponential, logarithm

exponential_excess = jax.jit(exponential.exponential_excess)
logarithm_from_excess = jax.jit(logarithm.logarithm_from_excess)
TURN = np.array([[0.0, -1], [1, 0]])


def excess_of(angle):
    return np.sin(angle) * TURN - 2 * np.sin(angle / 2) ** 2 * np.eye(2)


@pytest.mark.parametrize("angle", [1e-12, 1e-6, 1e-3, 1.0, 2.0, 2.8, 3.0, np.pi - 1e-3, np.pi - 1e-6])
def test_a_rotation_has_its_angle(angle):
    found = np.asarray(logarithm_from_excess(jnp.asarray(excess_of(angle))))
    # the condition of the angle is 1 / (pi - angle)
    assert np.abs(found - angle * TURN).max() <= 100 * np.finfo(float).eps * min(angle, 1) * max(1, 1 / (np.pi - angle))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.floats(-10, 0.3), st.integers(0, 2**20))
def test_it_inverts_the_exponential_to_relative_precision(size, exponent, seed):
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    matrix *= 10**exponent / np.linalg.norm(matrix, 2)  # below pi, so it is the principal one
    found = logarithm_from_excess(exponential_excess(jnp.asarray(matrix)))
    condition = np.exp(2 * np.linalg.norm(matrix, 2))
    assert np.linalg.norm(found - matrix) <= 100 * np.finfo(float).eps * condition * np.linalg.norm(matrix)


def test_other_matrices_agree_with_schur_and_pade():
    draw = np.random.default_rng(0)
    for size in (2, 3, 5):
        matrix = draw.normal(size=(size, size))
        matrix = matrix @ matrix.T + np.eye(size)
        wanted = scipy.linalg.logm(matrix)
        np.testing.assert_allclose(logarithm_from_excess(jnp.asarray(matrix - np.eye(size))), wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("eigenvalues", [(-1.0, 2.0), (0.0, 2.0), (-0.5, -0.25)])
def test_without_a_principal_logarithm_it_is_not_a_number(eigenvalues):
    basis = np.array([[1.0, 2], [0, 1]])
    excess = basis @ np.diag(eigenvalues) @ np.linalg.inv(basis) - np.eye(2)
    both = logarithm_from_excess(jnp.stack([jnp.asarray(excess), jnp.asarray(excess_of(1.0))]))
    assert np.isnan(both[0]).any() and np.abs(both[1] - TURN).max() < 1e-14


@jax.jit
def derivative(excess, moved):
    return jax.jvp(logarithm_from_excess, (excess,), (moved,))[1]


def test_the_derivative_is_that_of_differences(key):
    for scale in (0.1, 1.0, 3.0):
        excess = exponential_excess(scale * jax.random.normal(key, (3, 3)) / 3)
        moved = jax.random.normal(jax.random.key(1), (3, 3))
        slope = derivative(excess, moved)
        step = 1e-6
        wanted = (logarithm_from_excess(excess + step * moved) - logarithm_from_excess(excess - step * moved)) / (2 * step)
        np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
        far = derivative(excess, 1e9 * moved)
        np.testing.assert_allclose(far, 1e9 * slope, rtol=1e-11)


@pytest.mark.parametrize("number", [-1.0, -2.0, -0.5, -1e-3, -1e6, -3.0, 0.0])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_numbers_that_are_not_positive_have_no_logarithm(number, dtype):
    excess = jnp.asarray([[[number - 1]], [[1.0]]]).astype(dtype)
    found = logarithm_from_excess(jnp.where(jnp.isfinite(excess), excess, -2))
    assert found.dtype == jnp.dtype(dtype) and jnp.isnan(found[0, 0, 0])
    assert abs(float(found[1, 0, 0]) - math.log(2)) <= float(jnp.finfo(dtype).eps)


def test_narrow_types_have_the_logarithm_of_their_numbers():
    for dtype in ("bfloat16", "float16"):
        excess = jnp.asarray([[0.25, 0.5], [-0.5, 0.125]]).astype(dtype)
        wide = logarithm_from_excess(excess.astype(jnp.float64))
        assert (logarithm_from_excess(excess) == wide.astype(dtype)).all()
