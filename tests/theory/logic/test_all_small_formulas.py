"""All formulas of few parts, and larger random ones: truth, text, automata, depth, differences, by all short words."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from tests.theory.logic.test_formulas import holds
from theory import bounds, strategies
from theory.automata.monoid import index_and_period
from theory.errors import OutsideHypotheses
from theory.logic import TRUE, And, AtLeast, Atom, Not, Or, Since, Until, difference, evaluate, minimal_dfa, parse
from theory.logic.formula import Count
from theory.logic.program import program
from theory.logic.starfree import formula_of

LETTERS = "ab"
WORDS = {n: ["".join(word) for word in itertools.product(LETTERS, repeat=n)] for n in range(1, 5)}
LEAVES = [Atom("a"), Atom("b"), TRUE]


def above(parts, others):
    """Every formula with one operator more: its operand, or one of its two, among the parts, the other among the others."""
    for f in parts:
        yield Not(f)
        yield AtLeast((Count(1, f),), 2)
        yield AtLeast((Count(-1, f), Count(2, f, ahead=True)), 1)
        for g in others:
            yield from (And((f, g)), Or((f, g)), Since(f, g), Until(f, g))
            if f not in others:
                yield from (Since(g, f), Until(g, f))


SHALLOW = [*LEAVES, *above(LEAVES, LEAVES)]
DEEPER = list(above(SHALLOW[len(LEAVES) :], LEAVES))
FORMULAS = [*SHALLOW, *DEEPER]


@cache
def truths(formula):
    """The truth at every position of every short word, by the definition."""
    return {n: [[holds(formula, word, i) for i in range(n)] for word in words] for n, words in WORDS.items()}


def nesting(formula):
    """How deep operators that look elsewhere are nested."""
    below = max(map(nesting, formula.children), default=0)
    return below + isinstance(formula, (Since, Until, AtLeast))


def check_truth(formula):
    assert {n: evaluate(formula, words, LETTERS).tolist() for n, words in WORDS.items()} == truths(formula)


def check_text(formula):
    """The parser undoes the printer; the parts are those of the formula, each once, below what they are parts of."""
    assert parse(str(formula)) == formula
    assert formula.subformulas[-1] == formula and len(set(formula.subformulas)) == len(formula.subformulas)
    assert set(formula.letters) == {part.letter for part in formula.subformulas if isinstance(part, Atom)}


def check_depth(formula):
    assert formula.depth == nesting(formula) == program(formula).depth == bounds.logic(str(formula)).at()
    assert bounds.layers(formula=formula).number == formula.depth


def check_automaton(formula):
    """The minimal automaton accepts what the formula says at the last or the first letter, and never counts."""
    if formula.counts_positions:
        with pytest.raises(OutsideHypotheses, match="compares no counts"):
            minimal_dfa(formula, LETTERS)
        return
    for at, position in (("last", -1), ("first", 0)):
        dfa = minimal_dfa(formula, LETTERS, at)
        assert dfa.is_star_free and dfa.period_witness() is None and index_and_period(dfa.automaton)[1] == 1
        assert not dfa.accepting[0] and dfa.num_states == dfa.minimal.num_states
        for n, words in WORDS.items():
            assert [bool(dfa.accepts(word)) for word in words] == [truth[position] for truth in truths(formula)[n]]
        for n in (5, 6, 7):
            longer = np.array(list(itertools.product(range(2), repeat=n)))
            assert (evaluate(formula, longer, LETTERS)[:, position] == dfa.accepts(longer)).all()
        counted = [0, *(sum(truth[position] for truth in truths(formula)[n]) for n in WORDS)]
        assert list(dfa.counts(len(WORDS))) == counted


def check_difference(formula):
    """A formula differs nowhere from itself, at once from its negation, and from another where a shortest word shows it."""
    if formula.counts_positions:
        return
    assert difference(formula, formula, LETTERS) is None
    word, position = difference(formula, Not(formula), LETTERS)
    assert (len(word), position) == (1, 1)
    for other in (Or((formula, Atom("a"))), Since(Atom("b"), formula)):
        found = difference(formula, other, LETTERS)
        shown = [n for n in WORDS if truths(formula)[n] != truths(other)[n]]
        if found is None:
            assert not shown
        else:
            word, position = found
            assert holds(formula, word, position - 1) != holds(other, word, position - 1)
            assert len(word) == min(shown, default=len(word)) or len(word) > len(WORDS)


def check_formula_of_its_automaton(formula):
    if formula.counts_positions:
        return
    again = formula_of(minimal_dfa(formula, LETTERS))
    for n, words in WORDS.items():
        assert evaluate(again, words, LETTERS)[:, -1].tolist() == [truth[-1] for truth in truths(formula)[n]]


@pytest.mark.parametrize("check", [check_truth, check_text])
def test_every_formula(check):
    for formula in FORMULAS:
        check(formula)


@pytest.mark.parametrize("check", [check_depth, check_automaton, check_difference, check_formula_of_its_automaton])
def test_every_shallow_formula_and_every_third_deeper_one(check):
    for formula in [*SHALLOW, *DEEPER[::3]]:
        check(formula)


@given(strategies.formulas(LETTERS, counts=True, max_factor=4))
def test_random_formulas_that_count(formula):
    check_truth(formula)
    check_text(formula)


@given(strategies.formulas(LETTERS))
@settings(max_examples=60, deadline=None)
def test_random_formulas(formula):
    for check in (check_truth, check_text, check_depth, check_automaton):
        check(formula)


def test_how_many_there_are():
    assert len(set(SHALLOW)) == len(SHALLOW) == 3 + 3 * 3 + 4 * 9
    assert len(DEEPER) == 45 * (3 + 3 * 6) and np.array(WORDS[4]).shape == (16,)
