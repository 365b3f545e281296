"""Semiautomata of regular languages: from a regular expression, or from a DFA of automata-lib."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.automata.semiautomaton import Semiautomaton

__all__ = ["from_dfa", "from_regex"]


def from_regex(expression: str) -> Semiautomaton:
    """The minimal complete automaton of a regular expression, in the syntax of automata-lib (``|``, ``*``, ``+``, ``?``, ..).

    State 0 is the initial one, letters are the symbols in their order; which states accept is not kept. The language is
    star-free exactly if the result is aperiodic.

    Raises:
        ImportError: automata-lib is not installed; says with which extra it comes.
        ValueError: not a regular expression, or one without letters.
    """
    try:
        from automata.base.exceptions import AutomatonException, RegexException
        from automata.fa.dfa import DFA
        from automata.fa.nfa import NFA
    except ImportError as error:
        raise ImportError(
            f"the regular expression {expression!r} needs automata-lib, which is not installed: "
            'pip install "depthjax[automata]", or give the table of its automaton'
        ) from error
    try:
        minimal = DFA.from_nfa(NFA.from_regex(expression)).to_complete().minify()
    except (AutomatonException, RegexException) as error:
        raise ValueError(f"{expression!r} is not a regular expression: {error}") from error
    if not minimal.input_symbols:
        raise ValueError(f"{expression!r} has no letters: a semiautomaton needs at least one")
    return from_dfa(minimal, expression)


def from_dfa(dfa: Any, name: str = "this automaton") -> Semiautomaton:
    """The semiautomaton of a DFA as it stands: states in the order in which words reach them, letters in theirs.

    Args:
        dfa: an ``automata.fa.dfa.DFA``, or any object with its ``states``, ``input_symbols``, ``initial_state`` and
            ``transitions[state][symbol]``. A transition that it leaves out rejects: it leads to a sink, which comes last.
        name: for people.

    Raises:
        ValueError: states that no word reaches.

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
