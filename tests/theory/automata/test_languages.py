import itertools
import json
import re
import sys
from types import SimpleNamespace

import pytest

from theory.automata import load, semiautomaton

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
    pytest.importorskip("automata")
    automaton = semiautomaton(f"regex:{expression}")
    assert automaton.is_aperiodic() == STAR_FREE[expression]
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
    pytest.importorskip("automata")
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


def test_a_dfa_is_taken_as_it_stands_and_a_partial_one_rejects():
    dfas = pytest.importorskip("automata.fa.dfa")
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


@pytest.mark.parametrize("expression", ["((", "*", "a{3,1}", "[", ""])
def test_what_is_no_regular_expression_is_refused(expression):
    pytest.importorskip("automata")
    with pytest.raises(ValueError, match=r"is not a regular expression|has no letters"):
        semiautomaton(f"regex:{expression}")


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "automata.base.exceptions", None)
    with pytest.raises(ImportError, match=r"depthjax\[automata\]"):
        semiautomaton("regex:(ab)*")


def test_a_file_may_hold_an_expression(tmp_path):
    pytest.importorskip("automata")
    path = tmp_path / "language.json"
    path.write_text(json.dumps({"regex": "(aa)*"}))
    assert load(path).table.tolist() == [[1], [0]]
    assert load(path).name == "language"
