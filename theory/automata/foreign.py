"""Semiautomata from dictionaries and from the automata of other libraries; states and letters keep their names.

A library is known by the names of its classes and is never imported. Machines that move in another way than by "one next state
for each letter" are refused by name, with what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from theory.automata.semiautomaton import Semiautomaton

__all__ = ["from_dfa", "from_dictionary", "from_foreign"]


def from_foreign(given: Any) -> Semiautomaton | None:
    """The semiautomaton of an object of another library; None if the object is no automaton that is known here.

    Read are the DFA of automata-lib, the Dfa and the MooreMachine of AALpy, the DeterministicFiniteAutomaton of pyformlang, the
    directed graphs of networkx (an edge has its letter in ``label``), and whatever has the attributes of the first.

    Raises:
        ValueError: The object is a machine of another kind, such as an NFA, a pushdown automaton or a transducer; or it is no
            complete automaton.
    """
    for kind in type(given).__mro__:
        if read := _READERS.get((kind.__module__.partition(".")[0], kind.__name__)):
            return read(given)
    named = [kind.__name__ for kind in (given, *type(given).__mro__) if isinstance(kind, type)]
    for pattern, what, remedy in _OTHER_MACHINES:
        if any(re.search(pattern, name, re.IGNORECASE) for name in named):
            raise ValueError(
                f"given = {_shown(given)}: {what}, and a semiautomaton moves to one next state on each letter; {remedy}"
            )
    return from_dfa(given) if hasattr(given, "transitions") else None


def from_dictionary(moves: Mapping[Hashable, Mapping[Hashable, Hashable]], name: str = "this automaton") -> Semiautomaton:
    """The semiautomaton of a dictionary ``{state: {letter: next state}}``; the first state is state 0.

    States and letters keep their order (that of the first state's letters) and, as text, their names.

    Raises:
        ValueError: Some state has no transition on some letter, a transition leads to no state, or two names read the same.

    >>> turnstile = from_dictionary({"locked": {"coin": "open", "push": "locked"}, "open": {"coin": "open", "push": "locked"}})
    >>> turnstile.run(["push", "coin", "coin"], "locked"), turnstile.table.tolist()
    (('locked', 'open', 'open'), [[1, 0], [1, 0]])
    """
    if not moves or not all(isinstance(row, Mapping) for row in moves.values()):
        raise ValueError(f"{name} = {moves!r:.80}: expected {{state: {{letter: next state}}}} with at least one state")
    letters = tuple(dict.fromkeys(letter for row in moves.values() for letter in row))
    if not letters:
        raise ValueError(f"{name} has no letters: expected {{state: {{letter: next state}}}} with at least one letter")
    number = {state: i for i, state in enumerate(moves)}
    for state, row in moves.items():
        for letter in letters:
            if letter not in row:
                raise ValueError(
                    f"{name} is partial: state {state!r} has no transition on {letter!r}. A semiautomaton moves on every "
                    "letter; send missing transitions to a sink state"
                )
            _check_one(name, state, letter, row[letter], moves)
    states, spelled = tuple(map(str, moves)), tuple(map(str, letters))
    for kind, names in (("states", states), ("letters", spelled)):
        if len(set(names)) < len(names):
            raise ValueError(f"{name}: two {kind} have the same name among {', '.join(names)}; names are compared as text")
    table = np.array([[number[row[letter]] for letter in letters] for row in moves.values()], dtype=np.int64)
    return Semiautomaton(table, name, states, spelled)


def from_dfa(dfa: Any, name: str = "this automaton") -> Semiautomaton:
    """The semiautomaton of a DFA, not minimised: states in the order in which words reach them, letters sorted.

    Args:
        dfa: An ``automata.fa.dfa.DFA`` of automata-lib, or any object with its ``states``, ``input_symbols``,
            ``initial_state`` and ``transitions[state][symbol]``. Missing transitions lead to a sink, which comes last.
        name: Name used in messages.

    Raises:
        ValueError: Some states are not reached by any word, or a letter leads to several states, or to none that the object
            lists.

    >>> class Swap:
    ...     states, input_symbols, initial_state = {"x", "y"}, {"a"}, "y"
    ...     transitions = {"x": {"a": "y"}, "y": {"a": "x"}}
    >>> from_dfa(Swap).table.tolist()
    [[1], [0]]
    """
    lacking = [part for part in ("states", "input_symbols", "initial_state") if not hasattr(dfa, part)]
    if lacking or not isinstance(dfa.transitions, Mapping):
        raise ValueError(
            f"given = {_shown(dfa)}: expected states, input_symbols, initial_state and transitions[state][symbol]"
            + (f"; it has no {', '.join(lacking)}" if lacking else "")
        )
    for state, row in dfa.transitions.items():
        if not isinstance(row, Mapping):
            raise ValueError(f"{name}: transitions[{state!r}] = {row!r:.60}: expected {{symbol: next state}}")
        for letter, target in row.items():
            if letter not in dfa.input_symbols:
                raise ValueError(f"{name}: state {state!r} moves on {letter!r}, which is not one of its input symbols")
            _check_one(name, state, letter, target, dfa.states)
    return _explored(dfa.initial_state, lambda state: dfa.transitions.get(state, {}), dfa.input_symbols, dfa.states, name)


def _from_pyformlang(dfa: Any) -> Semiautomaton:
    if not dfa.start_states:
        raise ValueError(f"given = {_shown(dfa)} has no start state: add one with add_start_state")
    moves = dfa.to_dict()
    plain = {
        state.value: {letter.value: target.value for letter, target in moves.get(state, {}).items()} for state in dfa.states
    }
    return _explored(
        dfa.start_state.value, plain.__getitem__, (letter.value for letter in dfa.symbols), plain, "this automaton"
    )


def _from_aalpy(machine: Any) -> Semiautomaton:
    """States of AALpy hold their next states; two may share an id, so they are told apart by what they are."""
    letters = list(dict.fromkeys(letter for state in machine.states for letter in state.transitions))
    for state in machine.states:
        if missing := [letter for letter in letters if letter not in state.transitions]:
            raise ValueError(
                f"given = {_shown(machine)} is partial: state {state.state_id!r} has no transition on {missing[0]!r}; "
                "complete it with make_input_complete"
            )
    number = {id(state): state for state in machine.states}
    moves = {key: {letter: id(state.transitions[letter]) for letter in letters} for key, state in number.items()}
    found = _explored(id(machine.initial_state), moves.__getitem__, letters, number, "this automaton")
    names = tuple(str(number[int(key)].state_id) for key in found.states)
    return Semiautomaton(found.table, found.name, names if len(set(names)) == len(names) else (), found.letters)


def _from_networkx(graph: Any) -> Semiautomaton:
    """The first node is state 0, or the node that `initial` of the graph names, that has `is_start`, or that an edge marks."""
    if not graph.is_directed():
        raise ValueError(f"given = {_shown(graph)}: its edges have no direction; give a MultiDiGraph, an edge for each letter")
    edges, marked = [], dict[Hashable, Hashable]()
    for source, target, data in graph.edges(data=True):
        letter = next((data[key] for key in ("label", "letter", "symbol", "input") if data.get(key) is not None), None)
        if letter is None and graph.in_degree(source) == 0 and graph.out_degree(source) == 1:
            marked[source] = target  # an arrow from nowhere, as automata are drawn
        elif letter is None or (isinstance(letter, str) and "," in letter and len(letter) > 1):
            wrong = "has no letter" if letter is None else f"has the label {letter!r}, which is not one letter"
            raise ValueError(f"the edge from {source!r} to {target!r} {wrong}: give one edge for each letter, named in `label`")
        else:
            edges += [
                (source, each, target) for each in (letter if isinstance(letter, (list, tuple, set, frozenset)) else [letter])
            ]
    nodes = [node for node in graph.nodes if node not in marked]
    starts = [node for node in nodes if graph.nodes[node].get("is_start")] or list(dict.fromkeys(marked.values()))
    starts = [graph.graph["initial"]] if "initial" in graph.graph else starts
    if len(starts) > 1 or not set(starts) <= set(nodes):
        raise ValueError(f"the graph has the initial states {starts}: expected one of its nodes")
    moves: dict[Hashable, dict[Hashable, Hashable]] = {node: {} for node in dict.fromkeys([*starts, *nodes])}
    for source, letter, target in edges:
        if moves[source].setdefault(letter, target) != target:
            raise ValueError(
                f"the graph is an NFA: {letter!r} leads from {source!r} to {moves[source][letter]!r} and to {target!r}; "
                "a semiautomaton has one next state for each letter, so take the subsets of states first"
            )
    return from_dictionary(moves)


def _explored(
    start: Hashable,
    moves: Callable[[Any], Mapping[Any, Hashable]],
    letters: Iterable[Hashable],
    states: Collection[Hashable],
    name: str,
) -> Semiautomaton:
    alphabet = _sorted(letters)
    found: dict[Hashable, int] = {start: 0}
    queue, rows = [start], []
    for state in queue:  # grows while it is walked
        rows.append([moves(state).get(letter, _SINK) for letter in alphabet])
        for target in rows[-1]:
            if target is not _SINK and target not in found:
                found[target] = len(queue)
                queue.append(target)
    lost = set(states) - set(found)
    if lost:
        raise ValueError(
            f"states {sorted(map(str, lost))} of {name} are unreachable from {start!r}: they would add levels to "
            "the decomposition and never occur; dfa.minify() removes them"
        )
    if not alphabet:
        raise ValueError(f"{name} has no letters: a semiautomaton moves on one letter at least")
    found[_SINK] = len(found)
    if any(_SINK in row for row in rows):
        rows.append([_SINK] * len(alphabet))
    table = np.array([[found[target] for target in row] for row in rows], dtype=np.int64)
    names = tuple(map(str, queue)) + (("sink",) if len(rows) > len(queue) else ())
    spelled = tuple(map(str, alphabet))
    if len(set(spelled)) < len(spelled):
        raise ValueError(f"{name}: two letters have the same name among {', '.join(spelled)}; names are compared as text")
    return Semiautomaton(table, name, names if len(set(names)) == len(names) else (), spelled)


def _check_one(name: str, state: object, letter: object, target: object, states: Collection[Hashable]) -> None:
    """Refuse a transition that does not lead to one of the states."""
    if isinstance(target, Hashable) and target in states:
        return
    if isinstance(target, (set, frozenset, list, tuple)):
        raise ValueError(
            f"{name} is no deterministic automaton: state {state!r} moves on {letter!r} to {target!r:.60}, which is no state. "
            "A semiautomaton has one next state for each letter; determinise an NFA first, by the sets of its states"
        )
    raise ValueError(
        f"{name}: state {state!r} moves on {letter!r} to {target!r}, which is no state; the states are "
        f"{', '.join(map(str, states))}"
    )


def _sorted(letters: Iterable[Any]) -> list[Any]:
    found = list(letters)
    try:
        return sorted(found)
    except TypeError:  # letters of several types
        return sorted(found, key=lambda letter: (type(letter).__name__, str(letter)))


def _shown(given: object) -> str:
    kind = given if isinstance(given, type) else type(given)
    return f"a {kind.__name__} of {kind.__module__.partition('.')[0]}"


_SINK = object()
_READERS: dict[tuple[str, str], Callable[[Any], Semiautomaton]] = {
    ("automata", "DFA"): from_dfa,
    ("aalpy", "Dfa"): _from_aalpy,
    ("aalpy", "MooreMachine"): _from_aalpy,
    ("pyformlang", "DeterministicFiniteAutomaton"): _from_pyformlang,
    ("networkx", "Graph"): _from_networkx,
}
_OTHER_MACHINES = (  # the name of a class anywhere, the machine, and what to do
    (
        r"nfa\b|nfsm|nondeterministic|^nd[A-Z]|büchi|buchi|epsilon",
        "an NFA or another machine with several next states",
        "determinise it first (automata-lib: DFA.from_nfa(nfa); pyformlang: nfa.to_deterministic())",
    ),
    (
        r"pda\b|pushdown|\bvpa\b|sevpa|visibly",
        "a pushdown automaton, whose stack has no finite number of states",
        "bound the depth of the stack and give the table of what remains, as the named automaton dyck3 does",
    ),
    (r"turing|tm$|tape", "a Turing machine", "give the table of its control alone, if that is what you ask about"),
    (
        r"mealy|transducer|fst\b|moore",
        "a machine with an output on each step",
        "drop the output and give its moves as a dictionary {state: {letter: next state}}, or as a DFA",
    ),
    (
        r"markov|mdp\b|stochastic|probabilistic|weighted",
        "a machine with random or weighted moves",
        "give the moves that you mean as a dictionary {state: {letter: next state}}",
    ),
)
