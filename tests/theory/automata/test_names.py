"""Automata from dictionaries keep the names of states and letters, and run as the table does."""

import itertools
import json

import pytest

from theory import bounds
from theory.automata import load, regular, semiautomaton
from theory.groups import group

LAMP = {"off": {"press": "on", "cut": "off"}, "on": {"press": "off", "cut": "off"}}


def test_words_of_names_give_names_and_numbers_give_numbers():
    lamp = semiautomaton(LAMP)
    assert (lamp.states, lamp.letters, lamp.table.tolist()) == (("off", "on"), ("press", "cut"), [[1, 0], [0, 0]])
    cascade = lamp.holonomy()
    for numbers in itertools.product(range(2), repeat=4):
        names, state = [lamp.letters[x] for x in numbers], "off"
        walked = tuple(state := LAMP[state][letter] for letter in names)
        assert lamp.run(names) == cascade.run(names, "off") == walked
        assert lamp.run(numbers) == cascade.run(numbers, 0) == tuple(lamp.states.index(name) for name in walked)


def test_names_are_shown():
    lamp = semiautomaton(LAMP)
    assert repr(lamp) == "<Semiautomaton this automaton: 2 states off, on, 2 letters press, cut>"
    assert r"1 & \text{a group of order 2} & \mathrm{\{off\}},\ \mathrm{\{on\}}" in lamp.holonomy()._repr_latex_()
    strange = semiautomaton({"a_1": {"x": "b~"}, "b~": {"x": "a_1"}}).holonomy().latex()
    assert r"a\_1" in strange and r"b\sim " in strange
    assert "{off} {on}" in repr(lamp.holonomy()) and lamp.holonomy().levels[0].components[0].named_tiles == ("{off}", "{on}")
    assert regular("(ab)*").automaton.letters == ("a", "b")
    assert regular("(ab)*").automaton.run("ab") == (1, 0)
    assert semiautomaton(group("S3")).run(["(1 2)", "(1 3)"], "e") == ("(1 2)", "(1 3 2)")


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ({}, "with at least one state"),
        ({"a": [0]}, r"expected \{state: "),
        ({"a": {"x": "a"}, "b": {"y": "a"}}, "state 'a' has no transition on 'y'"),
        ({"a": {"x": "c"}}, "to 'c', which is no state"),
        ({1: {"x": 1}, "1": {"x": 1}}, "two states have the same name"),
    ],
)
def test_what_is_no_automaton_is_refused(moves, words):
    with pytest.raises(ValueError, match=words):
        semiautomaton(moves)


def test_unknown_letters_and_states_are_named():
    lamp = semiautomaton(LAMP)
    with pytest.raises(ValueError, match=r"letter 'p' at position 1 is out of range: .* has letters press, cut"):
        lamp.run(["cut", "p"])
    with pytest.raises(ValueError, match="state 'dim' is out of range"):
        lamp.holonomy().run(["cut"], "dim")
    with pytest.raises(ValueError, match=r"letter 2 at position 0 is out of range: .* 0 \.\. 1"):
        lamp.run((2,))


def test_a_file_may_hold_a_dictionary(tmp_path):
    (tmp_path / "lamp.json").write_text(json.dumps({"table": LAMP, "name": "lamp"}))
    lamp = load(tmp_path / "lamp.json")
    assert lamp.name == "lamp" and lamp.run(["press"]) == ("on",)
    assert bounds.automaton(str(tmp_path / "lamp.json")).at() == bounds.automaton(LAMP).at() == 2
