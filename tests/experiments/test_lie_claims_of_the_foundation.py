"""The first claims: special cases that must come out exactly."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.towers.lie import lie_tower
from depthjax.lie.exponential import excess_product, exponential_excess
from depthjax.lie.products import exponential_product, word_excess
from depthjax.scans.tables import prefix_products
from depthjax.tasks.rotation import breadth_first_matrices
from depthjax.tasks.words import all_words, sticky_words
from experiments.lie.tower_error_order.tower_error import tower_errors
from theory.groups import group


def word_product(words, matrices, scales):
    return jnp.eye(matrices.shape[-1])[None, None] + word_excess(words, matrices, scales)


def test_commuting_generators_leave_no_error():
    tower = lie_tower(2, 2, 5)
    words = sticky_words(jax.random.key(0), 2, 3, 16, 8)
    diagonal = jnp.stack([jnp.diag(jnp.array([1.0, -0.5, 0.25])), jnp.diag(jnp.array([0.3, 0.2, -0.1]))])
    states = tower.apply(jax.nn.one_hot(words, 2, dtype=float))
    scales = jnp.array([0.1, 0.01])
    missed = tower.evaluate(states, diagonal, scales) - word_product(words, diagonal, scales)
    assert np.abs(missed).max() < 1e-14


def test_nilpotent_generators_are_reproduced_exactly_by_enough_layers():
    strict = jnp.array(np.triu(np.random.default_rng(0).standard_normal((2, 4, 4)), 1))
    words = sticky_words(jax.random.key(1), 2, 3, 12, 12)
    tower = lie_tower(2, 2, 3)  # class 3: brackets of four strictly triangular 4x4 matrices vanish, and with them L''
    states = tower.apply(jax.nn.one_hot(words, 2, dtype=float))
    missed = tower.evaluate(states, strict, jnp.ones(1)) - word_product(words, strict, jnp.ones(1))
    assert np.abs(missed).max() < 1e-10


def test_errors_of_a_tower_are_those_of_its_factors():
    """Twin: the tower evaluated with one layer more, as it is, and with one fewer, against the product in turn."""
    words = sticky_words(jax.random.key(4), 2, 3, 8, 8)
    matrices = jax.random.normal(jax.random.key(5), (2, 3, 3)) / 4
    masses, weights = jnp.array([1.0, 0.25]), jnp.full(3, 1 / 8)
    increments = jax.nn.one_hot(words, 2, dtype=float) / 8
    towers = [lie_tower(2, layers, 6) for layers in (1, 2, 3)]
    states = towers[-1].apply(increments)
    found = tower_errors(towers[-1], states, words, weights, matrices, masses)
    product = word_product(words, matrices / 8, masses)
    for tower, error in zip(towers, (found.fewer, found.error, found.complete), strict=True):
        missed = tower.evaluate(tower.apply(increments), matrices, masses) - product
        assert np.abs(missed - error).max() < 1e-13
    assert np.abs(found.left_out + found.error - found.complete).max() < 1e-15


def test_products_in_pairs_agree_with_products_in_turn():
    words = all_words(2, 5)
    matrices = jax.random.normal(jax.random.key(2), (2, 3, 3))
    scales = jnp.array([1.0, 0.1, 1e-3])
    turn = exponential_product(jax.nn.one_hot(words, 2, dtype=float), matrices, scales)
    assert np.abs(word_product(words, matrices, scales) - turn).max() < 1e-12 * np.abs(turn).max()


def test_small_exponentials_keep_their_relative_precision():
    x = 1e-12 * jax.random.normal(jax.random.key(3), (5, 3, 3))
    assert np.allclose(exponential_excess(x), x + x @ x / 2, rtol=1e-14, atol=0)
    assert np.allclose(excess_product(x[0], x[1]), x[0] + x[1], rtol=1e-9, atol=0)
    back = word_excess(jnp.array([[0, 1]]), jnp.stack([x[0], -x[0]]), jnp.ones(1))
    assert np.abs(back).max() < 1e-27


def test_words_are_all_there_and_multiply_on_the_right():
    assert len(np.unique(np.asarray(all_words(3, 4)), axis=0)) == 81
    s3 = group("S3")
    word = np.array([[1, 2, 4, 3]])
    product = 0
    for t, letter in enumerate(word[0]):
        product = s3.table[product, letter]
        assert int(prefix_products(jnp.asarray(s3.table), jnp.asarray(word))[0, t]) == product


def test_breadth_first_matrices_refuse_what_does_not_generate():
    c4 = group("C4").table
    with pytest.raises(ValueError, match="reach 2 of 4"):
        breadth_first_matrices(c4, (int(c4[1, 1]),), np.ones((1, 1, 1)))
    with pytest.raises(ValueError, match="'right' or the 'left'"):
        breadth_first_matrices(c4, (1,), np.ones((1, 1, 1)), side="up")
