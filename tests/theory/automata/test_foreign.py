"""Automata and groups as other libraries, files and people write them: read as they mean them, or refused by name."""

import itertools
import json
import os
from types import SimpleNamespace

import numpy as np
import pytest
from sympy.combinatorics import AlternatingGroup, Cycle, Permutation, PermutationGroup

from experiments import cli
from theory import bounds
from theory.automata import load, named_or_loaded, semiautomaton
from theory.automata.files import LARGEST
from theory.groups import FiniteGroup, group

EVEN = {"q": {"a": "r", "b": "q"}, "r": {"a": "q", "b": "r"}}  # an even number of a


def library(name, module, **attributes):
    """An object whose class has the name and the module of another library's."""
    found = type(name, (), {"__module__": module})()
    vars(found).update(attributes)
    return found


def aalpy_like(kind, moves):
    states = {name: SimpleNamespace(state_id=name, transitions={}) for name in moves}
    for name, row in moves.items():
        states[name].transitions = {letter: states[target] for letter, target in row.items()}
    return library(kind, f"aalpy.automata.{kind}", initial_state=next(iter(states.values())), states=list(states.values()))


def graph_of(networkx, moves, **kinds):
    graph = networkx.MultiDiGraph(**kinds)
    graph.add_nodes_from(moves)
    for source, row in moves.items():
        for letter, target in row.items():
            graph.add_edge(source, target, label=letter)
    return graph


@pytest.mark.needs("aalpy", "automata", "networkx")
def test_the_same_automaton_from_everywhere(tmp_path):
    import networkx
    from aalpy import automata as aalpy
    from automata.fa import dfa as dfas

    states = {name: aalpy.DfaState(name, name == "q") for name in EVEN}
    moores = {name: aalpy.MooreState(name, name) for name in EVEN}
    for kind in (states, moores):
        for name, row in EVEN.items():
            kind[name].transitions = {letter: kind[target] for letter, target in row.items()}
    graph = graph_of(networkx, EVEN)
    drawn = graph_of(networkx, {"r": EVEN["r"], "q": EVEN["q"]})
    drawn.add_edge("start", "q")
    marked = graph_of(networkx, {"r": EVEN["r"], "q": EVEN["q"]})
    marked.nodes["q"]["is_start"] = True
    (tmp_path / "even.json").write_text(json.dumps(EVEN))
    (tmp_path / "rows.json").write_text(json.dumps({"table": [[1, 0], [0, 1]], "letters": "ab", "states": ["q", "r"]}))
    (tmp_path / "moves.json").write_text(json.dumps({"table": EVEN, "initial": "q", "accepting": ["q"], "letters": ["a", "b"]}))
    given = [
        EVEN,
        dfas.DFA(states=set(EVEN), input_symbols={"a", "b"}, transitions=EVEN, initial_state="q", final_states={"q"}),
        aalpy.Dfa(states["q"], list(states.values())),
        aalpy.MooreMachine(moores["q"], list(moores.values())),
        aalpy_like("Dfa", EVEN),
        graph,
        drawn,
        marked,
        graph_of(networkx, {"r": EVEN["r"], "q": EVEN["q"]}, initial="q"),
        *(tmp_path / name for name in ("even.json", "rows.json", "moves.json")),
    ]
    for each in given:
        found = semiautomaton(each)
        assert (found.states, found.letters, found.table.tolist()) == (("q", "r"), ("a", "b"), [[1, 0], [0, 1]]), each


@pytest.mark.needs("pyformlang")
def test_a_dfa_of_pyformlang():
    from pyformlang import finite_automaton as kinds

    dfa = kinds.DeterministicFiniteAutomaton()
    dfa.add_transitions([(q, letter, target) for q, row in EVEN.items() for letter, target in row.items()])
    dfa.add_start_state("q")
    assert semiautomaton(dfa).states == ("q", "r") and semiautomaton(dfa).table.tolist() == [[1, 0], [0, 1]]
    assert semiautomaton(dfa.to_networkx()).table.tolist() == [[1, 0], [0, 1]]
    partial = kinds.DeterministicFiniteAutomaton()
    partial.add_transition(0, "a", 1)
    partial.add_transition(1, "b", 0)
    partial.add_start_state(0)
    assert semiautomaton(partial).table.tolist() == [[1, 2], [2, 0], [2, 2]]
    many = kinds.NondeterministicFiniteAutomaton()
    many.add_transitions([(0, "a", 0), (0, "a", 1)])
    many.add_start_state(0)
    with pytest.raises(ValueError, match=r"NFA.*to_deterministic"):
        semiautomaton(many)
    assert semiautomaton(many.to_deterministic()).num_states >= 2


def test_a_stand_in_of_pyformlang():
    """The same interface without the library."""

    class Named(SimpleNamespace):
        __hash__ = object.__hash__

    q, r, a = (Named(value=value) for value in "qra")
    dfa = library(
        "DeterministicFiniteAutomaton",
        "pyformlang.finite_automaton",
        start_states={q},
        start_state=q,
        states={q, r},
        symbols={a},
        to_dict=lambda: {q: {a: r}, r: {a: q}},
    )
    assert semiautomaton(dfa).table.tolist() == [[1], [0]] and semiautomaton(dfa).states == ("q", "r")
    dfa.start_states = set()
    with pytest.raises(ValueError, match="no start state"):
        semiautomaton(dfa)


MACHINES = [
    ("NFA", "automata.fa.nfa", "an NFA.*DFA.from_nfa"),
    ("GNFA", "automata.fa.gnfa", "an NFA"),
    ("DPDA", "automata.pda.dpda", "a pushdown automaton.*dyck3"),
    ("NPDA", "automata.pda.npda", "a pushdown automaton"),
    ("DTM", "automata.tm.dtm", "a Turing machine"),
    ("NTM", "automata.tm.ntm", "a Turing machine"),
    ("MNTM", "automata.tm.mntm", "a Turing machine"),
    ("EpsilonNFA", "pyformlang.finite_automaton", "an NFA"),
    ("NondeterministicFiniteAutomaton", "pyformlang.finite_automaton", "an NFA"),
    ("PDA", "pyformlang.pda", "a pushdown automaton"),
    ("FST", "pyformlang.fst", "an output"),
    ("MealyMachine", "aalpy.automata.MealyMachine", "an output"),
    ("NDMooreMachine", "aalpy.automata", "several next states"),
    ("Onfsm", "aalpy.automata", "several next states"),
    ("Sevpa", "aalpy.automata", "a pushdown automaton"),
    ("Vpa", "aalpy.automata", "a pushdown automaton"),
    ("MarkovChain", "aalpy.automata", "random or weighted"),
    ("StochasticMealyMachine", "aalpy.automata", "an output|random"),
    ("Mdp", "aalpy.automata", "random or weighted"),
    ("MealyMachine", "mine", "an output"),
    ("Transducer", "mine", "an output"),
    ("BuchiAutomaton", "mine", "several next states"),
]


@pytest.mark.parametrize(("name", "module", "said"), MACHINES)
def test_other_machines_are_refused_by_name(name, module, said):
    for transitions in ({}, {"q": {"a": "q"}}):
        machine = library(
            name, module, transitions=transitions, states={"q"}, input_symbols={"a"}, initial_state="q", final_states=set()
        )
        with pytest.raises(ValueError, match=f"given = a {name} of {module.split('.')[0]}.*({said})"):
            semiautomaton(machine)


@pytest.mark.needs("aalpy", "automata")
def test_machines_of_the_libraries_themselves_are_refused():
    from aalpy import automata as aalpy
    from automata.fa import nfa as nfas
    from automata.pda import dpda as pdas

    with pytest.raises(ValueError, match="an NFA"):
        semiautomaton(nfas.NFA.from_regex("x*"))
    counter = pdas.DPDA(
        states={"q"},
        input_symbols={"a", "b"},
        stack_symbols={"0", "1"},
        transitions={"q": {"a": {"0": ("q", ("1", "0")), "1": ("q", ("1", "1"))}, "b": {"1": ("q", "")}}},
        initial_state="q",
        initial_stack_symbol="0",
        final_states={"q"},
    )
    with pytest.raises(ValueError, match="a pushdown automaton"):
        semiautomaton(counter)
    state = aalpy.MealyState("s")
    state.transitions, state.output_fun = {"a": state}, {"a": 1}
    with pytest.raises(ValueError, match="an output"):
        semiautomaton(aalpy.MealyMachine(state, [state]))


FIELDS = {"states": {0, 1}, "input_symbols": {"a"}, "initial_state": 0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (SimpleNamespace(**FIELDS, transitions={0: {"a": {0, 1}}, 1: {"a": {1}}}), "one next state.*determinise"),
        (
            SimpleNamespace(**FIELDS, transitions={0: {"a": 0, "b": 1}, 1: {"a": 1}}),
            "'b', which is not one of its input symbols",
        ),
        (SimpleNamespace(**FIELDS, transitions={0: {"a": 7}, 1: {"a": 1}}), "to 7, which is no state"),
        (SimpleNamespace(**FIELDS, transitions={0: [1], 1: [0]}), "expected {symbol: next state}"),
        (SimpleNamespace(transitions={0: {"a": 0}}), "it has no states, input_symbols, initial_state"),
        (SimpleNamespace(**FIELDS, transitions=[1, 0]), "expected states, input_symbols"),
        (SimpleNamespace(**FIELDS | {"input_symbols": {1, "1"}}, transitions={0: {1: 1}, 1: {"1": 0}}), "the same name"),
        ({"q": {"a": {"q", "r"}}, "r": {"a": "q"}}, "one next state.*determinise"),
        ({"q": {"a": ["q"]}}, "one next state"),
        ({"q": {}}, "no letters"),
        (aalpy_like("Dfa", {"q": {"a": "q", "b": "r"}, "r": {"a": "q"}}), "partial.*make_input_complete"),
        (aalpy_like("Dfa", {"q": {"a": "q"}, "r": {"a": "q"}}), "unreachable"),
        (library("Whatever", "mine"), "expected rows"),
        (None, "expected rows"),
        (7, "expected rows"),
        ([[2, 1], [1, 2]], "counts from 1"),
        (np.array([[1.0]]), "not a state"),
    ],
    ids=range(17),
)
def test_what_is_no_complete_automaton_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        semiautomaton(given)


def test_letters_of_several_types_have_an_order():
    mixed = SimpleNamespace(states={0}, input_symbols={2, "x", 10}, initial_state=0, transitions={0: {2: 0, "x": 0, 10: 0}})
    assert len(semiautomaton(mixed).letters) == 3
    numbers = SimpleNamespace(states={0}, input_symbols={2, 10}, initial_state=0, transitions={0: {2: 0, 10: 0}})
    assert semiautomaton(numbers).letters == ("2", "10")


@pytest.mark.needs("networkx")
def test_graphs_that_are_no_automata_are_refused():
    import networkx

    wrong = {
        "no direction": networkx.Graph([(0, 1)]),
        "has no letter": networkx.MultiDiGraph([(0, 0), (0, 1), (1, 0)]),
        "is an NFA": networkx.MultiDiGraph([(0, 0, {"label": "a"}), (0, 1, {"label": "a"}), (1, 0, {"label": "a"})]),
        "is partial": networkx.DiGraph([(0, 1, {"label": "a"}), (1, 0, {"label": "b"})]),
        "which is not one letter": networkx.DiGraph([(0, 0, {"label": "a,b"})]),
        "at least one state": networkx.DiGraph(),
        "initial states": networkx.MultiDiGraph(initial=5),
    }
    wrong["initial states"].add_edge(0, 0, label="a")
    for said, graph in wrong.items():
        with pytest.raises(ValueError, match=said):
            semiautomaton(graph)
    several = networkx.DiGraph([(0, 1, {"label": ["a", "b"]}), (1, 0, {"label": ["a", "b"]})])
    assert semiautomaton(several).table.tolist() == [[1, 1], [0, 0]]


# files

BAD_FILES = [
    ('{"table": [[0, 1], [1, 0]], "letters": ["a", "a"]}', "letters = .*expected 2 different names"),
    ('{"table": [[0, 1], [1, 0]], "letters": "abc"}', "letters = .*expected 2 different names"),
    ('{"table": [[0, 1], [1, 0]], "states": ["q"]}', "states = .*expected 2 different names"),
    ('{"table": [[0, 1], [1, 0]], "states": 2}', "states = 2: expected 2 different names"),
    ('{"table": [[0, 1], [1, 0]], "accepting": [7]}', "accepting: 7 is not a state"),
    ('{"table": [[0, 1], [1, 0]], "accepting": 1}', "accepting = 1: expected a list"),
    ('{"table": [[0, 1], [1, 0]], "accepting": [true]}', "accepting: True is not a state"),
    ('{"table": [[0, 1], [1, 0]], "initial": "q"}', "initial: 'q' is not a state"),
    ('{"table": [[0, 1], [1, 0]], "initial": 2}', "initial: 2 is not a state"),
    ('{"table": [[0], [0]], "initial": 0}', "unreachable"),
    ('{"table": {"q": {"a": "q"}, "r": {"a": "q"}}, "initial": "q"}', "unreachable"),
    ('{"table": [[0]], "table": [[0], [0]]}', "the key 'table' stands twice"),
    ('{"q": {"a": "q", "a": "r"}, "r": {"a": "q"}}', "the key 'a' stands twice"),
    ('{"table": [[0]], "acepting": []}', "'acepting': this key is not read.*did you mean 'accepting'"),
    ('{"table": [[0]], "regex": "a"}', "'table': a regex has states of its own"),
    ('{"regex": "a", "accepting": [0]}', "a regex has states of its own"),
    ('{"regex": 5}', "the key 'regex' has the value 5"),
    ('{"regex": "(ab)*", "letters": "a"}', "speaks of the letter 'b'"),
    ('{"regex": "[0-9]", "letters": 5}', "expected different texts"),
    (r'{"regex": "\\d"}', "write .0-9."),
    ('{"table": [[0]], "name": 5}', "the key 'name' has the value 5"),
    ('{"table": 5}', "the key 'table' has the value 5"),
    ('{"table": {"q": 5}, "name": "x"}', "every state of the table"),
    ('{"table": {"q": {"a": "q"}}, "letters": ["b"]}', "the table has the letters a"),
    ('{"q": {"a": "r"}}', "to 'r', which is no state"),
    ('{"q": {"a": ["q"]}}', "one next state"),
    ("{}", "holds no table"),
    ("5", "holds no table"),
    ('"parity"', "holds no table"),
    ("[]", "no states or no letters"),
    ("[[1, 2], [2, 1]]", "counts from 1"),
    ("[[0, NaN]]", "not a state"),
    ("HOA: v1\nStates: 2\n", "in the middle of the automaton: expected --END--"),
    ("digraph { a -> b }", "has no letters"),
    ('strict graph "x" {}', "no directed graph"),
    ("@NFA-explicit\n%States q\n", "VTF"),
    ("Ops a:1\nAutomaton x\n", "Timbuk"),
    ("[0]\n0,[0]->[1]\n0,[0]->[0]\n[1]\n", "nondeterministic"),
    ('<?xml version="1.0"?><structure/>', "JFLAP"),
    ("[" * 100_000, "nest too deep"),
    ("", "it is empty"),
    (" \n", "it is empty"),
]


@pytest.mark.parametrize(("text", "said"), BAD_FILES, ids=range(len(BAD_FILES)))
def test_files_are_read_whole_or_refused(text, said, tmp_path, capsys):
    path = tmp_path / "given.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as error:
        load(path)
    assert str(path) in str(error.value)
    assert cli.main(["bound", "layers", "--automaton", str(path)]) == 2 and str(path) in capsys.readouterr().err


def test_a_dictionary_of_numbers_is_read_from_json_as_in_python(tmp_path):
    path = tmp_path / "numbers.json"
    moves = {0: {"a": 1, "b": 0}, 1: {"a": 0, "b": 1}}
    path.write_text(json.dumps(moves))
    assert load(path).table.tolist() == semiautomaton(moves).table.tolist()
    path.write_text(json.dumps({"table": {"table": "table"}}))  # a state and a letter of these names
    assert load(path).states == ("table",)


def test_devices_pipes_and_endless_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in ("/dev/zero", tmp_path / "pipe.json", tmp_path):
        with pytest.raises(ValueError, match="it is no file"):
            load(path)
    with open(tmp_path / "hole.json", "wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ValueError, match="more than"):
        load(tmp_path / "hole.json")


@pytest.mark.parametrize("name", ["machine.hoa", "machine.dot", "machine.ba", "./machine", "machine.txt", "nowhere/x.json"])
def test_paths_on_the_command_line_are_paths(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "machine.hoa").write_text("HOA: v1\n")
    for command in (["bound", "layers", "--automaton"], ["bound", "automaton"], ["trace", "ab", "--automaton"]):
        assert cli.main([*command, name]) == 2
        said = capsys.readouterr().err
        assert name.removeprefix("./") in said and "no semiautomaton is named" not in said
    (tmp_path / "kept.json").write_text("HOA: v1\nStates: 2\n")
    assert cli.main(["bound", "automaton", "kept.json"]) == 2 and "in the middle of" in capsys.readouterr().err
    (tmp_path / "machine").write_text("[[1], [0]]")
    assert named_or_loaded("./machine").table.tolist() == [[1], [0]]
    assert named_or_loaded("regex:a./b").letters == ("/", "a", "b")


# groups

SIX = [(1, 2, 0), (1, 0, 2)]


@pytest.mark.parametrize(
    "given",
    [
        ["(1 2 3)", "(1 2)"],
        ["(1,2,3)", "(1,2)(3)"],
        "(1,2,3),(1,2)",
        "Group((1,2,3), (1,2))",
        "Group([ (1,2,3), (1,2) ])",
        [Permutation(0, 1, 2), Permutation(0, 1)],
        [Permutation([1, 2, 0]), (1, 0, 2)],
        [Cycle(0, 1, 2), Cycle(0, 1)],
        [[(0, 1, 2)], [(0, 1)]],
        [Permutation(0, 1, 2).cyclic_form, [[0, 1], [2]]],
        PermutationGroup(Permutation(0, 1, 2), Permutation(2)(0, 1)),
    ],
    ids=str,
)
def test_permutations_of_others_give_the_group_that_they_mean(given):
    plain = FiniteGroup.from_permutations(SIX)
    assert (group(given).table == plain.table).all() and group(given).names == plain.names
    if not isinstance(given, str):
        assert FiniteGroup.from_permutations(given).order == 6
        assert bounds.layers(group=given).number == 2


def test_groups_of_sympy():
    assert group(AlternatingGroup(5)).order == 60 and group(Permutation(0, 1, 2, 3)).order == 4
    assert group(PermutationGroup([Permutation(3)])).order == 1 and group(["()"]).order == 1
    assert semiautomaton(PermutationGroup(Permutation(0, 1, 2))).num_states == 3
    assert group(["(1 2)(3 4)", "(1 3)(2 4)"]).order == 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([(2, 3, 1)], "counts from 1.*subtract 1"),
        (np.array([[1, 2], [2, 1]]), "as in GAP: subtract 1"),
        (["(0 1)"], "count the points from 1"),
        (["(1 1)"], "disjoint cycles"),
        (["(123)"], "separate the points"),
        (["(1 2"], "no permutation in cycles"),
        ("(1 2", "no permutation in cycles"),
        ("(1 2)(", "no permutation in cycles"),
        (["abc"], "no permutation in cycles"),
        ([[["a", "b"]]], "disjoint cycles"),
        ([[(0, 1), (1, 2)]], "disjoint cycles"),
        ([[(0, 10**9)]], "at most 100000 points"),
        ([1, 2], "not a permutation"),
        ([["x", 1]], "not a permutation"),
        ([[0.0, 1.0]], "not a permutation"),
    ],
    ids=str,
)
def test_permutations_that_are_none_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        group(given)


@pytest.mark.parametrize("given", [5, None, b"S3", object()])
def test_what_is_no_group_is_refused_with_what_is_read(given):
    with pytest.raises(TypeError, match="a group of permutations of sympy"):
        group(given)


def test_cycles_in_text_are_those_of_the_images():
    for images in itertools.permutations(range(4)):
        cycles = Permutation(list(images)).cyclic_form
        text = "".join(f"({' '.join(str(point + 1) for point in cycle)})" for cycle in cycles) or "()"
        assert (group([text, "(1 2 3 4)"]).table == group([images, (1, 2, 3, 0)]).table).all()
