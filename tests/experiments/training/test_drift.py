"""Recurrences whose maps are wrong: sums over words written out, and the least number of readings by hand."""

import itertools
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.training.error_control.drift import drifted, horizons, permutation_matrices
from experiments.training.error_control.drift_law import drift_growth
from theory.groups import group


@pytest.mark.parametrize("start", [(-1, 0, 1), (1, 2, 5)])
def test_growth_is_the_mean_over_all_words_of_three_letters(start):
    """The naive twin: the mean over N is a trace, and the mean over words is a sum over all of them."""
    permutations = np.asarray(group("S3").permutations)
    blocks, v = permutation_matrices(permutations), np.array(start, float)
    total, project = 0.0, np.eye(3) - 1 / 3
    for word in itertools.product(range(6), repeat=3):
        products = [np.eye(3)]
        for letter in word:
            products.append(blocks[letter] @ products[-1])
        for i, j in itertools.product(range(3), repeat=2):
            if word[i] == word[j]:
                turned = np.trace(project @ products[i + 1].T @ products[j + 1])
                total += turned * (products[i] @ v) @ (products[j] @ v)
    assert float(drift_growth(permutations.tolist(), start, 3)) == pytest.approx(total / 6**3 / (2 * v @ v), rel=1e-12)


def test_starts_that_do_not_fit_are_refused():
    assert drift_growth([(0, 1), (1, 0)], (Fraction(1, 2), Fraction(-1, 2)), 4) == 10
    with pytest.raises(ValueError, match="one number for each point"):
        drift_growth([(0, 1)], (1, 2, 3), 4)


def test_one_step_and_the_first_misreading():
    blocks = jnp.asarray(permutation_matrices(np.array([[0, 1], [1, 0]])))
    start = jnp.array([-1.0, 1.0])
    found, ends = drifted(jax.random.key(0), blocks, start, jnp.ones((1, 4), int), jnp.asarray(1e-3))
    assert (np.asarray(ends) == [1.0, -1.0]).all()
    drawn = np.asarray(jax.random.normal(jax.random.key(0), (2, 4, 2, 2)))[1] @ np.array([-1.0, 1.0])
    np.testing.assert_allclose(found, ((drawn - drawn.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / 2, rtol=1e-8)
    read = horizons(jax.random.key(1), blocks[:1], blocks @ start, jnp.array([0.0, 5.0]), count=8, most=6)
    assert (read[0] == 6).all() and int(read[1].min()) < 6
