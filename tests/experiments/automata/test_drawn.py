"""Automata that domains draw: their sizes, and what conditions say of them against lists of words."""

import itertools
import random

import pytest

from experiments.automata._drawn import automata, automaton
from experiments.automata.scan_depth.claim import remembers

DRAWN = [automata(5, 3).draw(random.Random(number)) for number in range(40)]


@pytest.mark.parametrize("text", DRAWN)
def test_a_drawn_automaton_fits_and_is_the_same_again(text):
    table = automaton(text).table
    assert table.shape[0] <= 5 and 1 <= table.shape[1] <= 3
    assert (automaton(text).table == table).all()


@pytest.mark.parametrize("text", [*DRAWN, "table2x2n985", "table2x3n191"])
def test_what_remembers_its_first_letter_tells_words_apart_that_differ_there(text):
    found = automaton(text)
    letters = range(found.num_letters)
    turns = [[*(pair * 25)] for pair in itertools.product(letters, repeat=2)]  # 50 letters: more than the pairs of 5 states
    apart = any(found.run([x, *rest], 0)[-1] != found.run(rest, 0)[-1] for x in letters for rest in turns)
    assert remembers(found) == apart
