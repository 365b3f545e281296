"""Words whose first letters an automaton has not forgotten: one repetition fewer of a looped transformer misreads them."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.doubling.looped import looped_automaton
from experiments.logic.log_depth_regular.forgetting import forgetting_word


def read_by_hand(table, word):
    states, now = [], 0
    for letter in word:
        now = int(table[now, letter])
        states.append(now)
    return states


def test_states_are_those_of_the_automaton_and_one_repetition_fewer_errs():
    rng = np.random.default_rng(0)
    table = np.stack([rng.permutation(4), rng.permutation(4), rng.integers(0, 4, 4)], axis=1)
    hanging = forgetting_word(table, 5, 8)
    assert hanging is not None
    words = np.concatenate([rng.integers(0, 3, (20, 13)), [hanging]])
    read = np.asarray(looped_automaton(table).states(jnp.asarray(words), 4))
    truth = np.array([read_by_hand(table, word) for word in words])
    assert (read[4] == truth).all()
    assert (read[3][:, :8] == truth[:, :8]).all()
    assert read[3][-1, -1] != truth[-1, -1]


def test_forgetting_words_are_found_exactly_where_there_are_some():
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = rng.integers(0, 3, (3, 2))
        words = np.indices((2,) * 5).reshape(5, -1).T
        any_word = any(read_by_hand(table, word)[-1] != read_by_hand(table, word[2:])[-1] for word in words)
        found = forgetting_word(table, 2, 3)
        assert (found is not None) == any_word
        if found is not None:
            assert read_by_hand(table, found)[-1] != read_by_hand(table, found[2:])[-1]
    with pytest.raises(ValueError, match="0 or more"):
        forgetting_word(np.eye(2, dtype=int), -1, 2)
