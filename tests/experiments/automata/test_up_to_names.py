"""Automata up to names of their states and letters: Burnside's mean against tables that are renamed one by one."""

import itertools

import numpy as np
import pytest

from experiments.automata.krohn_rhodes_simulates.claim import _up_to_names


@pytest.mark.parametrize(("states", "letters"), [(1, 3), (2, 1), (2, 2), (3, 2), (2, 3), (2, 4)])
def test_as_many_as_classes_of_tables(states, letters):
    names = list(itertools.product(*(itertools.permutations(range(size)) for size in (states, letters))))
    least = set()
    for entries in np.ndindex((states,) * (states * letters)):
        table = np.array(entries).reshape(states, letters)
        renamed = (np.array(own)[table[np.argsort(own)][:, list(other)]] for own, other in names)
        least.add(min(tuple(each.ravel()) for each in renamed))
    assert _up_to_names(states, letters) == len(least)
