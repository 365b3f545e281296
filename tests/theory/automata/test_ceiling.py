"""Ceilings of readers of counts against the enumeration of all words."""

import itertools
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import bounds
from theory.automata import semiautomaton
from theory.bounds import ceiling
from theory.cost import TooExpensive
from theory.groups import group
from theory.strategies import semiautomata


def enumerated(table, length, modulus, last, start=0):
    """Accuracy and error after `length` letters, word by word."""
    letters = table.shape[1]
    classes = defaultdict(Counter)
    for word in itertools.product(range(letters), repeat=length):
        counts = [word.count(a) for a in range(letters)]
        known = tuple(count % modulus if modulus else count for count in counts) + word[length - min(last, length) :]
        state = start
        for letter in word:
            state = int(table[state, letter])
        classes[known][state] += 1
    words = letters**length
    best = sum(max(states.values()) for states in classes.values())
    squares = sum(Fraction(sum(n * n for n in states.values()), sum(states.values())) for states in classes.values())
    return Fraction(best, words), 1 - squares / words


READERS = st.tuples(st.integers(0, 7), st.integers(0, 7))  # beyond the length too, where all is known


@given(semiautomata(max_states=4, max_letters=3), READERS, st.integers(1, 6), st.data())
def test_ceilings_are_those_of_all_words(automaton, reader, length, data):
    start = data.draw(st.integers(0, automaton.num_states - 1))
    found = ceiling(automaton, length, modulus=reader[0], last=reader[1], start=start)
    for count in range(1, length + 1):
        assert (found.accuracy[count - 1], found.error[count - 1]) == enumerated(automaton.table, count, *reader, start)


@pytest.mark.parametrize("name", ["S3", "Q8", "A4", "C3xC2"])
@pytest.mark.parametrize("reader", [(0, 0), (0, 2), (1, 1), (2, 0), (3, 1)])
def test_ceilings_of_groups_are_those_of_all_words(name, reader):
    g = group(name)
    found = ceiling(name, 5, modulus=reader[0], last=reader[1])
    table = np.asarray(g.table)[:, [0, *g.generators]]
    assert (found.accuracy[-1], found.error[-1]) == enumerated(table, 5, *reader)


@given(semiautomata(max_states=4, max_letters=2), st.integers(1, 7))
def test_who_knows_more_is_right_more_often(automaton, length):
    """More letters, finer counts; and the last answer of the counts is at least that of the commonest state."""
    by = {
        reader: ceiling(automaton, length, modulus=reader[0], last=reader[1])
        for reader in ((1, 0), (2, 0), (4, 0), (0, 0), (0, 1))
    }
    for less, more in itertools.pairwise(by.values()):
        assert all(a <= b for a, b in zip(less.accuracy, more.accuracy, strict=True))
        assert all(a >= b for a, b in zip(less.error, more.error, strict=True))
    assert all(a >= Fraction(1, automaton.num_states) for a in by[1, 0].accuracy)


def test_of_a_group_the_last_letter_is_worth_one_position():
    counts, ended = ceiling("S4", 9), ceiling("S4", 9, last=1)
    assert ended.accuracy == (1, *counts.accuracy[:-1]) and ended.error == (0, *counts.error[:-1])


@pytest.mark.parametrize("name", ["S3", "flip_flop", "dyck3"])
def test_knowledge_beyond_the_word_is_all_of_it(name):
    """A reader of more letters, or of finer counts, than the word has knows what one of as many does."""
    for more in (6, 10**9):
        assert set(ceiling(name, 6, last=more).accuracy) == {1} and set(ceiling(name, 6, last=more, modulus=3).error) == {0}
    assert ceiling(name, 6, modulus=10**9).accuracy == ceiling(name, 6).accuracy


def test_long_endings_merge_states_in_few_ways():
    """One of three letters keeps a flip-flop; if 50 do, and not all of the ten before, both states are equally likely."""
    found = ceiling("flip_flop", 60, modulus=1, last=50)
    assert 1 - found.accuracy[-1] == Fraction(1, 3**50) * (1 - Fraction(1, 3**10)) / 2


def test_letters_that_stand_still_are_counted_fast_and_those_of_large_groups_not_at_all():
    assert set(ceiling("C2", 500).accuracy) == {1}
    assert set(ceiling("S5", 3, letters="all", modulus=1).accuracy) == {Fraction(1, 120)}


@pytest.mark.parametrize("name", ["C5", "C2xC4", "C3xC3xC2"])
def test_counts_know_products_in_abelian_groups(name):
    assert set(ceiling(name, 6, letters="all" if name == "C5" else "generators").accuracy) == {1}


@pytest.mark.parametrize("name", ["S3", "D4", "A4", "S5"])
def test_in_the_end_counts_know_the_coset_of_the_derived_subgroup(name):
    g, found = group(name), ceiling(name, 60)
    limit = Fraction(1, len(g.derived_series[1]))
    assert limit <= found.accuracy[-1] < limit + Fraction(3, 100)


def test_letters_are_chosen_by_name_or_number_and_the_still_one_does_not_matter_to_counts():
    by_name = ceiling("S3", 4, letters=["(1 2 3)", "(1 2)"])
    assert by_name.accuracy == ceiling("S3", 4, letters=[1, 2]).accuracy
    assert ceiling(semiautomaton([[0, 0]]), 3).accuracy == (1, 1, 1)
    assert "e, (1 2 3), (1 2)" in ceiling("S3", 2).of and ceiling(group("S3"), 2).accuracy == ceiling("S3", 2).accuracy
    assert bounds.ceiling(semiautomaton("flip_flop"), 3, last=1).accuracy[0] == 1


def test_published_tables_lie_beside_these_numbers():
    """Mean over 20 positions, for a reader that knows the last letter as well."""
    assert [round(float(ceiling(name, 20, last=1).mean), 3) for name in ("A5", "S5")] == [0.28, 0.441]


@pytest.mark.parametrize(
    ("target", "options", "error", "words"),
    [
        ("S3", {"length": 0}, ValueError, "length = 0"),
        ("S3", {"length": 3, "modulus": -1}, ValueError, "modulus = -1"),
        ("S3", {"length": 3, "last": -1}, ValueError, "last = -1"),
        ("S3", {"length": 3, "letters": "some"}, ValueError, "'generators' or 'all'"),
        ("S3", {"length": 3, "letters": []}, ValueError, "at least one element"),
        ("S3", {"length": 3, "letters": [1, 1]}, ValueError, "each once"),
        ("S3", {"length": 3, "letters": [6]}, ValueError, "6 is no element of S3"),
        ("S3", {"length": 3, "letters": ["(7 8)"]}, ValueError, "no element of S3"),
        ("gridworld4", {"length": 3, "letters": "all"}, ValueError, "letters of its own"),
        ("gridworld4", {"length": 3, "start": 9}, ValueError, "9"),
        ("nothing_known", {"length": 3}, ValueError, "nothing_known"),
        ("A5", {"length": 20, "letters": "all"}, TooExpensive, "classes of words"),
        ("S5", {"length": 10**6}, TooExpensive, "classes of words"),
        ("C2", {"length": 10**5}, TooExpensive, "classes of words"),
        ("S3", {"length": 10**9, "last": 10**9}, TooExpensive, "classes of words"),
        ("flip_flop", {"length": 10**7, "last": 10**7 - 1}, TooExpensive, "classes of words"),
    ],
)
def test_bad_questions_are_refused(target, options, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(").replace(")", r"\)")):
        ceiling(target, **options)
