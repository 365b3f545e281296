"""Hidden Markov predictors, Dyck attention, noise contrast and residual streams against naive twins."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.directions.dyck import DyckAttention, wrong_prefixes
from depthjax.instruments import contrast
from depthjax.instruments import hidden_markov as markov
from depthjax.tasks.dyck import dyck_stacks, dyck_words
from theory.identify.contrast import condition_number


def random_model(seed, symbols=3, states=2):
    draw = np.random.default_rng(seed)
    emission = draw.dirichlet(np.ones(symbols), size=states).T
    stay = draw.uniform(0.6, 0.9)
    return emission, np.full((states, states), (1 - stay) / states) + stay * np.eye(states)


@pytest.mark.parametrize("name", markov.TRIPLETS)
def test_every_triplet_predictor_gives_the_model_back(name):
    emission = np.array([[0.6, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.5], [0.1, 0.1, 0.3]])
    transition = np.array([[0.7, 0.2, 0.1], [0.1, 0.7, 0.2], [0.2, 0.1, 0.7]])  # not symmetric: T and T^t differ
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), name)[name])
    found = markov.recover(law, name, jnp.array([[1.0, 0.3, -0.7, 0.2], [0.4, 1.0, 0.6, 0.9]]), 3)
    order = np.argmin(((np.asarray(found.emission)[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
    np.testing.assert_allclose(np.asarray(found.emission)[:, order], emission, atol=1e-9)
    np.testing.assert_allclose(np.asarray(found.transition)[np.ix_(order, order)], transition, atol=1e-9)


def test_slopes_are_finite_differences():
    emission, transition = random_model(0)
    slopes = markov.slopes(emission, transition)
    assert slopes["2|1"].shape == (9, 5) and slopes["23|1"].shape == (27, 5)
    outer = np.linalg.qr(np.concatenate([np.ones((3, 1)), np.eye(3)[:, 1:]], axis=1))[0][:, 1]
    laws = []
    for step in (1e-5, -1e-5):
        moved = emission.copy()
        moved[:, 0] += step * outer
        laws.append(markov.predictors(markov.joint_law(moved, transition), "3|1")["3|1"].ravel())
    assert np.allclose(slopes["3|1"][:, 0], (laws[0] - laws[1]) / 2e-5, atol=1e-9)
    with pytest.raises(ValueError, match=r"no predictor '4\|1'"):
        markov.predictors(markov.joint_law(emission, transition), "4|1")


def test_flat_directions_are_counted():
    matrix = np.array([[1.0, 0.0, 0.0], [0.0, 1e-3, 0.0]])
    flat, least = markov.flat_directions(matrix)
    assert flat == 1 and least == pytest.approx(1e-3)


def test_jennrich_recovers_with_spare_symbols(key):
    emission, transition = random_model(1, symbols=4)
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), "23|1")["23|1"])
    found = jax.jit(markov.jennrich, static_argnums=2)(law, jax.random.normal(key, (2, 4)), 2)
    order = np.argmin(((np.asarray(found.emission)[:, :, None] - emission[:, None]) ** 2).sum(axis=0), axis=0)
    assert np.allclose(np.asarray(found.emission)[:, order], emission, atol=1e-11)
    assert np.allclose(np.asarray(found.transition)[np.ix_(order, order)], transition, atol=1e-11)
    with pytest.raises(ValueError, match="symbols must be at least 5"):
        markov.jennrich(law, jnp.ones((2, 4)), 5)


def test_sampled_laws_are_laws(key):
    joint = markov.joint_law(*random_model(2))
    frequencies = markov.sampled_frequencies(key, joint, 10_000, 4)
    assert np.allclose(frequencies.sum(axis=(1, 2, 3)), 1)
    laws = markov.laws_of(frequencies)
    assert laws.shape == (4, 3, 3, 3) and np.allclose(laws.sum(axis=(1, 2)), 1)
    assert np.abs(laws.mean(axis=0) - markov.predictors(joint, "23|1")["23|1"]).max() < 0.05
    assert np.allclose(markov.laws_of(joint), markov.predictors(joint, "23|1")["23|1"], atol=1e-15)


def test_uniform_attention_reads_stacks(key):
    model = DyckAttention(jnp.zeros((12, 12)), jnp.ones(6), jnp.asarray(0.5), types=2)
    words = dyck_words(key, 2, 3, 8, 20)
    stacks = dyck_stacks(words, 2, 3)
    assert [int(count) for count in wrong_prefixes(model, words, stacks, 3)] == [0, 0]
    symbols = jax.jit(DyckAttention.symbols)(model, words)
    last = jax.jit(DyckAttention.stacks_for)(model, symbols[0], symbols[0, -1])
    assert (last[-1] == jax.jit(DyckAttention.stacks)(model, symbols)[0, -1]).all()
    lopsided = DyckAttention(jnp.zeros((12, 12)), 0.4 * jnp.ones(6), jnp.asarray(0.5), types=2)
    assert int(wrong_prefixes(lopsided, words, stacks, 3)[1]) > 0
    with pytest.raises(ValueError, match="two for each pair"):
        DyckAttention(jnp.zeros((4, 4)), jnp.ones(6), jnp.asarray(0.5), types=2)


def test_exponential_loss_is_its_closed_form():
    radius, grid = jnp.asarray(3.0), jnp.linspace(-12, 12, 256)
    for s, b in ((0.0, 0.0), (0.3, -0.2), (-3.0, -4.5)):
        found = contrast.scaled_loss(jnp.array([s, b]), radius, grid, "ence")
        assert float(found) == pytest.approx(np.exp(s**2 / 8) * np.cosh(b / 2 - 3 * s / 4), rel=1e-12)


@pytest.mark.parametrize("radius", [2.0, 90.0, 131.0, 600.0])
def test_the_curvature_far_away_is_finite_and_exact(radius):
    """From R = 131 on a factor of the integrand leaves the range of float64 where the integrand is nothing."""
    hessian = contrast.curvature(jnp.zeros(2), jnp.asarray(radius), "nce")[1]
    assert float(contrast.condition_number(hessian)[0]) == pytest.approx(float(condition_number(radius, "nce")), rel=1e-5)


@pytest.mark.parametrize("loss", contrast.LOSSES)
def test_the_gradient_at_the_noise_points_along_theta(loss):
    grid, at_noise = jnp.linspace(-12, 12, 256), -jnp.array([3.0, 4.5])
    slope = jax.jit(jax.grad(contrast.scaled_loss), static_argnums=3)(at_noise, jnp.asarray(3.0), grid, loss)
    assert np.allclose(np.exp(-9 / 8) * np.asarray(slope), [-0.75, 0.0], atol=1e-12)


def test_descent_counts_and_gives_up():
    numbers = [jnp.asarray(value) for value in (2.0, 1.0)]
    marks, reach = jnp.array([0.5, 1e-3]), jnp.asarray(0.5)
    done = contrast.descend(*numbers, marks, reach, jnp.asarray(1e4), loss="ence")
    assert done.steps[0] < done.steps[1] < 1e4 and done.distances[1] < 1e-3
    cut = contrast.descend(*numbers, marks, reach, jnp.asarray(2.0), loss="ence")
    assert bool(jnp.isinf(cut.steps[1]))
    unit = contrast.descend(numbers[0], reach, marks, reach, jnp.asarray(1e4), loss="ence", normalised=True)
    assert 1 <= float(unit.level_steps) <= (4 + 4) / 0.25
