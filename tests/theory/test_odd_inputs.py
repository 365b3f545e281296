"""Numbers that no float holds, and objects that are no bracket, no text and no number, are refused in words."""

import pytest

from theory.automata import named_or_loaded
from theory.cost import power
from theory.lie import from_tree, hall_basis, log_product, lyndon_words, solvable_law
from theory.width.residual import fresh_growth, mean_square_distance, tied_growth, tied_remainder

HUGE = 10**400
QUESTIONS = {
    "infinite law": lambda: solvable_law(2, float("inf")),
    "hall": lambda: hall_basis(2, HUGE),
    "lyndon": lambda: lyndon_words(2, HUGE),
    "log product": lambda: log_product([(0, 1), (1, 1)], HUGE),
    "fresh, deep": lambda: fresh_growth(HUGE, 1),
    "fresh, large": lambda: fresh_growth(2, HUGE),
    "tied, deep": lambda: tied_growth(HUGE, 1),
    "tied, large": lambda: tied_growth(2, HUGE),
    "remainder": lambda: tied_remainder(2, HUGE, 3),
    "distance": lambda: mean_square_distance("post", HUGE, 0.5),
    "no tree": lambda: from_tree((), 2),
    "text for a tree": lambda: from_tree("xy", 2),
    "a letter beyond the last": lambda: from_tree((0, 5), 2),
    "three branches": lambda: from_tree((0, 1, 2), 3),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_odd_inputs_are_refused_in_words(name):
    with pytest.raises(ValueError, match=r"expected|limit|too large"):
        QUESTIONS[name]()


@pytest.mark.parametrize("given", [0, None, 1.5, True])
def test_no_automaton_is_named_by_what_is_no_text(given):
    with pytest.raises((ValueError, TypeError)):
        named_or_loaded(given)


def test_powers_of_any_size_are_floats():
    assert [power(2, -HUGE), power(2, HUGE), power(HUGE, HUGE)] == [0.0, float("inf"), float("inf")]
