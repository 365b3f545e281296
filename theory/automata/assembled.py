"""An automaton from the list of its moves, as files of other tools have them: checked, completed, and with its names kept."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from theory.automata.dfa import Dfa
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["assembled", "moves_of"]

_SINK = "sink"


def moves_of(transitions: Iterable[tuple[Hashable, Hashable, Hashable]], what: str) -> dict[Hashable, dict[Hashable, Hashable]]:
    """The moves ``{state: {letter: next state}}`` of a list of ``(state, letter, next state)``.

    Raises:
        ValueError: A letter leads from one state to two; the message names them.
    """
    moves: dict[Hashable, dict[Hashable, Hashable]] = {}
    for state, letter, target in transitions:
        if (other := moves.setdefault(state, {}).setdefault(letter, target)) != target:
            raise ValueError(
                f"{what} is nondeterministic: in state {state} the letter {letter} leads to {other} and to {target}; "
                "a semiautomaton has one next state for each letter, so take the subsets of states first"
            )
    return moves


def assembled(
    moves: Mapping[Any, Mapping[Any, Hashable]],
    start: Hashable,
    letters: Sequence[Hashable],
    accepting: Collection[Hashable] | None,
    name: str,
    names: Mapping[Any, str] | None = None,
) -> Dfa | Semiautomaton:
    """The automaton of these moves: a `Dfa` where it is known which states accept, else a `Semiautomaton`.

    States come in the order in which words reach them, and state 0 is the initial one. States that no word reaches are left
    out. A missing move leads to a sink, which comes last and accepts nothing.

    Args:
        moves: ``{state: {letter: next state}}``.
        start: The initial state.
        letters: All letters, in the order of the columns.
        accepting: The states that accept; None if nobody says.
        name: Name used in messages.
        names: What states are called; by default their own text.

    Raises:
        ValueError: There are no letters.

    >>> assembled({"p": {"a": "q"}, "q": {"a": "p", "b": "q"}}, "p", "ab", ["q"], "mine")
    <Dfa mine: 3 states, 1 accepting, letters a, b>
    """
    if not letters:
        raise ValueError(f"{name} has no letters: a semiautomaton moves on one letter at least")
    found: dict[Hashable, int] = {start: 0}
    queue, rows = [start], []
    for state in queue:  # grows while it is walked
        targets = [moves.get(state, {}).get(letter, _Sink) for letter in letters]
        for target in targets:
            if target is not _Sink and target not in found:
                found[target] = len(queue)
                queue.append(target)
        rows.append(targets)
    spelled = [(names or {}).get(state, str(state)) for state in queue]
    if any(_Sink in row for row in rows):
        found[_Sink] = len(rows)
        rows.append([_Sink] * len(letters))
        spelled.append(_SINK)
    table = np.array([[found[target] for target in row] for row in rows], dtype=np.int64)
    texts = tuple(map(str, letters))
    automaton = Semiautomaton(table, name, tuple(spelled) if len(set(spelled)) == len(spelled) else (), texts)
    if accepting is None:
        return automaton
    ends = set(accepting)
    return Dfa(automaton, np.array([*(state in ends for state in queue), *[False] * (len(rows) - len(queue))]), texts)


class _Sink:
    """Stands for the state to which missing moves lead; equal to no state of a file."""
