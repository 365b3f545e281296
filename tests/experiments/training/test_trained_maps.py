"""Errors of recurrences with one map for each letter, and sums over letters: by hand, by loops, and by what order they see."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.training.drift_of_trained_networks.trained_maps import (
    SMALL,
    advance,
    courses,
    horizons,
    logits,
    right_prefixes,
)
from experiments.training.tower_floor_trained.summing_layers import answers, initial, variance_within

SIGNS = np.array([[0, 1], [1, 0]])  # two letters, of which one changes the sign


def sign_network(growth):
    """Two recurrences for the group of two elements in one coordinate: the second letter multiplies by -growth."""
    params = {
        "maps": np.array([[[1.0]], [[-growth]]]),
        "shifts": np.zeros((2, 1)),
        "start": np.ones(1),
        "readout": np.array([[1.0, -1.0]]),
        "bias": np.zeros(2),
    }
    return jax.tree.map(lambda part: jnp.asarray(np.stack([part, part])), params)


def random_network(key, order=3, width=4):
    shapes = {"maps": (order, width, width), "shifts": (order, width), "start": (width,)}
    shapes |= {"readout": (width, order), "bias": (order,)}
    drawn = {name: jax.random.normal(jax.random.fold_in(key, i), (2, *s)) for i, (name, s) in enumerate(shapes.items())}
    return drawn | {"maps": 0.5 * drawn["maps"]}


KINDS = np.array([True, False])


def test_one_letter_is_an_affine_map_or_its_tanh(key):
    params = jax.tree.map(lambda part: part[0], random_network(key))
    state, letters = jax.random.normal(jax.random.fold_in(key, 9), (5, 4)), jnp.array([0, 1, 2, 1, 0])
    by_hand = np.stack(
        [np.asarray(params["maps"][x] @ h + params["shifts"][x]) for x, h in zip(letters.tolist(), state, strict=True)]
    )
    np.testing.assert_allclose(advance(params, jnp.array(True), state, letters), by_hand, atol=1e-12)
    np.testing.assert_allclose(advance(params, jnp.array(False), state, letters), np.tanh(by_hand), atol=1e-12)
    np.testing.assert_allclose(logits(params, state[0]), state[0] @ params["readout"] + params["bias"], atol=1e-12)


def test_prefixes_are_those_of_a_loop():
    """The second network is tanh(2 h) at both letters, so that its state never changes sign."""
    words = np.array([[0, 0, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]])
    broken = sign_network(1.0) | {"maps": jnp.asarray(np.array([[[[1.0]], [[-1.0]]], [[[2.0]], [[2.0]]]]))}
    np.testing.assert_array_equal(right_prefixes(broken, KINDS, SIGNS, words), [[4, 4, 4], [2, 0, 4]])
    asked = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(right_prefixes(broken, KINDS, SIGNS, words, asked), [[3, 0, 4], [2, 2, 4]])


def test_an_exact_network_reads_its_return_word_for_ever_and_a_shift_is_foreseen(key):
    exact = horizons(key, sign_network(1.0), KINDS, SIGNS, 9)
    assert exact.read.tolist() == exact.jacobian.tolist() == [9, 9] and exact.added[0] == 9
    # a reading multiplies by 16 and adds 0.1 (1 - 2 + 4 - 8) = -0.5: from 1.1 it stays above 1/30, from -1.9 below
    moved = sign_network(2.0) | {"shifts": jnp.full((2, 2, 1), 0.1)}
    both = horizons(key, moved, np.array([True, True]), SIGNS, 20)
    assert both.read.tolist() == both.jacobian.tolist() == [20, 20]
    # from 0.02, the state of the first letter, it does not
    found = horizons(key, moved | {"start": jnp.full((2, 1), -0.08)}, np.array([True, True]), SIGNS, 20)
    assert found.read.tolist() == found.jacobian.tolist() == [0, 0]


def test_courses_of_an_affine_network_keep_shares_and_its_noise_has_the_jacobians_trace(key):
    kick, times, draws = 0.125, (1, 3, 6), 400
    found = courses(key, random_network(key), KINDS, kick, times, draws)
    np.testing.assert_allclose(found.share[0], kick, rtol=1e-6)
    assert (abs(found.share[1] - kick) > 1e-3).any()
    roots = np.sqrt(found.kicked[0])
    np.testing.assert_allclose(roots, np.round(roots), atol=1e-5)  # a number of steps of a walk
    steps = np.round(roots).astype(int)
    assert (steps % 2 == np.array(times)[:, None] % 2).all() and steps.max() <= times[-1]
    assert (abs(found.noise.mean(axis=-1) - 1) < 0.4).all()
    # after one letter nothing was carried along, so both units are those of the noise itself
    np.testing.assert_allclose(found.noise[:, 0], found.added[:, 0], rtol=1e-9)
    assert SMALL < kick


@pytest.mark.parametrize(("rate", "cascade", "blind"), [(1.0, 0.0, True), (0.7, 0.0, False), (1.0, 1.0, False)])
def test_which_sums_are_blind_to_order(rate, cascade, blind, key):
    params = initial(key, 3, 4, 2)
    params = params | {"linear": jax.random.normal(key, params["linear"].shape, jnp.float32)}
    letters = jax.nn.one_hot(jnp.array([[0, 1, 2, 1], [1, 2, 1, 0], [2, 1, 0, 1]]), 3, dtype=jnp.float32)
    found = np.asarray(answers(params, letters, jnp.float32(rate), jnp.float32(cascade)))
    assert (np.ptp(found, axis=0).max() < 1e-5) == blind


def test_variance_within_classes_is_that_of_their_means():
    words = np.array(list(itertools.product(range(2), repeat=3)))
    outputs = np.random.default_rng(0).standard_normal((2, 8, 3))
    classes = words.sum(axis=1)
    by_hand = np.zeros(2)
    for number in range(4):
        group = outputs[:, classes == number]
        by_hand += ((group - group.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2)) / 8
    np.testing.assert_allclose(variance_within(outputs, classes), by_hand, rtol=1e-12)
