"""Formulas: the definition of truth, laws on all words, differences, and formulas of automata."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from theory import OutsideHypotheses, cost, strategies
from theory.automata.monoid import index_and_period
from theory.errors import ParseError
from theory.logic import TRUE, And, AtLeast, Atom, Dfa, Not, Or, Since, Until, difference, evaluate, minimal_dfa, parse, regular
from theory.logic.starfree import formula_of

LETTERS = "ab"


def all_words(letters, length):
    return np.array(list(itertools.product(range(letters), repeat=length)))


def differ_within(first, second, length, letters):
    """A shortest word up to a length, and a position from 1, where two formulas differ: by evaluation on all words."""
    for words in (all_words(len(letters), n) for n in range(1, length + 1)):
        where = np.argwhere(evaluate(first, words, letters) != evaluate(second, words, letters))
        if len(where):
            word, position = where[0].tolist()
            return tuple(letters[i] for i in words[word].tolist()), position + 1
    return None


formulas = strategies.formulas(LETTERS)


def holds(formula, word, i):
    """The definition, position by position."""
    match formula:
        case Atom(letter):
            return word[i] == letter
        case Not(of):
            return not holds(of, word, i)
        case And(parts):
            return all(holds(part, word, i) for part in parts)
        case Or(parts):
            return any(holds(part, word, i) for part in parts)
        case Since(left, right):
            return any(holds(right, word, j) and all(holds(left, word, m) for m in range(j + 1, i)) for j in range(i))
        case Until(left, right):
            later = range(i + 1, len(word))
            return any(holds(right, word, j) and all(holds(left, word, m) for m in range(i + 1, j)) for j in later)
        case AtLeast(counts, bound):
            seen = [range(i, len(word)) if count.ahead else range(i + 1) for count in counts]
            return sum(c.factor * sum(holds(c.of, word, j) for j in s) for c, s in zip(counts, seen, strict=True)) >= bound
    return formula == TRUE


def _run(dfa, state, word):
    for letter in word:
        state = dfa.automaton.table[state, letter]
    return state


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a S b", "Y b | Y (a & (a S b))"),
        ("a U b", "X b | X (a & (a U b))"),
        ("!(a S b)", "H !b | !b S (!a & !b)"),
        ("P (a | b)", "P a | P b"),
        ("H (a & b)", "H a & H b"),
        ("(a & b) S a", "(a S a) & (b S a)"),
        ("Y (a S b)", "Y a S Y b"),
        ("P P a", "Y P a"),
        ("F G a", "F G a & (true | a)"),
        ("a -> b", "!a | b"),
        ("a <-> b", "(a & b) | (!a & !b)"),
        ("#[a] = 1", "#[a] >= 1 & #[a] <= 1"),
    ],
)
def test_laws_hold_on_all_words(first, second):
    first, second = parse(first), parse(second)
    assert differ_within(first, second, 7, "abc") is None
    if not first.counts_positions and not second.counts_positions:
        assert difference(first, second, "abc") is None


@given(formulas, formulas)
@settings(max_examples=40)
def test_exact_and_bounded_differences_agree(first, second):
    exact, bounded = difference(first, second, LETTERS), differ_within(first, second, 5, LETTERS)
    if exact is None or len(exact[0]) > 5:
        assert bounded is None
    else:
        word, position = exact
        assert bounded is not None and len(bounded[0]) == len(word)
        assert holds(first, word, position - 1) != holds(second, word, position - 1)


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("", 1, "a formula"),
        ("a &", 4, "a formula"),
        ("a & | b", 5, "a formula"),
        ("(a S b", 7, "an operator or ')'"),
        ("a b", 3, "an operator or the end"),
        ("a S b)", 6, "an operator or the end"),
        ("a ? b", 3, "a letter, an operator or a bracket"),
        ("Q a", 1, "a formula"),
        ("#[a]", 5, "one of >="),
        ("#[a] >= b", 9, "an integer"),
        ("2 #[a", 6, "an operator or ']'"),
        ("-a", 2, "a count"),
        ("'a", 1, "a letter"),
    ],
)
def test_syntax_errors_say_where_and_what_was_expected(text, position, expected):
    with pytest.raises(ParseError, match="formula") as error:
        parse(text)
    assert error.value.position == position and expected in error.value.expected


def test_alphabets_are_checked():
    with pytest.raises(ValueError, match=r"letter 'c'.*add it"):
        evaluate(parse("c"), ["ab"], "ab")
    with pytest.raises(ValueError, match="'z', which is not in the alphabet"):
        evaluate(parse("a"), ["az"], "ab")
    with pytest.raises(ValueError, match="one length at a time"):
        evaluate(parse("a"), ["a", "aa"], "ab")
    with pytest.raises(OutsideHypotheses, match="compares no counts"):
        minimal_dfa(parse("#[a] >= 1"))
    with cost.allow(1e-5), pytest.raises(cost.TooExpensive, match=r"more than \d+ states before any are merged"):
        minimal_dfa(parse("Y Y Y Y a"))


@given(strategies.dfas(letters=LETTERS, max_states=5, minimal=True))
@settings(max_examples=40)
def test_star_free_automata_become_formulas_and_others_are_refused_with_a_witness(dfa):
    if dfa.is_star_free:
        formula = formula_of(dfa)
        assert formula.depth <= dfa.automaton.holonomy().height
        for length in range(1, 9):
            words = all_words(2, length)
            np.testing.assert_array_equal(evaluate(formula, words, LETTERS)[:, -1], dfa.accepts(words))
    else:
        with pytest.raises(OutsideHypotheses, match="permutes its states"):
            formula_of(dfa)
        word, moved = dfa.period_witness()
        ends = [_run(dfa, q, [LETTERS.index(letter) for letter in word]) for q in moved]
        assert sorted(ends) == sorted(moved) and ends != list(moved)
        assert index_and_period(dfa.automaton)[1] > 1


def test_an_automaton_that_is_not_minimal_may_have_a_period_that_its_language_lacks():
    ab = regular(".*ab.*", "ab")
    n = ab.num_states
    table = np.concatenate([ab.automaton.table + n, ab.automaton.table])
    clocked = Dfa(type(ab.automaton)(table), np.tile(ab.accepting, 2), ab.letters)
    assert not clocked.automaton.is_aperiodic and clocked.is_star_free and clocked.minimal.num_states == n
