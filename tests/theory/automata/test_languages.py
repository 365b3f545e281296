import itertools
import json
import re
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import cost
from theory.automata import load, regular, semiautomaton
from theory.errors import ParseError

EXPRESSIONS = [
    "(ab)*",
    "a{2,3}b",
    "a{2}",
    "a{,2}b",
    "(a|b){1,}c",
    "a.b?",
    "[ab]+c",
    "[^a]*b",
    "(a|())b*",
    "a+(b*c)?",
    "x[a-c]{2}",
]
STAR_FREE = {
    "(ab)*": True,
    "(abab)*": False,
    "(aa)*": False,
    "a*b*": True,
    "(a(ab)*b)*": True,
    "(a|b)*aba": True,
    "(aaa)*b": False,
}


@pytest.mark.parametrize("expression", STAR_FREE)
def test_a_regular_expression_becomes_its_minimal_automaton(expression):
    automaton = semiautomaton(f"regex:{expression}")
    assert automaton.is_aperiodic == STAR_FREE[expression]
    # words that end in one state are equal for the language: Python's own expressions agree on what follows them
    language = re.compile(expression)
    accepted: dict[tuple, bool] = {}
    for length in range(7):
        for word in itertools.product(range(automaton.num_letters), repeat=length):
            state = automaton.run(word, 0)[-1] if word else 0
            text = "".join("ab"[letter] for letter in word)
            assert accepted.setdefault(state, bool(language.fullmatch(text))) == bool(language.fullmatch(text))
    assert set(accepted.values()) == {True, False}


def test_named_languages_are_those_of_their_expressions():
    for name, expression in {"abab": "(abab)*", "dyck2": "(a(ab)*b)*", "dyck3": "(a(a(ab)*b)*b)*"}.items():
        ours, minimal = semiautomaton(name), semiautomaton(f"regex:{expression}")
        # the one isomorphism that keeps the initial state
        image, queue = {0: 0}, [0]
        for state in queue:
            for letter in range(2):
                target = int(ours.table[state, letter])
                if target not in image:
                    image[target] = int(minimal.table[image[state], letter])
                    queue.append(target)
        assert ours.num_states == minimal.num_states == len(set(image.values()))
        assert all(image[int(ours.table[q, a])] == minimal.table[image[q], a] for q in image for a in range(2))


@pytest.mark.needs("automata")
def test_a_dfa_is_taken_as_it_stands_and_a_partial_one_rejects():
    from automata.fa import dfa as dfas

    partial = dfas.DFA(
        states={"q", "r"},
        input_symbols={"a", "b"},
        transitions={"q": {"a": "r"}, "r": {"a": "q", "b": "r"}},
        initial_state="q",
        final_states={"q"},
        allow_partial=True,
    )
    assert semiautomaton(partial).table.tolist() == [[1, 2], [0, 1], [2, 2]]


def test_a_dfa_with_states_that_no_word_reaches_is_refused():
    lost = SimpleNamespace(
        states={0, 1, 2}, input_symbols={"a"}, initial_state=0, transitions={0: {"a": 0}, 1: {"a": 2}, 2: {"a": 0}}
    )
    with pytest.raises(ValueError, match=r"states \['1', '2'\] .* unreachable from 0.*minify"):
        semiautomaton(lost)


def test_a_file_may_hold_an_expression(tmp_path):
    path = tmp_path / "language.json"
    path.write_text(json.dumps({"regex": "(aa)*"}))
    found = load(path)
    assert found.automaton.table.tolist() == [[1], [0]] and found.accepting.tolist() == [True, False]
    assert found.automaton.name == "language"


@pytest.mark.parametrize(
    ("expression", "words", "others"),
    [
        ("(ab)*", ["", "ab", "abab"], ["a", "ba", "aba"]),
        ("a+b?", ["a", "aab"], ["", "b", "abb"]),
        (".*(a|b)b", ["ab", "bbbb"], ["b", "ba"]),
        ("(a|())b*", ["", "a", "abb", "b"], ["aa", "ba"]),
    ],
)
def test_regular_expressions(expression, words, others):
    dfa = regular(expression, "ab")
    assert all(dfa.accepts(word) for word in words) and not any(dfa.accepts(word) for word in others)


@pytest.mark.parametrize(("text", "position"), [("(ab", 4), ("*a", 1), ("a)", 2), ("a|*b", 3)])
def test_expressions_that_are_none(text, position):
    with pytest.raises(ParseError) as error:
        regular(text, "ab")
    assert error.value.position == position


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("((", 3),
        ("*", 1),
        ("a{3,1}", 3),
        ("a{}", 3),
        ("a{", 3),
        ("[", 2),
        ("[b-a]", 2),
        ("a**", 3),
        ("a+?", 3),
        ("a^", 2),
        ("\\", 2),
    ],
)
def test_what_is_no_regular_expression_is_refused_with_its_place(text, position):
    for entry in (lambda: semiautomaton(f"regex:{text}"), lambda: regular(text)):
        with pytest.raises(ParseError, match=r"regular expression .*expected") as error:
            entry()
        assert error.value.position == position


def test_an_expression_without_letters_is_refused():
    with pytest.raises(ValueError, match="has no letters"):
        semiautomaton("regex:")


REPETITIONS = ["*", "+", "?", "{2}", "{1,2}", "{2,}", "{,2}", "{0}"]
SYNTAX = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^b]", "()"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(REPETITIONS)).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)


@given(SYNTAX)
@settings(max_examples=60, deadline=None)
def test_expressions_say_what_those_of_python_say(text):
    dfa, twin = regular(text, "ab"), re.compile(text.replace("{,", "{0,"))
    for length in range(6):
        for word in map("".join, itertools.product("ab", repeat=length)):
            assert bool(dfa.accepts(word)) == bool(twin.fullmatch(word))


@pytest.mark.parametrize("text", [*STAR_FREE, *EXPRESSIONS])
def test_both_entries_read_one_language_and_another_library_agrees(text):
    dfa, automaton = regular(text), semiautomaton(f"regex:{text}")
    assert (dfa.automaton.table == automaton.table).all() and automaton.name == text
    if find_spec("automata"):
        from automata.fa.dfa import DFA
        from automata.fa.nfa import NFA

        # its alphabet counts digits of repetitions as letters, if it is not told otherwise
        twin = DFA.from_nfa(NFA.from_regex(text, input_symbols=set(dfa.letters))).to_complete().minify()
        assert (semiautomaton(twin).table == automaton.table).all()
        assert len(twin.states) == dfa.num_states


def test_escaped_letters_and_blanks():
    brackets = regular(r"( \( \) )*")
    assert brackets.letters == ("(", ")") and [bool(brackets.accepts(word)) for word in ("", "()()", "(")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["(a|b)*a(a|b){40}", "((a{999}){999}){999}", "a{999999}", "(.*a.{30}|b)[ab]"])
def test_automata_that_would_explode_are_refused_with_a_stated_limit(text):
    with (
        cost.allow(0.02),
        pytest.raises(cost.TooExpensive, match=r"(states before any are merged|positions of the expression)"),
    ):
        regular(text)
