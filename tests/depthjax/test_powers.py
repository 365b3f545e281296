"""Networks of powers by every route; tasks without repetitions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.models.polynomial import Recurrent, TwoLayer, recurrent, recurrent_readings, two_layer, two_layer_table
from depthjax.tasks.composition import codes, coordinates, faithful, products, spectral_encoding
from depthjax.tasks.words import all_words, uniform_words
from tests import groups_by_hand


@pytest.mark.parametrize("length", [2, 3])
def test_all_routes_through_a_hidden_layer_agree(length):
    keys = jax.random.split(jax.random.key(length), 4)
    weights = TwoLayer(jax.random.normal(keys[0], (length, 5, 7)), jax.random.normal(keys[1], (4, 7)))
    vectors, words = jax.random.normal(keys[2], (3, 5)), all_words(3, length)
    inputs, out, rows = map(np.asarray, (weights.inputs, weights.out, vectors))
    naive = np.array([sum(rows[g] @ inputs[j] for j, g in enumerate(w)) ** length @ out.T for w in np.asarray(words)])
    run = jax.jit(two_layer)
    assert np.abs(jax.jit(two_layer_table)(weights, vectors).reshape(naive.shape) - naive).max() < 1e-10
    assert np.abs(run(weights, vectors, words) - naive).max() < 1e-10  # the table
    assert np.abs(run(weights, vectors, words[:5]) - naive[:5]).max() < 1e-10  # word by word


@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize("batch", [2, 10, 40])
def test_shared_prefixes_change_nothing(length, batch):
    keys = jax.random.split(jax.random.key(length), 6)
    maps = [0.5 * jax.random.normal(k, s) for k, s in zip(keys, [(5, 6), (5, 6), (6, 6), (4, 6)], strict=False)]
    weights, vectors = Recurrent(*maps), jax.random.normal(keys[4], (3, 5))
    words = uniform_words(keys[5], 3, batch, length)
    (first, drive, mix, out), rows, naive = map(np.asarray, maps), np.asarray(vectors), []
    for word in np.asarray(words):
        state = (rows[word[0]] @ first + rows[word[1]] @ drive) ** 2
        for letter in word[2:]:
            state = (state @ mix + rows[letter] @ drive) ** 2
        naive.append(state @ out.T)
    run = jax.jit(recurrent)
    assert np.allclose(run(weights, vectors, words), np.array(naive), rtol=1e-10)
    readings = np.asarray(jax.jit(recurrent_readings)(weights, vectors, words))
    assert readings.shape[1] == length - 1 and np.allclose(readings[:, -1], np.array(naive), rtol=1e-10)
    assert np.allclose(readings[:, 0], run(weights, vectors, words[:, :2]), rtol=1e-10)


def test_equal_codes_are_one_letter_and_the_task_is_the_same():
    table, irreps = groups_by_hand.CASES["D3xC3"]()
    x = spectral_encoding([irreps[3][1]], [2.0])  # the sign: a kernel of nine elements
    vectors = x[table]
    letters, smaller = faithful(vectors, table)
    assert len(letters) < len(table)
    word = uniform_words(jax.random.key(0), len(table), 50, 3)
    letter = jnp.asarray([int(np.argmin(np.abs(letters - vector).sum(axis=1))) for vector in vectors])[word]
    assert np.abs(letters[products(jnp.asarray(smaller), letter)] - vectors[products(jnp.asarray(table), word)]).max() < 1e-12


def test_coordinates_keep_inner_products():
    table, _ = groups_by_hand.CASES["C10"]()
    vectors = np.asarray(codes(jnp.asarray(np.cos(2 * np.pi * np.arange(10) / 10)), jnp.asarray(table)))
    short, basis = coordinates(vectors)
    assert short.shape == (10, 2) and np.abs(short @ basis.T - vectors).max() < 1e-12
