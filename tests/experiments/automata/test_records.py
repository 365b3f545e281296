"""Cascades cross from claims to measurements as plain data, and lose nothing on the way."""

import numpy as np
import pytest

from depthjax.constructions.compiled.automaton import compile_cascade
from depthjax.tasks.words import all_words
from depthjax.verify.data import unfit
from experiments.automata._records import plain, record
from theory.automata import semiautomaton


@pytest.mark.parametrize("name", ["parity", "flip_flop", "S3"])
def test_a_record_of_plain_data_compiles_to_the_same_cascade(name):
    cascade = semiautomaton(name).holonomy().program()
    given = plain(cascade)
    assert unfit(given) == ""
    words = all_words(semiautomaton(name).num_letters, 4)
    assert np.array_equal(compile_cascade(record(given))(words), compile_cascade(cascade)(words))


def test_entries_become_attributes_at_every_depth():
    found = record({"levels": ({"height": 2}, {"height": [1]})})
    assert [level.height for level in found.levels] == [2, [1]]
