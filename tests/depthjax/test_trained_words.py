"""Networks that are trained on the products of words, of all elements of a group or of some."""

import dataclasses

import numpy as np
import pytest

from depthjax.instruments.word_problem import WordProblemSetup, trained
from theory.groups import group

SETUP = WordProblemSetup("lstm", (), order=6, depth=1, width=8, length=4, times=2, batch=4, steps=40, rate=1e-2, tests=32)


def test_without_letters_words_are_of_all_elements(key):
    tables = [group("S3").table, group("C2").table]
    default = trained(key, SETUP, tables, 2)
    named = trained(key, SETUP, tables, 2, [range(6), range(2)])
    for one, other in zip(default.result, named.result, strict=True):
        np.testing.assert_array_equal(one, other)


def test_words_of_the_identity_are_learned_at_once(key):
    found = trained(key, SETUP, [group("S3").table], 3, [[0]]).result
    assert found.last.tolist() == [[1, 1, 1]]
    assert found.prefix.tolist() == [[8, 8, 8]]


@pytest.mark.parametrize(("length", "share"), [(4, 1), (3, 0)])
def test_a_guess_is_right_where_a_word_of_the_training_length_is_the_identity(key, length, share):
    """Powers of a transposition."""
    setup = dataclasses.replace(SETUP, length=length, steps=20)
    swap = int(np.flatnonzero(np.diag(group("S3").table) == 0)[1])
    assert trained(key, setup, [group("S3").table], 2, [[swap]]).result.guessed.tolist() == [[share, share]]


@pytest.mark.parametrize("depth", [1, 2])
def test_one_program_of_all_depths_gives_the_numbers_of_a_program_for_each(key, depth):
    setup = dataclasses.replace(SETUP, depth=2, steps=20)
    tables = [group("S3").table, group("C2").table]
    shared, alone = (trained(key, setup, tables, 2, depth=depth, layout=layout) for layout in ("masked", "buckets"))
    for mine, twin in zip(shared.result[:3], alone.result[:3], strict=True):
        np.testing.assert_allclose(mine, twin, atol=0.02)


@pytest.mark.parametrize("depth", [0, 2])
def test_a_depth_beyond_the_deepest_network_is_refused(key, depth):
    with pytest.raises(ValueError, match=f"depth is {depth}, expected one of 1 to 1"):
        trained(key, SETUP, [group("S3").table], 1, depth=depth)


@pytest.mark.parametrize("letters", [[], [6], [-1, 2]])
def test_letters_are_elements(key, letters):
    with pytest.raises(ValueError, match="expected one or more of the elements 0 to 5"):
        trained(key, SETUP, [group("S3").table], 1, [letters])


@pytest.mark.parametrize("depth", [1, 2])
def test_what_was_trained_is_said(key, depth):
    setup = dataclasses.replace(SETUP, depth=2)
    found = trained(key, setup, [group("S3").table], 2, [[1, 3]], depth)
    assert found.facts.steps.tolist() == [[40, 40]] and found.facts.parts.tolist() == [[depth] * 2]
    assert found.drawn.tolist() == [[[4, 5]] * 2]


def test_numbers_are_those_of_the_layers_that_are_used(key):
    """A program of two layers that uses one says what a program of one layer has."""
    setups = SETUP, dataclasses.replace(SETUP, depth=2)
    counts = [trained(key, setup, [group("S3").table], 1, depth=1).facts.weights for setup in setups]
    assert counts[0] == counts[1] > 0
