"""e^X - 1 against many digits, its group law, and that it asks nothing of LAPACK."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depthjax.lie.exponential import excess_product, exponential_excess


def in_many_digits(matrix: np.ndarray) -> np.ndarray:
    with mpmath.workdps(80):
        difference = mpmath.expm(mpmath.matrix(matrix.tolist())) - mpmath.eye(len(matrix))
        return np.array(difference.tolist(), dtype=float)


@given(st.integers(1, 5), st.integers(-40, 5), st.integers(0, 2**31))
def test_relative_precision_at_every_size(size, exponent, seed):
    matrix = np.random.default_rng(seed).standard_normal((size, size)) * 2.0**exponent / size
    exact = in_many_digits(matrix)
    # every squaring doubles the relative rounding at worst
    allowed = 8 * np.finfo(float).eps * size * max(1.0, np.linalg.norm(matrix, 1))
    scale = np.linalg.norm(exact) if exponent < 0 else np.exp(np.linalg.norm(matrix, 2))
    assert np.linalg.norm(exponential_excess(jnp.asarray(matrix)) - exact) <= allowed * scale


def test_a_batch_is_its_members(key):
    sizes = jnp.asarray([1e-9, 1e-3, 0.7, 3.0, 40.0])[:, None, None]
    batch = sizes * jax.random.normal(key, (5, 3, 3))
    together, alone = exponential_excess(batch), jnp.stack([exponential_excess(x) for x in batch])
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_exponents_of_one_matrix_add(key):
    x = jax.random.normal(key, (4, 4))
    both = excess_product(exponential_excess(0.3 * x), exponential_excess(1.1 * x))
    np.testing.assert_allclose(both, exponential_excess(1.4 * x), rtol=1e-13, atol=1e-13)


def test_forward_derivative():
    turn = jnp.asarray([[0.0, 1.0], [-1.0, 0.0]])
    slope = jax.jacfwd(lambda t: exponential_excess(t * turn))(2.0)
    np.testing.assert_allclose(slope, [[-np.sin(2), np.cos(2)], [-np.cos(2), -np.sin(2)]], rtol=1e-14)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_stays_visible(value):
    assert not np.isfinite(exponential_excess(jnp.full((2, 2), value))).any()


def test_matrix_products_only():
    text = jax.jit(exponential_excess).lower(jnp.ones((6, 4, 4))).compile().as_text()
    assert "lapack" not in text
