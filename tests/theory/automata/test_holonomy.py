"""Cascades of single automata: levels that images share, levels that no letter resets, and names that are none."""

import itertools

import pytest

from theory import bounds
from theory.automata import semiautomaton
from theory.automata.holonomy import CONSTRUCTIONS

TALL = [[0, 0], [0, 0], [1, 2]]


def test_two_letters_whose_images_slide_have_two_levels():
    automaton = semiautomaton(TALL)
    assert {by: automaton.holonomy(by).height for by in CONSTRUCTIONS} == {"height": 3, "group": 2, "size": 2}
    for word in itertools.product(range(2), repeat=8):
        assert all(automaton.holonomy("group").run(word, q) == automaton.run(word, q) for q in range(3))
    found = bounds.automaton(automaton)
    assert found.at() == 2 and "at most 2 layers" in found.statement and "images of equal size share a level" in found.statement
    assert str(bounds.layers(automaton=automaton).statement).startswith("this automaton: at most 2 abelian or reset layers")


def test_a_level_that_no_letter_resets_takes_no_layer_of_resets():
    # a flip-flop beside a parity: state 2 v + p, letters write v and change p
    table = [[2 * value + (parity ^ flips) for value in (0, 1) for flips in (0, 1)] for _ in (0, 1) for parity in (0, 1)]
    levels = semiautomaton(table).holonomy().levels
    assert [(level.resets, level.derived_length) for level in levels] == [(True, 0), (False, 1)]
    assert bounds.automaton(table).at() == 2


def test_an_unknown_construction_is_named():
    with pytest.raises(ValueError, match="by = 'width': expected one of 'height', 'group', 'size' or 'fewest'"):
        semiautomaton("parity").holonomy("width")
