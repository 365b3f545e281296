"""Layers by class: against depths that are known otherwise, and the reflections and overwrites that they are made of."""

import itertools

import numpy as np
import pytest

from theory import bounds
from theory.automata import Semiautomaton, semiautomaton
from theory.automata.classes import DEPTHS, ClassDepth, _cycles, class_depth

KNOWN = ("parity", "C5", "C2^3", "D4", "Q8", "S3", "S4", "A5", "flip_flop", "gridworld4", "dyck3", "abab", "adder", "car")


@pytest.mark.parametrize("name", KNOWN)
def test_what_exists_follows_from_the_groups_inside(name):
    a = semiautomaton(name)
    found = {kind: class_depth(a, kind, 1024) for kind in DEPTHS}
    two_groups = all(group.order & (group.order - 1) == 0 for group in a.groups_inside)
    never = {kind for kind, answer in found.items() if answer.never}
    permutes = all(len(set(column)) == a.num_states for column in a.table.T.tolist())
    assert never == {
        *(() if a.is_aperiodic else ("positive",)),
        *(() if two_groups else ("signed",)),
        *(() if a.is_solvable else ("complex",)),
        *(() if a.is_solvable and permutes else ("abelian",)),
        "window",  # none of these forgets everything
    }
    for answer in found.values():
        assert answer.never or 1 <= answer.fewest <= answer.layers
    assert found["attention"].layers <= bounds.scan(1024).at() and found["dense"].layers == 1
    if a.is_solvable:
        assert found["complex"].layers == bounds.automaton(a).at() >= found["attention"].layers
    if a.is_aperiodic:
        assert found["positive"].layers == found["signed"].layers == found["complex"].layers == len(a.holonomy().levels)


def test_depths_of_groups_are_tight():
    # squares of Q8 lie in its centre, whose squares are 1; C4 needs two layers of signs, and one of phases
    table = [[(q + 1) % 4] for q in range(4)]
    four = {kind: class_depth(Semiautomaton.from_table(table), kind, 10) for kind in ("signed", "complex")}
    assert {kind: (answer.fewest, answer.layers) for kind, answer in four.items()} == {"signed": (2, 2), "complex": (1, 1)}
    assert class_depth(semiautomaton("S4"), "complex", 10).fewest == bounds.group("S4").at() == 3


def test_one_state_needs_no_layer():
    found = [class_depth(Semiautomaton.from_table([[0, 0]]), kind, 5) for kind in DEPTHS]
    assert [(answer.layers, answer.fewest) for answer in found] == [(0, 0)] * len(DEPTHS)


def test_a_permutation_is_a_product_of_as_many_reflections_as_it_has_points_less_cycles():
    points = 4
    swaps = [(i, j) for i, j in itertools.combinations(range(points), 2)]
    distance = {tuple(range(points)): 0}
    queue = [tuple(range(points))]
    for here in queue:  # breadth first over products of transpositions, each of which is one reflection
        for i, j in swaps:
            there = list(here)
            there[i], there[j] = there[j], there[i]
            if tuple(there) not in distance:
                distance[tuple(there)] = distance[here] + 1
                queue.append(tuple(there))
    assert all(length == points - _cycles(np.array(found)) for found, length in distance.items()) and len(distance) == 24
    k = np.array([1.0, -1.0, 0.0, 0.0]) / np.sqrt(2)
    assert np.allclose(np.eye(4) - 2 * np.outer(k, k), np.eye(4)[[1, 0, 2, 3]])


def test_a_reset_is_a_product_of_overwrites():
    # h <- h (1 - k k^T) + v k^T with k = e_i for every i, v = 1 for the state that is written and 0 else
    for state, target in itertools.product(range(3), repeat=2):
        row = np.eye(3)[state]
        for i in range(3):
            row = row - row[i] * np.eye(3)[i] + (i == target) * np.eye(3)[i]
        assert (row == np.eye(3)[target]).all()
    reset = class_depth(Semiautomaton.from_table([[0, 1, 0], [1, 1, 0]]), "delta_product", 5)
    assert reset.layers == 1 and "num_householder = 2" in reset.reason


def test_attention_on_what_is_not_solvable_grows_with_the_length():
    s5 = semiautomaton("S5")
    assert [class_depth(s5, "attention", length).layers for length in (1, 2, 100)] == [1, 1, 7]
    assert "TC0" in class_depth(s5, "attention", 100).reason


def test_windows_are_those_that_all_words_show():
    for columns in itertools.product(itertools.product(range(3), repeat=3), repeat=2):
        table = np.array(columns).T
        found = class_depth(Semiautomaton.from_table(table), "window", 5)
        constant, states = None, table.T  # one row for each word of a length: the states after it
        for letters in range(1, 5):  # three states have three pairs, so a definite automaton forgets within three letters
            if (states == states[:, :1]).all():
                constant = letters
                break
            states = np.concatenate([column[states] for column in table.T])
        assert found.layers == (None if constant is None else constant - 1)
        assert found.never or found.fewest == found.layers


def test_abelian_layers_are_the_derived_length_of_what_is_left_before_the_last_letter():
    def commutators(group):
        inverse = {g: tuple(np.argsort(g).tolist()) for g in group}
        words = [(inverse[g], inverse[h], g, h) for g in group for h in group]
        return closed({tuple(d[c[b[a[q]]]] for q in range(len(a))) for a, b, c, d in words})

    def closed(found):
        while more := {tuple(h[q] for q in g) for g in found for h in found} - found:
            found = found | more
        return found

    for columns in itertools.product(itertools.product(range(3), repeat=3), repeat=2):
        table = list(zip(*columns, strict=True))
        names = {row: name for name, row in enumerate(dict.fromkeys(table))}
        merged = [[names[table[q]] for q in row] for row in names]  # states with equal rows are one
        letters = {tuple(column) for column in zip(*merged, strict=True)}
        expected = None
        if all(len(set(letter)) == len(merged) for letter in letters):
            group, expected = closed(letters), 0
            while len(group) > 1:  # at most S3, which is solvable
                group, expected = commutators(group), expected + 1
        found = class_depth(Semiautomaton.from_table(table), "abelian", 5)
        assert found.layers == expected and (found.never or found.fewest == found.layers)


def test_answers_read_as_sentences_and_bad_questions_are_refused():
    assert str(ClassDepth("signed", None, 1, "C3 inside", "")) == "no number of signed layers suffices: C3 inside"
    assert str(ClassDepth("complex", 2, 1, "", "")) == "2 layers of complex suffice"
    with pytest.raises(ValueError, match=r"is named 'sined': did you mean 'signed'.*abelian \(layers whose"):
        class_depth(semiautomaton("parity"), "sined", 5)
    with pytest.raises(ValueError, match="'counting' that simulate an automaton are not known"):
        class_depth(semiautomaton("parity"), "counting", 5)
    with pytest.raises(ValueError, match="length"):
        class_depth(semiautomaton("parity"), "signed", 0)


def test_what_the_last_letter_or_the_start_decides_takes_no_layer_of_any_class():
    for table in ([[0], [1]], [[0, 1], [0, 1]], [[0, 1, 2]] * 3):
        for kind in DEPTHS:
            found = class_depth(Semiautomaton.from_table(table), kind, 9)
            forgets = kind != "window" or table != [[0], [1]]  # a window does not know the start
            assert (found.layers, found.fewest) == (0, 0) if forgets else found.never


def test_a_definite_automaton_takes_the_layers_of_its_window():
    # the state is the last four letters of two kinds: three layers see those before the last
    table = [[(2 * q + x) % 16 for x in range(2)] for q in range(16)]
    found = {kind: class_depth(Semiautomaton.from_table(table), kind, 100) for kind in ("window", "positive", "attention")}
    assert {kind: answer.layers for kind, answer in found.items()} == {"window": 3, "positive": 3, "attention": 3}
