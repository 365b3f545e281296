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
from theory.automata.formats import read_automaton, read_automaton_text
from theory.automata.named import semiautomaton
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["language"]

_REGEX = "regex:"


def language(
    given: str | Path | Dfa | Semiautomaton | Mapping[Any, Any] | Sequence[Any] | Any,
    *,
    accepting: Collection[Hashable] | None = None,
    initial: Hashable | None = None,
    letters: str | Sequence[str] | None = None,
) -> Dfa:
    """The language of an automaton, with its accepting states kept.

    Read are the files of `read_automaton` (a path, or a text that ends like one), ``regex:EXPRESSION``, the DFA of
    automata-lib, the Dfa of AALpy and its MooreMachine with outputs True and False (or 1 and 0), the
    DeterministicFiniteAutomaton of pyformlang, directed graphs of networkx whose nodes have ``is_final``, ``accepting`` or
    the shape of a double circle, and everything that `semiautomaton` takes, with `accepting` beside it.

    Args:
        given: The automaton.
        accepting: The states that accept, by name or number; needed where the object does not say, and then it decides.
        initial: The initial state, by name or number; by default that of the object, or state 0.
        letters: The alphabet of ``regex:EXPRESSION``.

    Returns:
        The automaton, not minimised. States that no word reaches are left out.

    Raises:
        ValueError: The object does not say which states accept and `accepting` is not given, or no state has such a name; or as
            for `semiautomaton`.

    >>> language([[0, 1], [1, 0]], accepting=[1]).is_star_free, language("regex:(ab)*").is_star_free
    (False, True)
    >>> language({"even": {"a": "odd"}, "odd": {"a": "even"}}, accepting=["even"]).accepts("aa").item()
    True
    """
    if isinstance(given, str) and given.startswith(_REGEX):
        found: Any = regular(given.removeprefix(_REGEX), letters)
    elif letters is not None:
        raise ValueError(
            f"letters = {letters!r:.80}: {given!r:.80} has letters of its own; they are chosen for {_REGEX}EXPRESSION"
        )
    elif isinstance(given, Path) or (isinstance(given, str) and Path(given).suffix):
        found = read_automaton(given)
    elif isinstance(given, str) and given.lstrip().startswith(("{", "[", "HOA:", "digraph")):
        found = read_automaton_text(given)
    else:
        found = given if isinstance(given, Dfa) else semiautomaton(given)
    machine = found.automaton if isinstance(found, Dfa) else found
    marked = set(np.flatnonzero(found.accepting).tolist()) if isinstance(found, Dfa) else _marked(given, machine)
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


def _marked(given: Any, machine: Semiautomaton) -> set[int] | None:
    """The states that accept by what the object of another library says; None if it says nothing."""
    if getattr(given, "nodes", None) is not None and hasattr(given, "edges"):
        said = {str(node): _node(facts) for node, facts in given.nodes(data=True)}
        accepted = {name for name, each in said.items() if each}
        return None if not any(each is not None for each in said.values()) else _numbers(accepted, machine)
    if isinstance(given, (type, Semiautomaton)) or not any(hasattr(given, name) for name in ("final_states", "states")):
        return None
    if hasattr(given, "final_states"):
        finals = given.final_states
        return _numbers({str(getattr(state, "value", state)) for state in finals}, machine)
    states = list(given.states)
    answers = [getattr(state, "is_accepting", getattr(state, "output", None)) for state in states]
    if any(answer not in (True, False) for answer in answers):
        return None  # a machine whose outputs are more than yes and no
    ids = [str(getattr(state, "state_id", "")) for state in states]
    if len(set(ids)) < len(ids):
        raise ValueError(f"{machine.name}: two states have the same id among {', '.join(ids)}")
    return _numbers({name for name, answer in zip(ids, answers, strict=True) if answer}, machine)


def _node(facts: Mapping[str, Any]) -> bool | None:
    """Whether a node of a graph accepts; None if it does not say."""
    for key in ("is_final", "accepting", "final"):
        if key in facts:
            return str(facts[key]).strip('"').lower() in ("true", "1", "yes")
    if str(facts.get("shape", "")).strip('"') == "doublecircle" or str(facts.get("peripheries", "")).strip('"') == "2":
        return True
    return None


def _numbers(names: set[str], machine: Semiautomaton) -> set[int]:
    return {number for number, name in enumerate(machine.states) if name in names}


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
