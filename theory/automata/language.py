"""The language of an automaton of any kind: its moves and its accepting states, as a `Dfa`.

`semiautomaton` takes the moves of the same objects and leaves out what they accept; what is said of a language (star-free, its
words, whether a formula defines it) needs both.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theory.automata.assembled import assembled
from theory.automata.dfa import Dfa
from theory.automata.machine import load
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["language"]


def language(
    given: str | Path | Dfa | Semiautomaton | Mapping[Any, Any] | Sequence[Any] | Any,
    *,
    accepting: Collection[Hashable] | None = None,
    initial: Hashable | None = None,
    letters: str | Sequence[str] | None = None,
) -> Dfa:
    """The language of an automaton, with its accepting states kept.

    Read is everything that `load` reads: files, ``regex:EXPRESSION``, automata of other libraries; and names, tables and
    dictionaries with `accepting` beside them.

    Args:
        given: The automaton.
        accepting: The states that accept, by name or number; needed where the object does not say, and then it decides.
        initial: The initial state, by name or number; by default that of the object, or state 0.
        letters: The alphabet of ``regex:EXPRESSION``.

    Returns:
        The automaton, not minimised. States that no word reaches are left out.

    Raises:
        ValueError: The object does not say which states accept and `accepting` is not given, or no state has such a name; or as
            for `load`.

    >>> language([[0, 1], [1, 0]], accepting=[1]).is_star_free, language("regex:(ab)*").is_star_free
    (False, True)
    >>> language({"even": {"a": "odd"}, "odd": {"a": "even"}}, accepting=["even"]).accepts("aa").item()
    True
    """
    found = load(given, letters)
    machine = found.automaton if isinstance(found, Dfa) else found
    marked = set(np.flatnonzero(found.accepting).tolist()) if isinstance(found, Dfa) else None
    if accepting is not None:
        if isinstance(accepting, str) or not isinstance(accepting, Collection):
            raise ValueError(f"accepting = {accepting!r:.60}: expected a list of states, by name or number")
        marked = {_state("accepting", state, machine) for state in accepting}
    if marked is None:
        raise ValueError(
            f"{machine.name} does not say which states accept, and a language is what they accept: give accepting=[...] with "
            f"some of its states {_shown(machine)}"
        )
    start = 0 if initial is None else _state("initial", initial, machine)
    names = found.letters if isinstance(found, Dfa) else machine.letters or tuple(map(str, range(machine.num_letters)))
    moves = {state: dict(zip(names, row, strict=True)) for state, row in enumerate(machine.table.tolist())}
    titles: dict[Hashable, str] = dict(enumerate(machine.states or map(str, range(machine.num_states))))
    result = assembled(moves, start, names, marked, machine.name, titles)
    assert isinstance(result, Dfa)
    return result


def _state(key: str, given: Hashable, machine: Semiautomaton) -> int:
    if isinstance(given, (str, int)) and str(given) in machine.states:
        return machine.states.index(str(given))
    if type(given) is int or isinstance(given, np.integer):
        if 0 <= int(given) < machine.num_states:
            return int(given)
    elif given is not None and str(given) in machine.states:
        return machine.states.index(str(given))
    raise ValueError(f"{key}: {given!r} is no state of {machine.name}; its states are {_shown(machine)}")


def _shown(machine: Semiautomaton) -> str:
    names = machine.states or tuple(map(str, range(machine.num_states)))
    return ", ".join(names[:20]) + (", .." if len(names) > 20 else "")
