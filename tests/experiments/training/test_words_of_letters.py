"""Networks trained on words of some elements: the runs of `trained`, and what was trained."""

import dataclasses

import numpy as np
import pytest

from depthjax.instruments.word_problem import WordProblemSetup, trained
from experiments.training.second_layer_learns_groups.words_of_letters import trained_on_letters
from theory.groups import group

SETUP = WordProblemSetup("lstm", (), order=6, depth=2, width=8, length=4, times=2, batch=4, steps=40, rate=1e-2, tests=32)


@pytest.mark.parametrize("depth", [1, 2])
def test_runs_are_those_without_facts(key, depth):
    table, letters = group("S3").table, (1, 3)
    found = trained_on_letters(key, SETUP, table, letters, 2, depth)
    alone = trained(key, SETUP, [table], 2, [letters], depth)
    for one, other in zip(found.result, alone, strict=True):
        np.testing.assert_array_equal(one, other[0])
    assert found.facts.steps.tolist() == [40, 40] and found.facts.parts.tolist() == [depth] * 2
    assert found.drawn.tolist() == [[4, 5]] * 2


def test_numbers_are_those_of_the_layers_that_are_used(key):
    """A program of two layers that uses one says what a program of one layer has."""
    alone = dataclasses.replace(SETUP, depth=1)
    counts = [trained_on_letters(key, one, group("S3").table, (1, 3), 1, 1).facts.weights for one in (SETUP, alone)]
    assert counts[0] == counts[1] > 0
