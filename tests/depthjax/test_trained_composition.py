"""Networks trained to compose letters: their floor, their first weights, and what a commutative group shows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.trained_composition import (
    FORWARD,
    answer,
    floor_of_products,
    initial_weights,
    scaled_codes,
    trained_composers,
)
from depthjax.tasks.words import all_words
from depthjax.training import Recipe
from theory.composition import flattening_squares, least_loss
from theory.groups import group

RECIPE = Recipe(200, 2e-2, warmup=10, clip=1.0, record_every=50)


@pytest.mark.parametrize(("name", "length"), [("S3", 2), ("S3", 3), ("Q8", 3), ("C5", 4)])
def test_the_floor_is_the_tail_of_the_formula(name, length):
    parts = [(irrep.dimension, [1] * irrep.dimension) for irrep in group(name).irreps[1:]]
    squares = flattening_squares(parts, group(name).order, length)
    for units in (0, 1, 4, 9, 40):
        wanted = float(least_loss(squares, units) / least_loss(squares, 0))
        assert floor_of_products(group(name).table, length, units) == pytest.approx(wanted, abs=1e-12)


def test_codes_have_mean_zero_and_mean_square_one():
    letters = np.asarray(scaled_codes(group("S3").table))
    np.testing.assert_allclose(letters.mean(axis=1), 0, atol=1e-12)
    assert np.square(letters).mean() == pytest.approx(1)


@pytest.mark.parametrize("network", FORWARD)
def test_values_stay_of_one_size_at_the_start(key, network):
    letters, words = scaled_codes(group("S3").table), jnp.asarray(all_words(6, 4))
    weights = [initial_weights(k, network, 6, 4, 64) for k in jax.random.split(key, 8)]
    sizes = [float(np.sqrt(np.square(answer(network, w, letters, words)).mean())) for w in weights]
    # the fourth power of a normal number has the root mean square 10
    assert 0.3 < np.median(sizes) < 30


@pytest.mark.parametrize("network", FORWARD)
def test_in_a_commutative_group_the_order_of_letters_plays_no_part(key, network):
    found = trained_composers(key, group("C2").table, network, 4, 12, RECIPE, 16, 3)
    np.testing.assert_allclose(found.shuffled, found.last, rtol=1e-5)
    assert np.median(found.last) < np.median(found.early)


def test_a_run_that_leaves_the_floats_is_not_a_number(key):
    found = trained_composers(key, group("C2").table, "recurrent", 4, 8, Recipe(50, 1e6, clip=None, record_every=10), 8, 2)
    assert np.isnan(found.last).all()
