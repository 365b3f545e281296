"""Towers on fixed-point matrices, beside float64 and the tower in the free Lie algebra."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.towers.lie import lie_tower
from experiments.lie.error_by_depth.tower_digits import tower_errors_in_digits

ROTATIONS = np.array([[[0, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]]], float)
WORD = [0, 1, 1, 0, 1, 0]


def test_one_layer_agrees_with_float64():
    found = tower_errors_in_digits(WORD, ROTATIONS, 1, 0.5, 200)
    product = np.identity(3)
    for letter in WORD:
        product = product @ np.asarray(jax.scipy.linalg.expm(jnp.asarray(ROTATIONS[letter] / 12)))
    sums = np.asarray(jax.scipy.linalg.expm(jnp.asarray(sum(ROTATIONS[letter] / 12 for letter in WORD))))
    expected = [np.linalg.norm(product - other, 2) for other in (np.identity(3), sums)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_two_layers_agree_with_the_free_lie_algebra():
    tower = lie_tower(2, 2, 8)
    states = tower.apply(jax.nn.one_hot(jnp.asarray([WORD]), 2, dtype=float) / 12)
    matrix = np.asarray(tower.evaluate(states, jnp.asarray(ROTATIONS), jnp.ones(1)))[0, 0]
    product = np.identity(3)
    for letter in WORD:
        product = product @ np.asarray(jax.scipy.linalg.expm(jnp.asarray(ROTATIONS[letter] / 12)))
    error = tower_errors_in_digits(WORD, ROTATIONS, 2, 0.5, 200)[2]
    assert np.linalg.norm(product - matrix, 2) == pytest.approx(error, abs=1e-10)


def test_letters_that_commute_leave_rounding_alone():
    diagonal = np.stack([np.diag([1.0, -1, 0]), np.diag([0.0, 2, 1])])
    assert tower_errors_in_digits(WORD, diagonal, 3, 0.25, 300)[1:].max() < 2.0**-280


@pytest.mark.parametrize(
    "arguments", [([], ROTATIONS, 1, 0.5, 200), (WORD, ROTATIONS, 0, 0.5, 200), (WORD, ROTATIONS, 1, 0.0, 200)]
)
def test_bad_input_is_refused(arguments):
    with pytest.raises(ValueError, match=r"at least|layers"):
        tower_errors_in_digits(*arguments)
