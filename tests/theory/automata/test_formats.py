"""Automata in files of other tools: read as they mean them, written and read again, refused by name; acceptance is kept."""

import itertools
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import bounds
from theory.automata import (
    Dfa,
    Semiautomaton,
    language,
    load,
    named_or_loaded,
    read_automaton,
    regular,
    semiautomaton,
    write_automaton,
)
from theory.automata.formats import read_automaton_text
from theory.automata.hoa import from_hoa, hoa_text
from theory.strategies import dfas

HOA = """HOA: v1 /* a comment /* in a comment */ */
name: "even"  tool: "hand" "1"
States: 2
Start: 1
AP: 2 "p" "q r"
Alias: @both 0&1
Alias: @some !@both & (0|1)
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: state-acc
--BODY--
State: 0 "odd"
[@some] 1 [!@some] 0
State: 1 "even" {0}
[@both | !0&!1] 1
[@some] 0
--END--
"""
DOT = """/* drawn */ digraph even {
  rankdir=LR;
  node [shape = doublecircle]; q;
  node [shape = circle];
  hidden [shape=none, label=""];
  hidden -> q;
  subgraph cluster_0 { r [label="odd \\"state\\""]; }
  q -> r [label="a"];  r -> q [label=a];
  q -> q [label="b, c"];
  r:e -> r:w [label="b\\nc"];
}"""
BA = "[q]\na,[q]->[r]\na,[r]->[q]\nb,[q]->[q]\nb,[r]->[r]\n[q]\n"


def words(letters, length):
    return itertools.chain.from_iterable(itertools.product(letters, repeat=n) for n in range(length + 1))


def agree(one, other, length=4):
    assert set(one.letters) == set(other.letters)
    for word in words(one.letters, length):
        pair = [dfa.accepts(np.array([dfa.letters.index(letter) for letter in word], int)) for dfa in (one, other)]
        assert pair[0] == pair[1], word


def test_hoa_is_read_with_comments_aliases_and_names():
    found = from_hoa(HOA)
    assert found.automaton.name == "even" and found.automaton.states == ("even", "odd")
    assert found.letters == ("!p&!q r", "p&!q r", "!p&q r", "p&q r")
    for word in words(range(4), 4):
        assert bool(found.accepts(np.array(word, int))) == (sum(letter in (1, 2) for letter in word) % 2 == 0)


def test_edges_of_hoa_without_labels_are_in_the_order_of_the_letters():
    text = 'HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- State: 0 0 1 State: 1 {0} 1 0 --END--'
    found = from_hoa(text)
    assert found.automaton.table.tolist() == [[0, 1], [1, 0]] and found.accepting.tolist() == [False, True]


def test_labels_of_states_are_those_of_their_edges():
    text = 'HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- State: [0] 0 1 State: [t] 1 {0} 0 --END--'
    assert from_hoa(text).automaton.table.tolist() == [[2, 1], [0, 0], [2, 2]]


@pytest.mark.parametrize("acceptance", ["0 t", "2 Inf(0)&Inf(1)", "1 Fin(0)"])
def test_acceptance_of_infinite_words_alone_is_not_kept(acceptance):
    text = f'HOA: v1 States: 1 Start: 0 AP: 1 "a" Acceptance: {acceptance} --BODY-- State: 0 {{0}} [t] 0 --END--'
    assert isinstance(from_hoa(text), Semiautomaton)
    edges = 'HOA: v1 States: 1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 0 {0} --END--'
    assert isinstance(from_hoa(edges), Semiautomaton)


@pytest.mark.needs("hoa")
@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")  # its grammar
def test_another_reader_of_hoa_reads_what_is_written():
    from hoa.parsers import HOAParser

    parse = HOAParser()
    for automaton in (regular("(a|b)*abb"), semiautomaton("S4"), language([[0]], accepting=[0])):
        read = parse(hoa_text(automaton))
        machine = automaton.automaton if isinstance(automaton, Dfa) else automaton
        edges = [(state.index, edge.state_conj[0]) for state, row in read.body.state2edges.items() for edge in row]
        assert edges == [(q, int(r)) for q, row in enumerate(machine.table) for r in row]
        marked = [state.index for state in read.body.state2edges if state.acc_sig]
        assert marked == (np.flatnonzero(automaton.accepting).tolist() if isinstance(automaton, Dfa) else [])


@pytest.mark.needs("pydot")
def test_dot_is_read_with_defaults_ports_and_subgraphs():
    found = read_automaton_text(DOT)
    assert found.automaton.states == ("q", 'odd "state"') and found.letters == ("a", "b", "c")
    assert found.automaton.table.tolist() == [[1, 0, 0], [0, 1, 1]] and found.accepting.tolist() == [True, False]


@pytest.mark.needs("pydot", "aalpy", "pyformlang")
def test_drawings_of_other_libraries_are_read(tmp_path):
    from aalpy import automata as aalpy
    from aalpy.utils.FileHandler import save_automaton_to_file
    from pyformlang import finite_automaton as kinds

    states = [aalpy.DfaState(name, name == "r") for name in "qr"]
    for here, there in (states, states[::-1]):
        here.transitions = {"a": there, "b": here}
    save_automaton_to_file(aalpy.Dfa(states[0], states), str(tmp_path / "aalpy"), file_type="dot")
    dfa = kinds.DeterministicFiniteAutomaton()
    dfa.add_transitions([("q", "a", "r"), ("r", "a", "q"), ("q", "b", "q"), ("r", "b", "r")])
    dfa.add_start_state("q")
    dfa.add_final_state("r")
    dfa.write_as_dot(str(tmp_path / "pyformlang.dot"))
    for given_ in (tmp_path / "aalpy.dot", tmp_path / "pyformlang.dot", aalpy.Dfa(states[0], states), dfa, dfa.to_networkx()):
        agree(language(given_), regular("b*ab*(ab*ab*)*", "ab"), 6)


def test_ba_is_read():
    found = read_automaton_text(BA)
    assert found.automaton.table.tolist() == [[1, 0], [0, 1]] and found.accepting.tolist() == [True, False]
    everywhere = read_automaton_text("# all accept\na,0->1\na,1->1\n")
    assert everywhere.accepting.all() and everywhere.automaton.states == ("0", "1")


@pytest.mark.needs("pydot")
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["a", "ab", ["open", "x y", '"'], "0aé"]).flatmap(lambda names: dfas(letters=names, max_states=5)),
    st.sampled_from([".hoa", ".dot", ".gv", ".ba", ".json"]),
)
def test_what_is_written_is_read_again(tmp_path_factory, dfa, suffix):
    path = tmp_path_factory.mktemp("written") / f"mine{suffix}"
    if suffix == ".ba" and not (dfa.accepting.any() and all(letter.isalnum() for letter in dfa.letters)):
        with pytest.raises(ValueError, match=r"no state accepts|cannot be written in the format BA"):
            write_automaton(dfa, path)
        return
    found = read_automaton(write_automaton(dfa, path))
    if not dfa.accepting.any() and suffix in (".dot", ".gv"):
        assert isinstance(found, Semiautomaton)
        return
    agree(found, dfa)


@pytest.mark.needs("pydot")
@pytest.mark.parametrize("suffix", [".hoa", ".dot", ".json"])
@pytest.mark.parametrize("name", ["S5", "parity", "flip_flop3", "regex:(ab)*"])
def test_without_acceptance_the_moves_are_kept(tmp_path, name, suffix):
    automaton = semiautomaton(name)
    found = read_automaton(write_automaton(automaton, tmp_path / f"mine{suffix}"))
    assert isinstance(found, Semiautomaton) and found.table.tolist() == automaton.table.tolist()
    with pytest.raises(ValueError, match="does not say which states accept"):
        language(found)


def test_json_keeps_what_is_accepted_and_starts_where_it_says(tmp_path):
    table = {"x": {"a": "y"}, "y": {"a": "x"}}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"table": table, "initial": "y", "accepting": ["x"], "name": "mine"}))
    found = read_automaton(path)
    assert found.automaton.states == ("y", "x") and found.accepting.tolist() == [False, True]
    assert found.automaton.name == "mine" and found.letters == ("a",)
    path.write_text('{"regex": "(aa)*", "letters": "ab"}')
    assert not read_automaton(path).is_star_free
    path.write_text('\ufeff{"table": [[1], [0]], "accepting": []}', encoding="utf-8")
    assert not read_automaton(path).accepting.any()


@pytest.mark.needs("pydot")
@settings(max_examples=25, deadline=None)
@given(dfas(letters="ab", max_states=5), st.randoms(use_true_random=False), st.sampled_from([".hoa", ".dot", ".json"]))
def test_states_that_are_called_by_numbers_in_any_order_accept_the_same_words(tmp_path_factory, dfa, random, suffix):
    names = list(map(str, range(dfa.num_states)))
    random.shuffle(names)
    named = Dfa(Semiautomaton(dfa.automaton.table, "mine", tuple(names), tuple("ab")), dfa.accepting, tuple("ab"))
    found = load(write_automaton(named, tmp_path_factory.mktemp("written") / f"mine{suffix}"))
    if isinstance(found, Dfa) or suffix != ".dot":
        agree(found, named)


@pytest.mark.parametrize(
    ("text", "said", "accepting"),
    [
        ({"table": [[1], [0]], "states": ["1", "0"], "accepting": ["1"]}, ("1", "0"), [True, False]),
        ({"table": [[1], [0]], "states": ["1", "0"], "accepting": [0]}, ("1", "0"), [False, True]),
        ({"table": [[1], [0]], "states": ["1", "0"], "initial": None, "accepting": [1]}, ("1", "0"), [True, False]),
        ({"table": [[1], [0]], "states": ["1", "0"], "initial": 0, "accepting": [1]}, ("0", "1"), [False, True]),
        ({"table": {"2": {"a": "0"}, "0": {"a": "2"}}, "accepting": ["2"]}, ("2", "0"), [True, False]),
        ({"table": {"2": {"a": "0"}, "0": {"a": "2"}}, "initial": "0", "accepting": []}, ("0", "2"), [False, False]),
    ],
)
def test_the_first_state_of_json_is_the_initial_one_whatever_it_is_called(text, said, accepting):
    found = read_automaton_text(json.dumps(text))
    assert found.automaton.states == said and found.accepting.tolist() == accepting


WRONG = [
    ("", "is empty"),
    ("  \n\n", "is empty"),
    ("# nothing\n// here\n/* or here */", "comments alone"),
    ("hello world", "no format that is known"),
    ("@NFA-explicit\n%Initial q", "VTF of mata"),
    ("Ops a:0\n", "Timbuk"),
    ("<?xml version='1.0'?><structure/>", "JFLAP"),
    ("[[1, 2], [2, 1]]", "counts from 1"),
    ('{"table": [[0]], "accept": [0]}', "did you mean 'accepting'"),
    ("[[0, 1]", "cannot be read as JSON"),
    (HOA.replace("[@some] 0\n--END", "[t] 0\n--END"), r"in state 1 \(even\) the letter !p&!q r leads to 1 and to 0"),
    (HOA.replace("Start: 1", "Start: 1 Start: 0"), "initial states 1, 0"),
    (HOA.replace("Start: 1", "Start: 1&0"), "alternating"),
    (HOA.replace("[@some] 0", "[@some] 0&1"), "alternating"),
    (HOA.replace("Start: 1\n", ""), "no initial state"),
    (HOA.replace("v1", "v2"), "version v2"),
    (HOA.replace("--END--", ""), "got 'the end of the text'"),
    (HOA + HOA, "more than one automaton"),
    (HOA.replace("--END--", "--ABORT--"), "gave up"),
    (HOA.replace("@some] 0", "@none] 0"), "'@none' is no part of a label"),
    (HOA.replace("[@some] 0", "[7] 0"), "'7' is no part of a label"),
    (HOA.replace("[@some] 0", "[@some] 5"), "state 5 is none of the 2 states"),
    (HOA.replace("AP: 2", "AP: 3"), "one line AP:"),
    (HOA.replace("tool:", "Controllable: 1 tool:"), "the header Controllable: changes the meaning"),
    (HOA.replace("*/ */", "*/"), "the comment that begins here never ends"),
    (HOA.replace("States:", "§"), "no word of the Hanoi format"),
    (HOA.replace('State: 0 "odd"', 'State: 1 "odd"'), "described twice"),
    (BA + "a,[q]->[q]\n", "behind the accepting states"),
    (BA.replace("[r]->[r]", "[r]->[r]\nb,[r]->[q]"), "in state r the letter b leads to r and to q"),
    ("[q]\n[r]\na,[q]->[r]", "initial states q, r"),
    ("[q]\na [q] -> [r]", "line 2: 'a"),
    ("[q]\n[r]\n", "no moves"),
]
WRONG_DOT = [
    ("graph { a -- b }", "no directed graph"),
    ("digraph { a -> ", "no graph in DOT"),
    ('digraph { a -> b [label="x"]; }', "no initial state"),
    ("digraph { s -> a; a -> a; }", "has no letter"),
    ('digraph { s -> a; t -> b; a -> b [label="x"]; }', "the initial states a, b"),
    ('digraph { s -> a; a -> a [label="x"]; a -> b [label="x"]; }', "in state a the letter x leads to a and to b"),
    ('digraph { s -> a; a -> a [label="x/1"]; a -> b [label="y / 0"]; }', "input/output"),
    ("digraph { s -> a; }", "no letters"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_wrong_is_said(text, said, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as caught:
        read_automaton(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.needs("pydot")
@pytest.mark.parametrize(("text", "said"), WRONG_DOT)
def test_what_is_wrong_with_a_drawing_is_said(text, said):
    with pytest.raises(ValueError, match=said):
        read_automaton_text(text)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_automaton(tmp_path / "nowhere.hoa")
    with pytest.raises(ValueError, match="it is no file"):
        read_automaton(tmp_path)
    (tmp_path / "bytes.hoa").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ValueError, match="cannot be read"):
        read_automaton(tmp_path / "bytes.hoa")
    with pytest.raises(ValueError, match=r"\.hoa, \.dot"):
        write_automaton(regular("a"), tmp_path / "mine.txt")
    with pytest.raises(ValueError, match="has accepting states"):
        write_automaton(semiautomaton("S3"), tmp_path / "mine.ba")
    with pytest.raises(ValueError, match="cannot be written in the format BA"):
        write_automaton(language({"q": {"a,b": "q"}}, accepting=["q"]), tmp_path / "mine.ba")
    with pytest.raises(ValueError, match="cannot be written in DOT"):
        write_automaton(language({"q": {"a,b": "q"}}, accepting=["q"]), tmp_path / "mine.dot")


def test_without_pydot_a_drawing_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pydot", None)
    with pytest.raises(ImportError, match=r"pip install 'depthjax\[automata\]'"):
        read_automaton_text(DOT)


@pytest.mark.needs("aalpy", "automata")
def test_acceptance_of_other_libraries_is_kept():
    from aalpy import automata as aalpy
    from automata.fa.dfa import DFA

    rng = random.Random(0)
    for _ in range(20):
        size = rng.randint(1, 5)
        table = [[rng.randrange(size) for _ in "ab"] for _ in range(size)]
        ends = [q for q in range(size) if rng.random() < 0.5]
        mine = language(table, accepting=ends)
        mine = Dfa(mine.automaton, mine.accepting, ("a", "b"))
        reached = sorted({int(q) for word in words((0, 1), 5) for q in [_run(table, word)]})
        moves = {q: dict(zip("ab", table[q], strict=True)) for q in reached}
        theirs = DFA(
            states=set(reached),
            input_symbols=set("ab"),
            transitions=moves,
            initial_state=0,
            final_states=set(ends) & set(reached),
        )
        agree(language(theirs), mine)
        for word in words("ab", 4):
            assert theirs.accepts_input("".join(word)) == bool(mine.accepts("".join(word)))
        for make, says in ((aalpy.DfaState, bool), (aalpy.MooreState, int)):
            states = {q: make(f"s{q}", says(q in ends)) for q in reached}
            for q in reached:
                states[q].transitions = {letter: states[target] for letter, target in moves[q].items()}
            kind = aalpy.Dfa if make is aalpy.DfaState else aalpy.MooreMachine
            agree(language(kind(states[0], list(states.values()))), mine)


def _run(table, word):
    state = 0
    for letter in word:
        state = table[state][letter]
    return state


@pytest.mark.needs("aalpy", "networkx")
def test_a_language_needs_acceptance():
    import networkx
    from aalpy import automata as aalpy

    graph = networkx.MultiDiGraph()
    graph.add_edge("q", "q", label="a")
    state = aalpy.MooreState("q", "many")
    state.transitions = {"a": state}
    for each in ("S3", [[0]], {"q": {"a": "q"}}, graph, aalpy.MooreMachine(state, [state])):
        with pytest.raises(ValueError, match=r"does not say which states accept.*accepting=\[\.\.\.\]"):
            language(each)
    assert language(graph, accepting=["q"]).accepts("aaa")
    for wrong, said in ((["r"], "'r' is no state"), ("q", "expected a list"), (3, "expected a list"), ([1], "1 is no state")):
        with pytest.raises(ValueError, match=said):
            language(graph, accepting=wrong)
    assert language({"p": {"a": "q"}, "q": {"a": "p"}}, accepting=["p"], initial="q").accepts("a")
    with pytest.raises(ValueError, match="letters of its own"):
        language("S3", letters="ab")


def test_a_letter_that_dot_would_trim_is_refused(tmp_path):
    for letters in ((" a", "b"), ("a", "b ")):
        found = Semiautomaton(np.array([[1, 0], [0, 1]]), "mine", (), letters)
        with pytest.raises(ValueError, match=r"cannot be written in DOT.*write HOA or JSON"):
            write_automaton(found, tmp_path / "mine.dot")
        again = read_automaton(write_automaton(found, tmp_path / "mine.hoa"))
        assert again.letters == letters and (again.table == found.table).all()


@pytest.mark.needs("pydot")
def test_letters_that_dot_would_take_for_outputs_are_refused(tmp_path):
    table = np.array([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"letters a/b, // cannot be written in DOT.*write HOA or JSON"):
        write_automaton(Semiautomaton(table, "mine", (), ("a/b", "//")), tmp_path / "mine.dot")
    one_of_them = Semiautomaton(table, "mine", (), ("a/b", "c"))
    assert read_automaton(write_automaton(one_of_them, tmp_path / "mine.dot")).letters == ("a/b", "c")


@pytest.mark.parametrize("suffix", [".hoa", ".dot", ".ba", ".json"])
@pytest.mark.parametrize("written", [str, str.upper, "\ufeff{}".format, lambda text: text.replace("\n", "\r\n")])
def test_one_reader_takes_files_texts_and_objects(suffix, written, tmp_path, monkeypatch):
    """`load` of a path, of its text and of the object are alike, whatever the case of the suffix and the ends of lines."""
    if suffix == ".dot":
        pytest.importorskip("pydot")
    dfa = regular("a(b|c)*", "abc")
    own = write_automaton(dfa, tmp_path / f"mine{suffix}")
    text = own.read_text(encoding="utf-8")
    path = tmp_path / (f"mine{suffix.upper()}" if written is str.upper else f"other{suffix}")
    path.write_bytes((text if written is str.upper else written(text)).encode())
    monkeypatch.chdir(tmp_path)
    for source in (path, str(path), f"./{path.name}", load(path)):
        agree(load(source), dfa)
        agree(language(source), dfa)
        assert isinstance(named_or_loaded(source), Semiautomaton)
        assert bounds.automaton(source).at() == bounds.automaton(dfa).at()
        assert bounds.permutation_diagonal(source).at() == bounds.permutation_diagonal(dfa).at()
    if suffix in (".hoa", ".json"):
        agree(load(text), dfa)


@pytest.mark.needs("aalpy", "networkx")
def test_one_reader_keeps_what_objects_accept():
    import networkx
    from aalpy import automata as aalpy

    graph = networkx.MultiDiGraph(initial="q")
    graph.add_edge("q", "r", label="a")
    graph.add_edge("r", "q", label="a")
    assert isinstance(load(graph), Semiautomaton)
    graph.add_node("r", accepting=True)
    state = aalpy.DfaState("q", True)
    state.transitions = {"a": state}
    for source, word in ((graph, "a"), (aalpy.Dfa(state, [state]), ""), ("regex:(ab)*", "ab"), (regular("a*"), "aa")):
        found = load(source)
        assert isinstance(found, Dfa) and found.accepts(word) and language(source).accepts(word)
        assert (named_or_loaded(source).table == found.automaton.table).all()
    for plain in ("parity", "T3", [[0, 1], [1, 0]], {"q": {"a": "q"}}, semiautomaton("S3")):
        assert isinstance(load(plain), Semiautomaton)
    with pytest.raises(ValueError, match="letters of its own"):
        load(graph, letters="ab")


PARTS = {  # keys as automata-lib, textbooks and JavaScript have them
    "automata-lib": ("states", "input_symbols", "transitions", "initial_state", "final_states"),
    "textbook": ("Q", "Sigma", "delta", "q0", "F"),
    "JavaScript": ("states", "alphabet", "transitions", "start", "acceptStates"),
}


@pytest.mark.parametrize("as_triples", [False, True])
@pytest.mark.parametrize("tool", PARTS)
def test_json_with_the_parts_of_other_tools_is_read(tool, as_triples, tmp_path):
    moves = {"p": {"0": "q", "1": "p"}, "q": {"0": "p", "1": "r"}, "r": {"0": "r", "1": "r"}}
    triples = [[state, letter, target] for state, row in reversed(moves.items()) for letter, target in row.items()]
    parts = ["p", "r", "q"], ["1", "0"], triples if as_triples else moves, "p", ["r", "q"]
    (tmp_path / "mine.json").write_text(json.dumps(dict(zip(PARTS[tool], parts, strict=True))))
    found = read_automaton(tmp_path / "mine.json")
    assert isinstance(found, Dfa) and found.letters == ("1", "0")
    for length in range(6):
        for word in itertools.product("01", repeat=length):
            state = "p"
            for letter in word:
                state = moves[state][letter]
            assert found.accepts([found.letters.index(letter) for letter in word]) == (state in "qr"), word


def test_parts_that_are_left_out_are_those_of_the_transitions():
    found = read_automaton_text('{"transitions": {"a": {"x": "b"}, "b": {"x": "a"}}}')
    assert not isinstance(found, Dfa) and (found.states, found.letters, found.table.tolist()) == (
        ("a", "b"),
        ("x",),
        [[1], [0]],
    )
    numbered = read_automaton_text(
        '{"alphabet": "ab", "transitions": [[0, "a", 1], [0, "b", 0], [1, "a", 0], [1, "b", 1]], "final": [1]}'
    )
    assert numbered.accepting.tolist() == [False, True] and numbered.letters == ("a", "b")


BAD_PARTS = [
    ('{"transitions": 5}', "transitions = 5: expected"),
    ('{"transitions": [["p", "a"]]}', "expected .state, letter, next state"),
    (
        '{"transitions": [["p", "a", "p"], ["p", "a", "q"]]}',
        "nondeterministic: in state 'p' the letter 'a' leads to 'p' and to 'q'",
    ),
    ('{"transitions": {"p": {"a": ["p", "q"]}}}', "nondeterministic: in state 'p'"),
    ('{"transitions": {"p": {"a": []}}}', "leads to no state"),
    ('{"transitions": {"p": {"a": "p"}}, "colour": 1}', "'colour': this key is not read"),
    ('{"transitions": {"p": {"a": "p"}}, "F": ["p"], "final": []}', "two spellings"),
    ('{"transitions": {"p": {"a": "p"}}, "states": ["q"]}', "'p' of the transitions is none of the states q"),
    ('{"transitions": {"p": {"a": "p"}}, "states": ["p", "p"]}', "'p' stands there twice"),
    ('{"transitions": {"p": {"a": "p"}}, "alphabet": 3}', "letters = 3: expected a list"),
    ('{"transitions": {"p": {"a": "p"}, "q": {"b": "q"}}}', "is partial"),
    ('{"transitions": {"p": {"a": "p"}}, "final": ["z"]}', "'z' is not a state"),
    ('{"transitions": {"p": {"a": true}}}', "texts or numbers"),
    ('{"transitions": {"p": {"a": "p", "a": "q"}}}', "'a' stands twice"),
    ('{"transitions": {}}', "has no letters"),
]


@pytest.mark.parametrize(("text", "said"), BAD_PARTS)
def test_parts_that_do_not_fit_are_refused(text, said):
    with pytest.raises(ValueError, match=said):
        read_automaton_text(text)
