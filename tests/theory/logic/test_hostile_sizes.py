"""Formulas that are too deep, words of every integer type, letters out of range, and counts beyond int64."""

import math

import numpy as np
import pytest

from theory import bounds
from theory.automata import Semiautomaton
from theory.automata.monoid import index_and_period
from theory.cost import TooExpensive
from theory.errors import ParseError
from theory.logic import evaluate, formula_of, minimal_dfa, parse, regular
from theory.logic.formula import AtLeast, Atom, Count, show
from theory.logic.syntax import DIGITS, NESTED

KINDS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
DEEP = {
    "Y": lambda n: "Y " * n + "a",
    "H": lambda n: "H " * n + "a",
    "!": lambda n: "!" * n + "a",
    "(": lambda n: "(" * n + "a" + ")" * n,
    "S": lambda n: "a S " * n + "b",
    "->": lambda n: "a -> " * n + "b",
    "#": lambda n: "#[" * n + "a" + "] >= 1" * n,
    "<->": lambda n: "a <-> " * n + "b",
    "brackets": lambda n: "a & (b | " * n + "a" + ")" * n,
}


@pytest.mark.parametrize("make", DEEP.values(), ids=DEEP)
def test_deep_formulas_are_refused_before_python_gives_up(make):
    for levels in (NESTED + 1, 900, 5000):
        with pytest.raises(ParseError, match=f"at most {NESTED}") as caught:
            parse(make(levels))
        assert len(str(caught.value)) < 1000
    if make is not DEEP["<->"]:  # its text doubles with every link
        formula = parse(make(NESTED))
        assert formula.size > 0 and formula.letters and hash(formula) and formula.depth <= NESTED
        assert parse(show(parse(make(NESTED // 4)))) == parse(make(NESTED // 4))


def test_deep_expressions_are_refused():
    with pytest.raises(ParseError, match=f"at most {NESTED}"):
        regular("(" * 2000 + "a" + ")" * 2000)
    assert regular("(" * NESTED + "ab" + ")" * NESTED).num_states == regular("ab").num_states


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_integers_spells_the_same_words(kind):
    formula = parse("a S (b & P a) | 2 #[a] - #[b] >= 1")
    words = np.indices((2,) * 6).reshape(6, -1).T
    assert (evaluate(formula, words.astype(kind)) == evaluate(formula, words.astype(np.int64))).all()
    dfa = minimal_dfa(parse("a S b"))
    assert (dfa.states(words.astype(kind)) == dfa.states(words.astype(np.int64))).all()
    assert (dfa.accepts(words.astype(kind)) == dfa.accepts(words.astype(np.int64))).all()


@pytest.mark.parametrize("words", [np.array([[0, 2]]), np.array([[-1, 0]]), np.array([[0.0, 1.0]]), np.array([["0", "1"]])])
def test_letters_out_of_range_are_refused(words):
    for ask in (minimal_dfa(parse("a S b")).states, minimal_dfa(parse("a S b")).accepts, lambda w: evaluate(parse("a S b"), w)):
        with pytest.raises(ValueError, match=r"letters|integers"):
            ask(words)


@pytest.mark.parametrize("length", [-1, 2.0, "3", None])
def test_counts_of_no_length_are_refused(length):
    with pytest.raises(ValueError, match="length"):
        minimal_dfa(parse("a S b")).counts(length)


@pytest.mark.parametrize("factor", [1, 2**31, 2**62, 2**63 - 1, 10**30])
def test_counts_with_large_factors_are_exact(factor):
    formula = AtLeast((Count(factor, Atom("a")), Count(-factor, Atom("b"))), factor)
    words = np.indices((2,) * 5).reshape(5, -1).T
    signs = np.cumsum(1 - 2 * words.astype(int), axis=1)
    assert (evaluate(formula, words) == (signs >= 1)).all()


def test_periods_whose_common_multiple_leaves_int64():
    """One letter turns one cycle and sends every other state to a sink, so that the monoid stays small."""
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    sink = sum(primes)
    table = np.full((sink + 1, len(primes)), sink)
    start = 0
    for letter, p in enumerate(primes):
        table[start : start + p, letter] = start + (np.arange(p) + 1) % p
        start += p
    assert math.prod(primes) > 2**63
    assert index_and_period(Semiautomaton.from_table(table)) == (1, math.prod(primes))


def test_more_states_than_sixteen_bits_count():
    states = 2**16 + 2
    table = np.stack([np.minimum(np.arange(states) + 1, states - 1)], axis=1)
    with pytest.raises(ValueError, match="more than 3 elements"):
        Semiautomaton(table, "a chain").transition_monoid(limit=3)
    constant = Semiautomaton(np.full((states, 1), states - 1), "a reset").transition_monoid()
    assert constant.elements[1, 0] == states - 1


def deepest(formula, known):
    """Twin of `depth`, with a stack of its own: one more than the parts at a temporal operator."""
    for part in formula.subformulas:
        known[part] = part.is_temporal + max((known[child] for child in part.children), default=0)
    return known[formula]


@pytest.mark.parametrize(("text", "levels"), [("a{3}", 4), ("a{400}", 401), ("(ab){60}", 61), ("[ab]{350}c", 351)])
def test_formulas_of_long_words_are_measured_without_recursion(text, levels):
    formula = formula_of(regular(text))
    assert formula.depth == deepest(formula, {}) <= levels and set(formula.letters) == set(text) & set("abc")
    assert bounds.logic(text, expression=True).at() == formula.depth


def test_expressions_of_too_long_words_are_refused_with_their_cost():
    """The levels of a chain of n states cost n^3."""
    for ask in (lambda: formula_of(regular("a{4000}")), lambda: bounds.logic("a{4000}", expression=True)):
        with pytest.raises(TooExpensive, match=r"the formula of a\{4000\} .* would take about .*--limit"):
            ask()
    assert formula_of(regular("[ab]*" + "a" * 50)).depth > 0


@pytest.mark.parametrize("text", ["{} #[a] >= 1", "#[a] >= {}", "#[a] < -{}"])
def test_numbers_of_too_many_digits_are_refused_with_their_place(text):
    with pytest.raises(ParseError, match=f"at most {DIGITS} digits") as caught:
        parse(text.format("9" * (DIGITS + 1)))
    assert caught.value.position == text.index("{") + 1 and len(str(caught.value)) < 1000
    assert parse(text.format("9" * DIGITS)).depth == 1
