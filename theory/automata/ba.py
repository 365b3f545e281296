"""Automata in the format BA of RABIT and Reduce: an initial state, moves ``letter,[state]->[state]``, accepting states.

Where no state is listed at the end, every state accepts, as the format has it. No reader on PyPI is known; the
format is a list of lines.

Source: http://languageinclusion.org/doku.php?id=tools.
"""

from __future__ import annotations

import re

from theory.automata.assembled import assembled, moves_of
from theory.automata.dfa import Dfa

__all__ = ["ba_text", "from_ba"]

_MOVE = re.compile(r"(?P<letter>.+?),(?P<source>\[?[^\[\]]+?\]?)->(?P<target>\[?[^\[\]]+?\]?)")


def from_ba(text: str, name: str = "this automaton") -> Dfa:
    r"""The automaton of a text in the format BA, read on finite words.

    Letters are sorted, states that no word reaches are left out, and missing moves lead to a sink. Lines that begin with ``#``
    are skipped.

    Raises:
        ValueError: A line is not in the format, there are no moves or several initial states, or the automaton is
            nondeterministic (the state is named).

    >>> from_ba("[0]\na,[0]->[1]\na,[1]->[0]\n[1]").accepts("aaa").item()
    True
    """
    starts, transitions, ends = [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if match := _MOVE.fullmatch(line):
            if ends:
                raise ValueError(f"line {number}: the move {line!r} stands behind the accepting states")
            transitions.append((_state(match["source"]), match["letter"], _state(match["target"])))
        elif "->" in line or re.search(r"\s", line):
            raise ValueError(f"line {number}: {line!r} is no move letter,[state]->[state] and no state")
        else:
            (ends if transitions else starts).append(_state(line))
    if not transitions:
        raise ValueError("there are no moves: expected lines letter,[state]->[state]")
    if len(starts) > 1:
        raise ValueError(f"the automaton is nondeterministic: it has the initial states {', '.join(starts)}; expected one")
    moves = moves_of(transitions, "the automaton")
    states = dict.fromkeys(state for source, _, target in transitions for state in (source, target))
    found = assembled(
        moves, starts[0] if starts else transitions[0][0], sorted({t[1] for t in transitions}), ends or states, name
    )
    assert isinstance(found, Dfa)
    return found


def ba_text(automaton: Dfa) -> str:
    """The automaton in the format BA.

    Raises:
        ValueError: No state accepts, which the format cannot say, or a letter has a sign of the format.

    >>> from theory.automata.regular import regular
    >>> print(ba_text(regular("a*", "a")))
    [0]
    a,[0]->[0]
    [0]
    <BLANKLINE>
    """
    if not automaton.accepting.any():
        raise ValueError(f"{automaton.automaton.name}: no state accepts, and the format BA takes that to mean that all do")
    for letter in automaton.letters:
        if not letter or letter.startswith("#") or re.search(r"\s|,|->|\[|\]", letter):
            raise ValueError(f"the letter {letter!r} cannot be written in the format BA")
    lines = ["[0]"]
    for state, row in enumerate(automaton.automaton.table.tolist()):
        lines += [f"{letter},[{state}]->[{target}]" for letter, target in zip(automaton.letters, row, strict=True)]
    lines += [f"[{state}]" for state, accepts in enumerate(automaton.accepting.tolist()) if accepts]
    return "\n".join([*lines, ""])


def _state(text: str) -> str:
    return text.removeprefix("[").removesuffix("]")
