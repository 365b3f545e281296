"""Semiautomata from dictionaries and from the automata of other libraries; states and letters keep their names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from theory.automata.semiautomaton import Semiautomaton

__all__ = ["from_dfa", "from_dictionary"]


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
    number = {state: i for i, state in enumerate(moves)}
    for state, row in moves.items():
        for letter in letters:
            if letter not in row:
                raise ValueError(
                    f"{name} is partial: state {state!r} has no transition on {letter!r}. A semiautomaton moves on every "
                    "letter; send missing transitions to a sink state"
                )
            if row[letter] not in number:
                raise ValueError(
                    f"{name}: state {state!r} moves on {letter!r} to {row[letter]!r}, which is no state; the states are "
                    f"{', '.join(map(str, moves))}"
                )
    states, spelled = tuple(map(str, moves)), tuple(map(str, letters))
    for kind, names in (("states", states), ("letters", spelled)):
        if len(set(names)) < len(names):
            raise ValueError(f"{name}: two {kind} have the same name among {', '.join(names)}; names are compared as text")
    table = np.array([[number[row[letter]] for letter in letters] for row in moves.values()], dtype=np.int64)
    return Semiautomaton(table.reshape(len(moves), len(letters)), name, states, spelled)


def from_dfa(dfa: Any, name: str = "this automaton") -> Semiautomaton:
    """The semiautomaton of a DFA, not minimised: states in the order in which words reach them, letters sorted.

    Args:
        dfa: An ``automata.fa.dfa.DFA`` of automata-lib, or any object with its ``states``, ``input_symbols``,
            ``initial_state`` and ``transitions[state][symbol]``. Missing transitions lead to a sink, which comes last.
        name: Name used in messages.

    Raises:
        ValueError: Some states are not reached by any word.

    >>> class Swap:
    ...     states, input_symbols, initial_state = {"x", "y"}, {"a"}, "y"
    ...     transitions = {"x": {"a": "y"}, "y": {"a": "x"}}
    >>> from_dfa(Swap).table.tolist()
    [[1], [0]]
    """
    letters = sorted(dfa.input_symbols)
    found, rows = [dfa.initial_state], []
    for state in found:  # grows while it is walked
        moves = dfa.transitions.get(state, {})
        rows.append([moves.get(letter, _SINK) for letter in letters])
        found += [target for target in dict.fromkeys(rows[-1]) if target is not _SINK and target not in found]
    lost = set(dfa.states) - set(found)
    if lost:
        raise ValueError(
            f"states {sorted(map(str, lost))} of {name} are unreachable from {dfa.initial_state!r}: they would add levels to "
            "the decomposition and never occur; dfa.minify() removes them"
        )
    number = {state: i for i, state in enumerate(found)} | {_SINK: len(found)}
    if any(_SINK in row for row in rows):
        rows.append([_SINK] * len(letters))
    table = np.array([[number[target] for target in row] for row in rows], dtype=np.int64)
    names = tuple(map(str, found)) + (("sink",) if len(rows) > len(found) else ())
    return Semiautomaton(table, name, names if len(set(names)) == len(names) else (), tuple(map(str, letters)))


_SINK = object()
