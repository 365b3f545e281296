"""Formulas over any number of letters, with and without their alphabet, in every function and command that takes one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import cli, networks
from tests.theory.logic.test_formulas import holds
from theory import bounds, strategies
from theory.automata.alphabet import alphabet_of
from theory.logic import difference, evaluate, minimal_dfa, parse
from theory.logic.depth import logic
from theory.logic.program import program
from theory.logic.truth import letters_of

MOST = 7
formulas = strategies.formulas(MOST)
SPOKEN = [
    "a S (b | c)",
    "a | b | c",
    "a S (b & P c)",
    "c",
    "b | c",
    "a U (b | c | d)",
    "d & Y g",
    "a|b|c|d|e|f|g",
    "x",
    "'(' S ')'",
    "true",
]


def words_of(letters, length, most=300):
    words = itertools.product(letters, repeat=length)
    return ["".join(word) for word in itertools.islice(words, most)]


@given(formulas, st.data())
@settings(max_examples=60, deadline=None)
def test_truth_over_the_default_alphabet_is_that_of_the_definition(formula, data):
    letters = letters_of(formula, None)
    assert len(letters) >= 2 and set(formula.letters) <= set(letters)
    word = data.draw(st.text(letters, min_size=1, max_size=6))
    assert evaluate(formula, [word])[0].tolist() == [holds(formula, word, i) for i in range(len(word))]


@given(strategies.formulas(MOST, max_depth=1), st.sampled_from(["last", "first"]))
@settings(max_examples=40, deadline=None)
def test_the_minimal_automaton_over_the_default_alphabet_accepts_what_the_formula_says(formula, at):
    dfa = minimal_dfa(formula, at=at)
    assert dfa.letters == letters_of(formula, None)
    for length in (1, 2, 3):
        for word in words_of(dfa.letters, length):
            assert bool(dfa.accepts(word)) == holds(formula, word, length - 1 if at == "last" else 0)


@given(strategies.formulas(MOST, max_depth=1), strategies.formulas(MOST, max_depth=1))
@settings(max_examples=30, deadline=None)
def test_differences_over_the_default_alphabet_are_differences(first, second):
    found = difference(first, second)
    if found is None:
        for word in words_of(letters_of(first | second, None), 3):
            assert [holds(first, word, i) for i in range(3)] == [holds(second, word, i) for i in range(3)]
    else:
        word, position = found
        assert holds(first, word, position - 1) != holds(second, word, position - 1)


@given(formulas)
@settings(max_examples=40, deadline=None)
def test_depth_needs_no_alphabet(formula):
    assert logic(str(formula)).at() == bounds.layers(formula=formula).number == formula.depth == program(formula).depth


@pytest.mark.parametrize("text", SPOKEN)
def test_every_entry_takes_formulas_of_any_letters(text, capsys):
    formula = parse(text)
    letters = letters_of(formula, None)
    word = (letters * 3)[:5]
    truth = [holds(formula, word, i) for i in range(5)]
    network = networks.formula(text)
    assert list(network(word)) == truth == evaluate(formula, [word])[0].tolist()
    assert ", ".join(f"{letter}" for letter in letters) in bounds.logic(text).quantity
    for line in (["bound", "logic", text], ["bound", "layers", "--formula", text], ["trace", "".join(word), "--formula", text]):
        assert cli.main(line) == 0
        out, err = capsys.readouterr()
        assert ", ".join(letters) in " ".join(out.split()) and not err


@pytest.mark.parametrize("letters", ["abcde", ["a", "b", "c", "open"], "a b c open"])
def test_the_alphabet_can_be_given_everywhere(letters, capsys):
    formula = parse("a S (b & !c)")
    names = alphabet_of("", "", letters)
    assert minimal_dfa(formula, letters).letters == names == networks.formula(formula, letters).letters
    assert evaluate(formula, [names[:4]], letters).tolist() == [[holds(formula, names[:4], i) for i in range(4)]]
    assert f"letters {', '.join(names)}" in bounds.logic(str(formula), letters).quantity
    assert f"letters {', '.join(names)}" in bounds.layers(formula=formula, letters=letters).statement
    given = letters if isinstance(letters, str) else " ".join(letters)
    for line in (["bound", "layers", "--formula"], ["bound", "logic"], ["trace", " ".join(names), "--formula"]):
        assert cli.main([*line, "a S b", "--letters", given]) == 0
        assert ", ".join(names) in " ".join(capsys.readouterr().out.split())


def test_one_letter_is_filled_up_and_no_pool_runs_out():
    assert [letters_of(parse(text), None) for text in ("a", "b", "z", "true", "a & b", "b & c")] == [
        ("a", "b"),
        ("a", "b"),
        ("a", "z"),
        ("a", "b"),
        ("a", "b"),
        ("b", "c"),
    ]
    assert len(letters_of(parse(" | ".join("abcdefghijklmnopqrstuvwxyz")), None)) == 26


@pytest.mark.parametrize("words", [[""], ["", ""], np.zeros((3, 0), int), np.zeros((2, 0, 4), int), []])
def test_words_without_letters_have_no_positions(words):
    for text in ("a S b", "true", "#[a] >= 1", "a U !(c & X b)"):
        found = evaluate(parse(text), words)
        assert (
            found.dtype == bool
            and found.size == 0
            and found.shape == (words.shape if isinstance(words, np.ndarray) else (len(words), 0))
        )


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("", "one letter at least"),
        ("aba", "none twice"),
        ("ab", "speaks of the letter 'c'.*add it"),
        ("xy", "speaks of the letters 'a', 'b', 'c'.*add them"),
        (["a", 1], "expected different texts"),
        (7, "expected different texts"),
    ],
)
def test_alphabets_that_do_not_serve_are_refused(letters, said):
    for ask in (
        lambda: minimal_dfa(parse("a & b | c"), letters),
        lambda: bounds.layers(formula="a & b | c", letters=letters),
        lambda: networks.formula("a & b | c", letters),
    ):
        with pytest.raises(ValueError, match=said):
            ask()


def test_an_automaton_that_is_too_large_is_left_out_and_the_depth_is_said():
    past, future = bounds.logic("Y " * 40 + "a"), bounds.logic("X " * 20 + "a")
    assert past.at() == 40 and "not listed" in past.quantity and "letters a, b" in past.quantity
    assert future.at() == 20 and "20 different until-formulas" in future.quantity
    assert "taken as given" in past.assumes[0].statement
