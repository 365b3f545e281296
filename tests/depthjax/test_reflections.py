"""A5 by one DeltaProduct layer with two Householder steps, exactly; one step cannot."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.constructions.reflections import reflection_tracker, reflections
from depthjax.tasks.words import prefix_products, uniform_words
from theory.groups import group, rotation


@pytest.fixture(scope="module")
def icosahedral():
    turns, matrices = rotation.icosahedral()
    return np.asarray(turns.table), matrices.numpy()


@settings(max_examples=15)
@given(st.integers(1, 5), st.integers(0, 2**16))
def test_any_orthogonal_matrix_is_a_product_of_reflections(size, seed):
    matrix = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    moved = int(np.linalg.matrix_rank(matrix - np.eye(size), tol=1e-9))
    product = np.eye(size)
    for key in reflections(matrix, moved + 2):
        product = product - 2 * np.outer(key, key @ product)
    np.testing.assert_allclose(product, matrix, atol=1e-12)


@pytest.mark.parametrize("method", ["sequential", "chunked"])
def test_two_steps_follow_a5_over_ten_thousand_letters(icosahedral, method, key):
    table, matrices = icosahedral
    tracker = reflection_tracker(matrices, 2)
    words = uniform_words(key, 60, 2, 12_799)  # with the first token 800 chunks of 16
    labels = prefix_products(jnp.asarray(table), words)
    states = jax.jit(lambda words: tracker.states(words, method=method))(words)
    assert (tracker.decode(states) == labels).all()
    # each token rounds a few times below one unit: the error grows at most linearly in the length
    assert jnp.abs(states - tracker.codes[labels]).max() < 12_800 * 8 * np.finfo(float).eps


def test_one_step_cannot_follow_a_rotation(icosahedral):
    with pytest.raises(ValueError, match=r"dimension 2, so it takes 2 reflections, not 1"):
        reflections(icosahedral[1][1], 1)
    with pytest.raises(ValueError, match=r"determinant -1 and the matrix 1"):
        reflection_tracker(icosahedral[1], 1)


def test_what_is_not_a_representation_by_rotations_that_tell_apart(icosahedral):
    with pytest.raises(ValueError, match="not orthogonal"):
        reflection_tracker(2 * icosahedral[1], 2)
    with pytest.raises(ValueError, match="same first 2 rows"):
        reflection_tracker(np.stack([np.eye(3)] * 2), 2)
    with pytest.raises(ValueError, match="4 steps a token in dimension 3"):
        reflection_tracker(icosahedral[1], 4)


def test_s4_as_rotations_of_the_cube(key):
    s4 = group("S4")
    cube = next(i for i in s4.irreps() if i.dimension == 3 and np.allclose(np.linalg.det(i.matrices), 1))
    matrices = cube.real_matrices
    words = uniform_words(key, 24, 2, 64)
    tracker = reflection_tracker(matrices, 2)
    assert (tracker.decode(tracker.states(words)) == prefix_products(jnp.asarray(s4.table), words)).all()
