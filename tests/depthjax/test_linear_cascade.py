"""Linear cascades: words that are trivial in a class move no more layers than it says."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.constructions.towers.linear import linear_cascade_start, random_linear_cascade, signed_letters

SEEDS = st.integers(0, 2**32 - 1)


def inverse(word, letters):
    return [(a + letters) % (2 * letters) for a in reversed(word)]


def commutator(a, b, letters=2):
    return a + b + inverse(a, letters) + inverse(b, letters)


LAWS = {
    1: commutator([0], [1]),
    2: commutator(commutator([0], [1]), commutator([0], [3])),
}
LAWS[3] = commutator(LAWS[2], commutator(commutator([0], [1]), commutator([2], [1])))


@partial(jax.jit, static_argnums=0)
def run(layers, word, key):
    start = linear_cascade_start(2, layers, 3, 1)
    return random_linear_cascade(key, 2, layers, 3).run(signed_letters(word[:, None], 2, 0.6), start), start


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("klass", [1, 2, 3])
def test_words_trivial_in_class_k_return_k_layers_and_move_one_more(layers, klass, key):
    for seed in jax.random.split(key, 3):
        states, start = run(layers, jnp.array(LAWS[klass]), seed)
        moved = max(float(jnp.max(jnp.abs(a - b))) for a, b in zip(states, start, strict=True))
        if layers <= klass:
            assert moved < 1e-13
        else:
            assert moved > 1e-2


@settings(max_examples=10)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), SEEDS)
def test_a_word_and_its_inverse_undo_each_other(word, seed):
    states, start = run(3, jnp.array(word + inverse(word, 2)), jax.random.key(seed))
    for a, b in zip(states, start, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)


def test_sizes_are_checked(key):
    with pytest.raises(ValueError, match="layers must be at least 1"):
        random_linear_cascade(key, 2, 0, 3)
