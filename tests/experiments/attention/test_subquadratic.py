"""States of linear attention and reach of windows, beside sums and dependencies written out."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.attention.subquadratic_memory.linear_readout import keys_of_trained_layers, keys_read_linearly, separable
from experiments.attention.subquadratic_memory.subquadratic import (
    digit_layer,
    keys_recalled,
    keys_recalled_by_softmax,
    linear_states,
    reaches,
    states_of_searched_layer,
)


def test_states_are_sums_of_outer_products():
    rng = np.random.default_rng(0)
    features, values = rng.integers(0, 4, (3, 2, 2)).astype(float), rng.integers(0, 4, (3, 2, 1)).astype(float)
    found = np.asarray(linear_states(jnp.asarray(features), jnp.asarray(values), 2))
    for row, context in enumerate(itertools.product((0, 1), repeat=3)):
        state = sum(np.outer(features[k, b], [*values[k, b], 1]) for k, b in enumerate(context))
        np.testing.assert_array_equal(found[row], state.ravel() % 4)


@pytest.mark.parametrize(("rank", "width", "bits"), [(1, 1, 1), (1, 2, 2), (2, 1, 2)])
def test_a_digit_for_each_key(rank, width, bits):
    features, values = digit_layer(8, rank, width, bits)
    assert features.shape == (8, 2, rank) and values.shape == (8, 2, width)
    assert keys_recalled(rank, width, bits, 9) == rank * (width + 1) * bits


def test_softmax_recalls_all_keys_if_it_is_sharp():
    scores = [np.cos(2 * np.pi * place / 9) for place in range(9)]
    for scale, recalled in ((100.0, 9), (1.0, 0)):
        weights = np.exp(scale * np.array(scores))
        assert keys_recalled_by_softmax(9, scale) == (recalled, pytest.approx(weights[1] / weights.sum(), rel=1e-12))


@pytest.mark.parametrize(("window", "layers"), [(1, 3), (3, 2)])
def test_windows_reach_their_product(window, layers):
    assert reaches(jax.random.key(0), window, layers, 12) == [window * (layer + 1) for layer in range(layers)]


@pytest.mark.parametrize(("window", "layers", "said"), [(0, 2, "window"), (3, 0, "layers")])
def test_windows_and_stacks_that_hold_nothing_are_refused(window, layers, said):
    with pytest.raises(ValueError, match=said):
        reaches(jax.random.key(0), window, layers, 12)


def test_a_search_finds_as_many_states_as_there_are():
    assert states_of_searched_layer(jax.random.key(0), 3, 1, 1, 1) == (4, 8, 2)  # two numbers of one bit
    assert states_of_searched_layer(jax.random.key(0), 5, 1, 1, 2) == (16, 32, 2)


def test_parity_is_not_separable_and_majority_is():
    points = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    assert separable(points, points.sum(axis=1) > 1) and not separable(points, points.sum(axis=1) % 2 == 1)


def test_linear_readouts_recall_a_key_for_each_number():
    assert [keys_read_linearly(*sizes, 4) for sizes in ((1, 1), (1, 2))] == [2, 3]
    found = keys_of_trained_layers(jax.random.key(0), 3, 1, 1, most_keys=3, most_rank=1, most_width=1, starts=8).keys
    assert int(found.max()) == 2
