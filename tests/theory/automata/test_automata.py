from pathlib import Path

import pytest
from hypothesis import given, settings

from theory.automata import load, semiautomaton
from theory.automata.images import images
from theory.cost import TooExpensive, allow
from theory.errors import OutsideHypotheses
from theory.strategies import semiautomata

NAMES = ("parity", "C5", "C2^3", "D4", "Q8", "S4", "A5", "gridworld4", "flip_flop", "dyck3", "abab", "adder", "car", "C1")


@pytest.mark.parametrize("name", ["S5", "A5"])
def test_full_automata_name_their_perfect_subgroup(name):
    automaton = semiautomaton(name)
    assert not automaton.is_solvable and automaton.perfect_witness().perfect_order == 60
    with pytest.raises(OutsideHypotheses, match=r"order 60 \(A5\)"):
        automaton.holonomy().program()
    assert automaton.holonomy().run((0, 1, 1, 0), 2) == automaton.run((0, 1, 1, 0), 2)


def test_named_facts():
    aperiodic = {name for name in NAMES if semiautomaton(name).is_aperiodic}
    assert aperiodic == {"gridworld4", "flip_flop", "dyck3", "adder", "C1"}
    sizes = {name: semiautomaton(name).transition_monoid().size for name in NAMES}
    groups = {"parity": 2, "C5": 5, "C2^3": 8, "D4": 8, "Q8": 8, "S4": 24, "A5": 60, "flip_flop": 3, "adder": 3, "car": 8}
    assert {name: sizes[name] for name in groups} == groups
    lengths = {name: semiautomaton(name).holonomy().derived_lengths for name in ("C2^3", "D4", "Q8", "S4", "A5", "car")}
    assert lengths == {"C2^3": (1,), "D4": (2,), "Q8": (2,), "S4": (3,), "A5": (None,), "car": (2,)}


ORACLE_NAMES = (*NAMES, "A4", "D6", "S3", "gridworld3", "flip_flop3", "dyck2", "car3")


def transformations(semigroups, automaton):
    return [semigroups.Transf(column) for column in [list(range(automaton.num_states)), *automaton.table.T.tolist()]]


def assert_structure_agrees(automaton):
    """Monoid size, aperiodicity, and the orders of the groups inside, from the D-classes of Konieczny's algorithm."""
    import libsemigroups_pybind11 as semigroups

    generators = transformations(semigroups, automaton)
    size = semigroups.FroidurePin(generators).size()
    assert size == automaton.transition_monoid().size
    found = semigroups.Konieczny(generators)
    found.run()
    regular = [d for d in found.D_classes() if d.is_regular_D_class()]
    assert sum(d.size() for d in found.D_classes()) == size
    orders = {d.size_H_class() for d in regular}
    assert automaton.is_aperiodic == (orders == {1})
    # the maximal subgroup at an idempotent e is the group of the image of e; the group of any image divides one of them
    inside = {group.order for group in automaton.groups_inside} | {1}
    assert orders <= inside
    assert all(any(order % small == 0 for order in orders) for small in inside)


@pytest.mark.needs("libsemigroups_pybind11")
@pytest.mark.parametrize("name", ORACLE_NAMES)
def test_structure_of_named_automata_against_libsemigroups(name):
    assert_structure_agrees(semiautomaton(name))


@pytest.mark.needs("libsemigroups_pybind11")
@given(semiautomata(max_states=5, max_letters=2))
@settings(max_examples=60, deadline=None)
def test_structure_of_random_automata_against_libsemigroups(automaton):
    assert_structure_agrees(automaton)


BAD = [
    (lambda: semiautomaton("D44x"), "no semiautomaton is named"),
    (lambda: semiautomaton("D2"), "no such size"),
    (lambda: semiautomaton("Q16"), "exactly 8"),
    (lambda: semiautomaton([]), "no states"),
    (lambda: semiautomaton([[0, 1], [1]]), "partial"),
    (lambda: semiautomaton([[0, None], [1, 0]]), "is not a state"),
    (lambda: semiautomaton([[0, -1], [1, 0]]), "sink"),
    (lambda: semiautomaton([[0, 2], [1, 0]]), "0 .. 1"),
    (lambda: semiautomaton([[0], [0]], initial=0), r"states \[1\] are unreachable"),
    (lambda: semiautomaton([[0], [0]], initial=5), "is not a state"),
    (lambda: semiautomaton("parity").run((0, 2), 0), "letter 2 at position 1"),
    (lambda: semiautomaton("parity").holonomy().run((0,), 2), "state 2 is out of range"),
    (lambda: semiautomaton("S5").transition_monoid(limit=50), "more than 50 elements: .* of length at most"),
    (lambda: semiautomaton("C30000").holonomy(), "30000 states, 30001 sets in pairs; the scan needs the table alone"),
    (lambda: load("nowhere.json"), "nowhere.json cannot be read .there is no such file"),
    (lambda: semiautomaton(Path("nowhere.json")), "cannot be read as JSON"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_too_many_images_are_refused():
    with allow(1e-5), pytest.raises(TooExpensive, match=r"more than \d+ sets; the scan needs the table alone"):
        images(semiautomaton("gridworld9"))


def test_load_reads_tables_and_objects(tmp_path):
    path = tmp_path / "swap.json"
    path.write_text("[[1], [0]]")
    assert load(path).table.tolist() == [[1], [0]] and load(path).name == "swap"
    path.write_text('{"table": [[1], [0]], "name": "flip", "initial": 0}')
    assert load(path).name == "flip"
    path.write_text('{"states": 2}')
    with pytest.raises(ValueError, match="holds no table"):
        load(path)
    path.write_bytes(b"\x80\x04\xff")
    with pytest.raises(ValueError, match=r"swap\.json cannot be read"):
        load(path)
