"""Coefficients of words and their norms, against the exact logarithm."""

from collections import Counter
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.free_words import different_letters, logarithm_coefficients, pair_norms
from depthjax.instruments.tails import (
    climbed,
    graded_logarithm,
    mass,
    of_norm_one,
    random_sequences,
    tails,
    varied_sequences,
    with_mass,
)
from experiments.lie.word_problem_log_depth.word_states import (
    layers_used,
    of_length,
    positive_increments,
    shared_states,
    tower_states,
    words_that_share,
)
from tests import twins
from theory.lie import bch
from theory.lie.goldberg import pair_constants
from theory.lie.tails import permutation_constant


@pytest.mark.parametrize(("letters", "degree"), [(2, 5), (3, 4), (4, 3)])
def test_coefficients_are_those_of_the_exact_logarithm(letters, degree):
    exact = {(): 1}
    for letter in range(letters):
        exact = twins.multiply(exact, twins.exponential({(letter,): 1}, degree), degree)
    exact = twins.logarithm(exact, degree)
    words = np.array(list(product(range(letters), repeat=degree)))
    coefficients, sizes = logarithm_coefficients(words)
    expected = np.array([float(exact.get(tuple(word), 0)) for word in words.tolist()])
    assert np.abs(coefficients - expected).max() < 1e-15 and (sizes >= np.abs(coefficients) - 1e-15).all()


def test_norms_of_letters_are_the_constants(key):
    norms = different_letters(key, 10, 10**6, 4096)
    exact = np.array([float(permutation_constant(n)) for n in range(1, 11)])
    assert (np.abs(norms.values / exact - 1) < 5e-5)[:8].all()
    assert (np.abs(norms.values - exact) <= norms.sampling + 1e-4 * exact).all() and (norms.sampling[8:] > 0).all()
    found = pair_norms(6, 0.25, 0.75).values
    for n in range(1, 7):
        assert found[n - 1] == pytest.approx(sum(float(c) * 0.25**i * 0.75 ** (n - i) for i, c in enumerate(pair_constants(n))))


def test_graded_logarithm_is_the_series(key):
    x, y = np.asarray(jax.random.normal(key, (2, 3, 3)))
    found = np.asarray(graded_logarithm(jnp.stack([x, y]), 5))
    for degree in range(1, 6):
        assert np.abs(found[degree] - bch(degree).homogeneous(degree).evaluate(x, y)).max() < 1e-12


def test_the_ascent_raises_the_term_and_keeps_zeros(key):
    start = varied_sequences(key, 6, 4, 2, 3)
    found = of_norm_one(climbed(start, 2, 3, 60))
    wanted = jnp.ones(6)
    before, after = (np.asarray(tails(with_mass(group, wanted), 3).term[:, 1]) for group in (of_norm_one(start), found))
    assert (after > before).all()
    for old, new in zip(start, found, strict=True):
        assert not np.asarray(new)[np.asarray(old) == 0].any()
    assert np.allclose(np.asarray(mass(with_mass(found, wanted))), 1)
    assert random_sequences(key, 2, 3, 2, 2).increments.shape == (2, 3, 2)


def test_states_of_positive_words():
    words = positive_increments(2, 4)
    assert len(words) == 31 and of_length(words, 2).sum() == 7
    states = tower_states(words, 4)
    assert shared_states(states, 2) == [31 - 15, 0] and layers_used(states, 4) == 2
    counts = Counter(tuple(word.sum(axis=0)) for word in words)
    assert words_that_share(states, 2) == [sum(n for n in counts.values() if n > 1), 0]
    assert layers_used(tower_states(words, 4, degree=1), 4) == 1
