"""Semiautomata from the deterministic automata of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.automata.semiautomaton import Semiautomaton

__all__ = ["from_dfa"]


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
    return Semiautomaton(np.array([[number[target] for target in row] for row in rows], dtype=np.int64), name)


_SINK = object()
