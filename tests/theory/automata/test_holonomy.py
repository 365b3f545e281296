"""The three constructions of the cascade: each simulates every word, and the least of them is what the bounds count."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import bounds
from theory.automata import semiautomaton
from theory.automata.holonomy import CONSTRUCTIONS
from theory.strategies import semiautomata

MAPS = list(itertools.product(range(3), repeat=3))
TALL = [[0, 0], [0, 0], [1, 2]]


def assert_simulates(automaton, by):
    """Walk over the pairs (coordinates, state) that words reach from all states: equal pairs have equal futures."""
    cascade = automaton.holonomy(by)
    flags = [level.resets for level in cascade.levels]
    pairs = {(cascade.encode(q), q): None for q in range(automaton.num_states)}
    queue = list(pairs)
    for coordinates, state in queue:  # grows while it is walked
        assert cascade.decode(coordinates) == state
        for letter in range(automaton.num_letters):
            there = cascade.step(coordinates, letter), int(automaton.table[state, letter])
            if there not in pairs:
                pairs[there] = None
                queue.append(there)
    # a level moves as the coordinates above and the letter say: by a permutation, or by a reset where it is said to
    for level, resets in enumerate(flags):
        for letter in range(automaton.num_letters):
            moves = {}
            for coordinates, _ in pairs:
                after = cascade.step(coordinates, letter)[level]
                moves.setdefault(coordinates[:level], {}).setdefault(coordinates[level], after)
                assert moves[coordinates[:level]][coordinates[level]] == after
            for here in moves.values():
                injective = len(set(here.values())) == len(here)
                assert injective or (resets and len(set(here.values())) == 1)
    return cascade


def test_all_pairs_of_maps_of_three_states():
    for first, second in itertools.combinations_with_replacement(MAPS, 2):
        automaton = semiautomaton(np.array([first, second]).T)
        found = {by: assert_simulates(automaton, by) for by in CONSTRUCTIONS}
        found["fewest"] = automaton.holonomy("fewest")
        assert found["size"].height <= 2  # one level for each size, 3 and 2
        assert found["fewest"].layers == min(found[by].layers for by in CONSTRUCTIONS) == bounds.automaton(automaton).at()
        # two levels take a layer of resets and one of a group each, so four are needed only where there are groups on both
        sizes = {len(group.states) for group in automaton.groups_inside}
        assert found["fewest"].layers <= 4 and (found["fewest"].layers == 4) <= (sizes == {2, 3})


def test_two_letters_whose_images_slide_have_two_levels():
    automaton = semiautomaton(TALL)
    assert {by: automaton.holonomy(by).height for by in CONSTRUCTIONS} == {"height": 3, "group": 2, "size": 2}
    for word in itertools.product(range(2), repeat=8):
        assert all(automaton.holonomy("group").run(word, q) == automaton.run(word, q) for q in range(3))
    found = bounds.automaton(automaton)
    assert found.at() == 2 and "at most 2 layers" in found.statement and "images of equal size share a level" in found.statement
    assert str(bounds.layers(automaton=automaton).statement).startswith("this automaton: at most 2 abelian or reset layers")


@given(semiautomata(max_states=5), st.sampled_from(list(CONSTRUCTIONS)))
@settings(max_examples=120, deadline=None)
def test_every_construction_simulates_every_word(automaton, by):
    cascade = assert_simulates(automaton, by)
    if cascade.by == "size":
        assert cascade.height <= automaton.num_states - 1
    if by == "group":  # no group grows
        assert not automaton.is_aperiodic or not any(part.generators for level in cascade.levels for part in level.components)
        assert automaton.is_solvable == (cascade.layers is not None)


@given(semiautomata(max_states=6))
@settings(max_examples=60, deadline=None)
def test_groups_of_the_cascade_by_group_are_groups_of_images(automaton):
    inside = {group.order for group in automaton.groups_inside}
    found = [part.group.order for level in automaton.holonomy("group").levels for part in level.components if part.generators]
    # the group of the tiles is a quotient of the group of the states of an image
    assert all(any(order % small == 0 for order in inside) for small in found)


def test_groups_may_grow_where_images_of_equal_size_share_a_level():
    # from {0, 1} letters slide to {2, 3} by two bijections and never back, so no word permutes anything
    automaton = semiautomaton([[2, 3, 0], [3, 2, 1], [2, 3, 0], [2, 3, 0]])
    assert_simulates(automaton, "size")
    group = automaton.holonomy("group")
    assert all(not part.generators for level in group.levels for part in level.components) == automaton.is_aperiodic


def test_a_level_that_no_letter_resets_takes_no_layer_of_resets():
    # a flip-flop beside a parity: state 2 v + p, letters write v and change p
    table = [[2 * value + (parity ^ flips) for value in (0, 1) for flips in (0, 1)] for _ in (0, 1) for parity in (0, 1)]
    levels = semiautomaton(table).holonomy().levels
    assert [(level.resets, level.derived_length) for level in levels] == [(True, 0), (False, 1)]
    assert bounds.automaton(table).at() == 2


def test_an_unknown_construction_is_named():
    with pytest.raises(ValueError, match="by = 'width': expected one of 'height', 'group', 'size' or 'fewest'"):
        semiautomaton("parity").holonomy("width")
