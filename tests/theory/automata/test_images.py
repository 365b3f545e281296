"""Images of automata of any size, and what needs no images: permutations and states that never return."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.combinatorics import Permutation, PermutationGroup

from theory import bounds
from theory.automata import Dfa, Semiautomaton, regular, semiautomaton
from theory.automata.images import images
from theory.automata.inside import GroupInside, never_returns
from theory.automata.permutations import holds_all_even
from theory.cost import TooExpensive, allow


def images_by_sets(automaton):
    found = [frozenset(range(automaton.num_states)), *(frozenset({q}) for q in range(automaton.num_states))]
    for here in found:  # grows while it is walked
        for column in automaton.table.T.tolist():
            if (there := frozenset(column[q] for q in here)) not in found:
                found.append(there)
    return set(found)


@pytest.mark.parametrize("states", [1, 2, 7, 8, 9, 61, 62, 63, 64, 65, 130])
def test_images_are_those_of_sets(states):
    shift = [min(q + 1, states - 1) for q in range(states)]
    automaton = semiautomaton(np.array([shift, [q // 2 for q in range(states)]]).T)
    found = automaton.images
    assert {frozenset(found.members(i)) for i in range(found.number)} == images_by_sets(automaton)
    for i, letter in itertools.product(range(0, found.number, 5), range(2)):
        expected = {automaton.table[q, letter] for q in found.members(i)}
        assert set(found.members(found.move[i, letter])) == expected


@pytest.mark.parametrize("name", ["C64", "C2^6", "C1000", "D200", "car40", "flip_flop64", "gridworld70", "dyck70"])
def test_named_automata_beyond_a_machine_word_are_solvable(name):
    assert semiautomaton(name).is_solvable


@pytest.mark.parametrize("name", ["S64", "A64", "S100", "A1000"])
def test_large_symmetric_and_alternating_automata_are_not(name):
    witness = semiautomaton(name).perfect_witness()
    assert witness.perfect_order == math.factorial(int(name[1:])) // 2
    assert "about 10^" in witness.description and len(witness.description) < 250


def test_layers_of_automata_beyond_a_machine_word():
    assert bounds.automaton("C64").at() == bounds.layers(group="C64").number == 1
    assert bounds.automaton("D80").at() == bounds.group("D80").at() == 2
    assert bounds.automaton("flip_flop64").at() == 1
    assert bounds.automaton("S100").is_solvable is False


def test_finite_languages_of_any_length():
    assert regular("a{61}").is_star_free and regular("a{300}").is_star_free and not regular("(a{64})*").is_star_free
    words = regular("(a|b){3,40}c(a|b|c){20}")
    assert never_returns(words.minimal.automaton) and words.is_star_free


def test_what_is_refused_says_how_far_it_came_and_the_limit_helps():
    automaton = semiautomaton("gridworld30")
    with allow(1e-4), pytest.raises(TooExpensive, match=r"the images of .* \(30 states, more than \d+ sets; the scan needs"):
        images(automaton)
    with allow(1):
        assert automaton.is_aperiodic
    with pytest.raises(TooExpensive, match="more than 100001 sets"):
        images(semiautomaton("gridworld100000"))


@given(st.integers(8, 9).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=1, max_size=3)))
@settings(max_examples=40, deadline=None)
def test_groups_of_permutations_have_the_orders_that_sympy_finds(generators):
    letters = tuple(map(tuple, generators))
    found, n = PermutationGroup([Permutation(list(g)) for g in letters]), len(letters[0])
    assert holds_all_even(letters) == (found.order() >= math.factorial(n) // 2)
    inside = GroupInside(tuple(range(n)), letters)
    assert inside.order == found.order()
    assert inside.derived_orders == tuple(int(term.order()) for term in found.derived_series())


def test_automata_without_states_or_letters_are_refused_alike():
    for make in (
        lambda: semiautomaton({"s": {}}),
        lambda: bounds.automaton({"s": {}}),
        lambda: Semiautomaton(np.zeros((3, 0), dtype=np.int64)),
        lambda: Semiautomaton(np.zeros((0, 2), dtype=np.int64)),
        lambda: Dfa.explored(0, lambda state, letter: state, bool, ""),
    ):
        with pytest.raises(ValueError, match=r"no states or no letters|at least one"):
            make()
