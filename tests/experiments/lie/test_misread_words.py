"""Shortest misread words: read in floats that are rounded by hand, and no shorter one among all words."""

import itertools

import numpy as np
import pytest

from experiments.lie.earliest_misreads.measure import _misread_in_jax
from experiments.lie.earliest_misreads.words import shortest_misread_word


@pytest.mark.parametrize(("order", "dtype"), [(10, "float8_e5m2"), (60, "float8_e4m3"), (64, "float8_e3m4"), (128, "bfloat16")])
def test_the_word_is_misread_at_its_last_letter(order, dtype):
    found = shortest_misread_word(order, dtype)
    assert len(found.word) == found.step == _misread_in_jax(order, dtype, found.word)


def test_no_shorter_word_is_misread():
    found = shortest_misread_word(13, "float8_e5m2")
    assert found.step == 4
    for word in itertools.product(range(13), repeat=2):
        assert _misread_in_jax(13, "float8_e5m2", np.array(word)) == 0


def test_orders_without_a_word():
    for order in (2, 3, 4, 6, 8, 12):
        found = shortest_misread_word(order, "float8_e4m3")
        assert found.step == 0 and len(found.word) == 0 and _misread_in_jax(order, "float8_e4m3", found.word) == 0


def test_snapped_counts_are_right_for_ever_where_one_step_is_readable():
    assert shortest_misread_word(20, "bfloat16", snapped=True).step == 0
    with pytest.raises(ValueError, match="order"):
        shortest_misread_word(1, "bfloat16")
