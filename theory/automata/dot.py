"""Automata as graphs in DOT, as Graphviz, AALpy, LearnLib, pyformlang and automata-lib draw them.

An edge has its letter in ``label``; several letters stand between commas or on lines of their own. The initial state is where
an edge without a label arrives from a node without edges into it, or the node with ``is_start``. A state accepts if it is
drawn with a double line (``shape=doublecircle`` or ``peripheries=2``) or has ``is_final`` or ``accepting``; where no state
does, the automaton is read without accepting states, because a drawing says nothing by what it leaves out.

The text is read by pydot, which is kept well (version 4.0 of 2025) and on which networkx, AALpy and pyformlang rely. pygraphviz
was looked at as well; it needs the library of Graphviz.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Hashable, Iterator
from importlib import import_module
from typing import Any

from theory.automata.alphabet import listed
from theory.automata.assembled import assembled, moves_of
from theory.automata.dfa import Dfa
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["dot_text", "from_dot"]

_TRUE = ("true", "1", "yes")
_OUTPUT = re.compile(r"\S\s*/")  # in every label of a machine that writes


def from_dot(text: str, name: str = "this automaton") -> Dfa | Semiautomaton:
    """The automaton of a graph in DOT; a `Dfa` if some state is drawn as accepting.

    Letters are sorted, states that no word reaches are left out, and missing moves lead to a sink.

    Args:
        text: One directed graph.
        name: Name used in messages, where the graph has none.

    Raises:
        ValueError: The text is no directed graph, an edge has no letter, the automaton is nondeterministic (the state is
            named), writes outputs, or has no initial state.
        ImportError: pydot is not installed.

    >>> from_dot('digraph { s [shape=point]; q [shape=doublecircle]; s -> q; q -> p [label="a"]; p -> q [label="a"]; }')
    <Dfa this automaton: 2 states, 1 accepting, letters a>
    """
    graph = _graph(text)
    nodes: dict[str, dict[str, str]] = {}
    edges: list[tuple[str, str, dict[str, str]]] = []
    for source, target, facts in _statements(graph):
        if target is None:
            nodes.setdefault(source, {}).update(facts)
        else:
            edges.append((source, target, facts))
    for source, target, _ in edges:
        nodes |= {node: {} for node in (source, target) if node not in nodes}
    entered = {target for _, target, _ in edges}
    starts = [node for node, facts in nodes.items() if _true(facts, "is_start", "initial", "start")]
    labelled, drawn = [], set[str]()
    for source, target, facts in edges:
        if label := facts.get("label", ""):
            labelled.append((source, label, target))
        elif source not in entered:
            drawn.add(source)
            starts += [target] if target not in starts else []
        else:
            raise ValueError(f"the edge from {source} to {target} has no letter: give it a label")
    if len(starts) != 1:
        what = f"the initial states {', '.join(starts)}" if starts else "no initial state"
        raise ValueError(f"the graph has {what}: draw one edge without a label, from a node without edges into it")
    if labelled and all(_OUTPUT.search(label) for _, label, _ in labelled):
        raise ValueError("each label has the form input/output: a machine with an output on each step; drop the outputs")
    transitions = [(source, letter, target) for source, label, target in labelled for letter in _letters(label)]
    moves: dict[Any, Any] = moves_of(transitions, "the graph")
    states = [node for node in nodes if node not in drawn]
    accepting = [
        state
        for state in states
        if nodes[state].get("shape") == "doublecircle"
        or nodes[state].get("peripheries") == "2"
        or _true(nodes[state], "is_final", "accepting", "final")
    ]
    letters = sorted({letter for _, letter, _ in transitions})
    titles: dict[Hashable, str] = {state: nodes[state].get("label") or state for state in states}
    own = str(graph.get_name() or "").strip('"')
    return assembled(moves, starts[0], letters, accepting or None, own or name, titles)


def dot_text(automaton: Dfa | Semiautomaton) -> str:
    """The automaton as a graph in DOT, accepting states with a double line.

    Raises:
        ValueError: A letter, or all letters together, would be read as something else.

    >>> from theory.automata.regular import regular
    >>> print(dot_text(regular("a*", "a")))
    digraph "a*" {
      rankdir=LR;
      start [shape=point];
      0 [label="0", shape=doublecircle];
      start -> 0;
      0 -> 0 [label="a"];
    }
    <BLANKLINE>
    """
    machine = automaton.automaton if isinstance(automaton, Dfa) else automaton
    letters = machine.letters or tuple(map(str, range(machine.num_letters)))
    letters = automaton.letters if isinstance(automaton, Dfa) else letters
    if odd := [letter for letter in letters if letter.strip() != letter or not letter or set(letter) & set(",\\\n\r")]:
        raise ValueError(
            f"the letter {odd[0]!r} cannot be written in DOT, where commas, line breaks and the blanks around them part "
            "letters; rename it, or write HOA or JSON"
        )
    if all(map(_OUTPUT.search, letters)):
        raise ValueError(
            f"the letters {listed(letters)} cannot be written in DOT, where labels of the form input/output are those of a "
            "machine with outputs; rename one, or write HOA or JSON"
        )
    states = machine.states or tuple(map(str, range(machine.num_states)))
    lines = [f"digraph {_quoted(machine.name)} {{", "  rankdir=LR;", "  start [shape=point];"]
    for state, title in enumerate(states):
        accepts = isinstance(automaton, Dfa) and automaton.accepting[state]
        lines.append(f"  {state} [label={_quoted(title)}, shape={'doublecircle' if accepts else 'circle'}];")
    lines.append("  start -> 0;")
    for state, row in enumerate(machine.table.tolist()):
        lines += [f"  {state} -> {target} [label={_quoted(letter)}];" for letter, target in zip(letters, row, strict=True)]
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _graph(text: str) -> Any:
    try:
        pydot = import_module("pydot")
    except ImportError:
        raise ImportError(
            "automata in DOT are read by pydot, which is not installed: pip install 'depthjax[automata]', or write HOA or JSON"
        ) from None
    if not re.search(r"\bdigraph\b", text):
        raise ValueError("the text is no directed graph: expected digraph { ... }")
    said = io.StringIO()  # pydot prints what is wrong
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of names in the parser below pydot
            found = pydot.graph_from_dot_data(text)
    except Exception as error:  # whatever its parser says
        raise ValueError(f"the text is no graph in DOT ({error})") from error
    if not found:
        raise ValueError(f"the text is no graph in DOT ({' '.join(said.getvalue().split())})")
    if len(found) > 1:
        raise ValueError(f"the text holds {len(found)} graphs in DOT: expected one")
    return found[0]


def _statements(graph: Any) -> Iterator[tuple[str, str | None, dict[str, str]]]:
    """Nodes (with no target) and edges in the order of the text, each with its attributes and the defaults that hold there."""
    defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
    parts = [*graph.get_node_list(), *graph.get_edge_list(), *graph.get_subgraph_list()]
    for part in sorted(parts, key=lambda part: part.get_sequence() or 0):
        if hasattr(part, "get_subgraph_list"):
            yield from _statements(part)
            continue
        facts = {key: _plain(value) for key, value in part.get_attributes().items()}
        if hasattr(part, "get_source"):
            source, target = part.get_source(), part.get_destination()
            if not isinstance(source, (str, int)) or not isinstance(target, (str, int)):
                raise ValueError("an edge leads from or to a group of nodes in braces: give one edge for each pair")
            yield _node(source), _node(target), defaults["edge"] | facts
        elif part.get_name() in defaults:
            defaults[part.get_name()] |= facts
        elif part.get_name() != "graph":
            yield _node(part.get_name()), None, defaults["node"] | facts


def _node(name: str | int) -> str:
    text = _plain(name)
    match = re.fullmatch(r"(\w+):\w+(:\w+)?", text) if not str(name).startswith('"') else None  # a port
    return match[1] if match else text


def _plain(value: Any) -> str:
    text = str(value)
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _letters(label: str) -> list[str]:
    if label.strip() == ",":
        return [","]
    return [letter for each in re.split(r",|\\[nlr]|\n", label) if (letter := each.strip())]


def _true(facts: dict[str, str], *keys: str) -> bool:
    return any(facts.get(key, "").lower() in _TRUE for key in keys)
