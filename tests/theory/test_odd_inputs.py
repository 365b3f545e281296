"""Numbers that no float holds, and objects that are no bracket, no word, no text and no number, are refused in words."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from theory import bounds
from theory.attention.dyck import ScoreTable
from theory.automata import Dfa, named_or_loaded, semiautomaton
from theory.composition import least_loss
from theory.cost import power
from theory.groups import group
from theory.identify import HiddenMarkov, allowed_turn
from theory.identify.contrast import condition_number, descent_rate, flattest_curvature
from theory.lie import from_tree, hall_basis, log_product, lyndon_words, named, solvable_law, structure_constants
from theory.logic import evaluate, parse
from theory.width.residual import fresh_growth, mean_square_distance, tied_growth, tied_mean, tied_remainder

HUGE = 10**400
PARITY = semiautomaton("parity")
DEEP = 0
for _ in range(3000):
    DEEP = (1, DEEP)
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
    "tied mean, deep": lambda: tied_mean(HUGE, 1, 3),
    "tied mean of no number": lambda: tied_mean(2, float("nan"), 3),
    "distance": lambda: mean_square_distance("post", HUGE, 0.5),
    "no tree": lambda: from_tree((), 2),
    "text for a tree": lambda: from_tree("xy", 2),
    "a letter beyond the last": lambda: from_tree((0, 5), 2),
    "three branches": lambda: from_tree((0, 1, 2), 3),
    "a tree of 3000 levels": lambda: from_tree(DEEP, 2),
    "a word that is not Lyndon": lambda: structure_constants((1, 0), (0,)),
    "the empty word of the free algebra": lambda: structure_constants((), (0,)),
    "a short element": lambda: named("so3").bracket([1, 0], [0, 1, 0]),
    "a number for an element": lambda: named("so3").bracket(1, [0, 1, 0]),
    "no elements": lambda: named("so3").subalgebra([]),
    "zero for a basis": lambda: named("so3").subalgebra([[0, 0, 0]]),
    "a basis of dependent elements": lambda: named("so3").subalgebra([[1, 0, 0], [2, 0, 0]]),
    "one word for a list of words": lambda: evaluate(parse("a S b"), "ab"),
    "truth values of another automaton": lambda: Dfa(PARITY, np.array([True]), ("0", "1")),
    "numbers for truth values": lambda: Dfa(PARITY, np.array([0, 2]), ("0", "1")),
    "letters of another automaton": lambda: Dfa(PARITY, np.array([True, False]), ("0",)),
    "fewer units than none": lambda: least_loss([(3, 2)], -1),
    "a three-cycle of two states": lambda: allowed_turn(HiddenMarkov.random(2, 2, seed=0)),
    "the ratios of no closers": lambda: ScoreTable.uniform(2, 1).log_ratios,
    "the tolerance of no closers": lambda: ScoreTable.uniform(2, 1).tolerance(),
    "a number for a formula": lambda: bounds.layers(formula=1.5),
    "sympy for a formula": lambda: bounds.layers(formula=sympy.Symbol("a")),
    "a value with an exponent of 300 digits": lambda: bounds.flow(1, 1e300).at(),
    "arrays of two lengths": lambda: bounds.bch(3).at(x=[0.1, 0.2], y=[0.1, 0.2, 0.3]),
    "rows of two lengths": lambda: bounds.magnus(3).at(mass=[[0.1], [0.1, 0.2]]),
    "a letter twice": lambda: Dfa(PARITY, np.array([True, False]), ("0", "0")),
}
WRONG = (
    -1,
    6,
    0.5,
    float("nan"),
    None,
    "a",
    [0],
    np.float64(1.5),
)  # of an automaton or a group with at most six of what is asked for
NUMBERED = {
    "a letter of a word": lambda wrong: PARITY.run((0, wrong)),
    "a state": lambda wrong: PARITY.run((0, 1), wrong),
    "a letter of a cascade": lambda wrong: PARITY.holonomy().run((wrong,)),
    "a state of a cascade": lambda wrong: PARITY.holonomy().encode(wrong),
    "an element of a monoid": lambda wrong: semiautomaton("S3").transition_monoid().word(wrong),
    "a factor of a tower": lambda wrong: group("S3").tower.run((0, wrong)),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_odd_inputs_are_refused_in_words(name):
    with pytest.raises(ValueError, match=r"expected|limit|too large") as caught:
        QUESTIONS[name]()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_numbers_nothing_is_refused(name, wrong):
    """Python's lists count -1 from the end, and cut 0.5 down to 0."""
    with pytest.raises(ValueError, match=r"out of range|expected"):
        NUMBERED[name](wrong)


@pytest.mark.parametrize("one", [1, True, 1.0, np.int8(1), np.uint64(1)])
def test_one_is_one_in_every_type(one):
    assert PARITY.run((0, one)) == (0, 1) and PARITY.run((one,), one) == (0,) and PARITY.holonomy().encode(one) == (1,)


@pytest.mark.parametrize("half", [Fraction(1, 2), np.float32(0.5), np.float64(0.5)])
@pytest.mark.parametrize("question", [condition_number, flattest_curvature, descent_rate])
def test_half_is_half_in_every_type(question, half):
    assert question(half) == question(0.5)


def test_a_table_without_closers_is_balanced():
    table = ScoreTable.random(2, 1, seed=0)
    assert table.imbalance == 0 and (table.balanced().scores == table.scores).all()


def test_a_word_may_be_read_once():
    lamp = semiautomaton({"off": {"press": "on"}, "on": {"press": "off"}})
    assert lamp.run(iter([0, 0])) == lamp.holonomy().run(iter([0, 0])) == (1, 0)
    assert lamp.run(iter(["press"])) == lamp.holonomy().run(iter(["press"])) == ("on",)
    assert group("S3").tower.run(iter([1, 2])) == group("S3").table[1, 2]


@pytest.mark.parametrize("given", [0, None, 1.5, True])
def test_no_automaton_is_named_by_what_is_no_text(given):
    with pytest.raises((ValueError, TypeError)):
        named_or_loaded(given)


def test_powers_of_any_size_are_floats():
    assert [power(2, -HUGE), power(2, HUGE), power(HUGE, HUGE)] == [0.0, float("inf"), float("inf")]
