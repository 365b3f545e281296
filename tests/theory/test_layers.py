"""How many layers: one answer of one shape, the same number as the room of each object gives."""

import numpy as np
import pytest

from theory import OutsideHypotheses, bounds
from theory.automata import regular, semiautomaton, write_automaton
from theory.groups import group
from theory.logic import parse

ASKED = [
    ({"group": "Q8"}, lambda: bounds.group("Q8"), 2),
    ({"group": "S4"}, lambda: bounds.group("S4"), 3),
    ({"automaton": "gridworld4"}, lambda: bounds.automaton("gridworld4"), 3),
    ({"automaton": {"a": {"x": "a"}}}, lambda: bounds.automaton([[0]]), 0),
    ({"automaton": regular("(aa)*")}, lambda: bounds.automaton("regex:(aa)*"), 1),
    ({"expression": "(ab)*"}, lambda: bounds.automaton(semiautomaton("regex:(ab)*")), 2),
    ({"formula": "P (a & Y b)"}, lambda: bounds.logic("P (a & Y b)"), 2),
    ({"formula": parse("a U b")}, lambda: bounds.logic("a U b"), 1),
    ({"algebra": "upper4"}, lambda: bounds.algebra("upper4"), 3),
]


@pytest.mark.parametrize(("asked", "room", "number"), ASKED, ids=[str(asked[0])[:30] for asked in ASKED])
def test_the_answer_is_that_of_the_room(asked, room, number):
    found = bounds.layers(**asked)
    assert found.number == found.at() == room().at() == number
    if "automaton" not in asked and "expression" not in asked:
        assert len(found.each) == number
    assert found.reason in found.statement and repr(found) == f"<LayersNeeded: {found.statement}>"


@pytest.mark.parametrize("asked", [{"group": "A5"}, {"automaton": "S5"}, {"algebra": "so3"}], ids=str)
def test_where_no_number_is_enough_the_reason_is_said(asked):
    found = bounds.layers(**asked)
    assert found.number is None and "no fixed number" in found.statement
    with pytest.raises(OutsideHypotheses):
        found.at()
    assert (found.otherwise is None) == ("algebra" in asked)


def test_doubling_is_offered_where_it_serves():
    assert bounds.layers(group="A5").otherwise.at(length=[4, 5, 8]).tolist() == [2.0, 3.0, 3.0]
    assert bounds.layers(formula="a S b").otherwise is not None
    assert bounds.layers(formula="a U b").otherwise is bounds.layers(formula="#[a] >= 2").otherwise is None


@pytest.mark.parametrize(("asked", "got"), [({}, "none"), ({"group": "Q8", "algebra": "so3"}, "group and algebra")])
def test_exactly_one_object_is_asked_about(asked, got):
    with pytest.raises(ValueError, match=f"got {got}"):
        bounds.layers(**asked)


@pytest.mark.parametrize(
    "given",
    ["S3", group("S3"), group("S3").table, np.asarray(group("S3").table, np.uint8), [(1, 2, 0), (1, 0, 2)], "(1 2 3), (1 2)"],
    ids=lambda given: str(given)[:20],
)
def test_every_form_of_a_group_is_asked_about_a_class(given):
    assert [bounds.layers(group=given, class_=name).number for name in ("complex", "signed", "delta_product")] == [2, None, 1]


@pytest.mark.parametrize("class_", [None, "pd"])
def test_files_are_read_by_their_suffix_with_a_class_too(class_, tmp_path):
    path = write_automaton(regular("(ab)*"), tmp_path / "mine.hoa")
    found = [bounds.layers(automaton=given, class_=class_) for given in (path, str(path))]
    assert [each.number for each in found] == [2 if class_ is None else 1] * 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"expression": regular("(aa)*")}, "expected a regular expression"),
        ({"expression": 5}, "expression = 5: expected a regular expression"),
        ({"expression": b"a", "class_": "pd"}, "expression = b'a': expected a regular expression"),
        ({"automaton": regular("a*"), "letters": "ab"}, "letters = 'ab'"),
        ({"group": "S3", "class_": 5}, "no class of layers is named 5"),
        ({"class_": ["pd"]}, r"no class of layers is named \['pd'\]"),
        ({"class_": True}, "no class of layers is named True"),
    ],
)
def test_what_is_of_another_kind_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        bounds.layers(**asked)
