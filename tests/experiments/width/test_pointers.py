"""Pointers by hand, and sums over positions that follow them twice, against the ceiling."""

from fractions import Fraction

import jax
import numpy as np
import pytest

from experiments.width.one_layer_wide_fails.ceiling import one_head_ceiling
from experiments.width.one_layer_wide_fails.pointer import best_sum, pointer_tables
from experiments.width.one_layer_wide_fails.pointers import pointer_words


def test_pointers_are_followed(key):
    words, answers = jax.jit(pointer_words, static_argnums=(1, 2))(key, 4, 6, 2)
    for word, answer in zip(words.tolist(), answers.tolist(), strict=True):
        assert answer == word[word[word[4] - 4]]


@pytest.mark.parametrize("entries", [3, 4])
def test_no_sum_follows_a_pointer_twice_above_the_ceiling(entries):
    """Twin: random sums and the search over all tables; at three entries the ceiling is attained."""
    ceiling = one_head_ceiling(entries)
    tables, answers = (np.asarray(part) for part in pointer_tables(entries))
    assert all(answer == table[table[0]] for table, answer in zip(tables, answers, strict=True))
    rng = np.random.default_rng(0)
    for _ in range(200):
        g = rng.standard_normal((entries, entries, entries))
        said = np.sum([g[j, tables[:, j]] for j in range(entries)], axis=0).argmax(axis=1)
        assert (said == answers).mean() <= ceiling
    found = Fraction(int(best_sum(jax.random.key(3), entries, 8, 200)), entries**entries)
    assert found == ceiling if entries == 3 else found <= ceiling
