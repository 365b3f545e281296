"""JSON objects that name the five parts of an automaton, as other tools and textbooks write them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from theory.reading import once

__all__ = ["as_table", "with_table"]

_PARTS = {  # the key of an object with a table -> keys of the same part elsewhere, in small letters and without underscores
    "table": ("transitions", "delta", "transitionfunction", "moves"),
    "states": ("states", "q"),
    "letters": ("alphabet", "inputsymbols", "letters", "symbols", "sigma"),
    "initial": ("initial", "initialstate", "start", "startstate", "q0"),
    "accepting": ("accepting", "acceptingstates", "accept", "acceptstates", "final", "finalstates", "f"),
    "name": ("name",),
}
_PART_OF = {key: part for part, keys in _PARTS.items() for key in keys}


def as_table(data: Any) -> Any:
    """The object with a ``table`` that says the same as an object with ``transitions``; anything else as it is.

    Transitions are ``{state: {letter: next state}}`` or triples ``[state, letter, next state]``. States and letters keep the
    order in which the object lists them, and are compared as text, because the keys of JSON are text alone.

    Raises:
        ValueError: A key is unknown or stands there in two spellings, a triple is none, a state moves to two states on one
            letter, or a state or a letter of the transitions is not listed.

    >>> parts = {"states": ["p", "q"], "alphabet": ["a"], "transitions": [["p", "a", "q"], ["q", "a", "p"]], "start": "p"}
    >>> as_table(parts)
    {'table': {'p': {'a': 'q'}, 'q': {'a': 'p'}}, 'initial': 'p'}
    """
    if not isinstance(data, dict) or "table" in data or not any(_part(key) == "table" for key in data):
        return data
    found: dict[str, Any] = {}
    for key, value in data.items():
        part = _part(key)
        if part is None:
            known = ", ".join(keys[0] for keys in _PARTS.values())
            raise ValueError(f"the key {key!r}: this key is not read; beside transitions there may be {known}")
        if part in found:
            raise ValueError(f"the key {key!r}: {part} stands there twice, in two spellings")
        found[part] = value
    moves = _moves(found["table"])
    states = _listed("states", found, [*moves, *(target for row in moves.values() for target in row.values())])
    letters = _listed("letters", found, [letter for row in moves.values() for letter in row])
    table = {state: {letter: moves[state][letter] for letter in letters if letter in moves.get(state, {})} for state in states}
    rest = {part: found[part] for part in ("name", "initial", "accepting") if part in found}
    return {"table": table, **rest}


def with_table(text: str) -> str:
    """The JSON text of `as_table` of what a JSON text holds; a text without transitions as it is.

    Raises:
        ValueError: As for `as_table`; the text is no JSON, or a key stands twice in one object.
    """
    found = json.loads(text, object_pairs_hook=once)
    tabled = as_table(found)
    return text if tabled is found else json.dumps(tabled)


def _part(key: str) -> str | None:
    return _PART_OF.get(key.lower().replace("_", "").replace(" ", ""))


def _moves(given: Any) -> dict[str, dict[str, str]]:
    if isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values()):
        triples: Iterable[Any] = ((state, letter, target) for state, row in given.items() for letter, target in row.items())
    elif isinstance(given, list):
        triples = given
    else:
        expected = "{state: {letter: next state}} or [[state, letter, next state], ...]"
        raise ValueError(f"transitions = {given!r:.60}: expected {expected}")
    moves: dict[str, dict[str, str]] = {}
    for triple in triples:
        if not isinstance(triple, (list, tuple)) or len(triple) != 3:
            raise ValueError(f"the transition {triple!r:.60}: expected [state, letter, next state]")
        state, letter, target = triple
        targets = target if isinstance(target, list) else [target]
        if not all(isinstance(part, (str, int)) and not isinstance(part, bool) for part in (state, letter, *targets)):
            raise ValueError(f"the transition {triple!r:.60}: states and letters are texts or numbers")
        row = moves.setdefault(str(state), {})
        known = [row[str(letter)]] if str(letter) in row else []
        reached = list(dict.fromkeys([*known, *map(str, targets)]))
        if len(reached) != 1:
            many = " and to ".join(map(repr, reached)) if reached else "no state"
            raise ValueError(
                f"the automaton is nondeterministic: in state {str(state)!r} the letter {str(letter)!r} leads to {many}; a "
                "semiautomaton has one next state for each letter, so take the subsets of states first"
            )
        row[str(letter)] = reached[0]
    return moves


def _listed(part: str, found: Mapping[str, Any], used: list[str]) -> list[str]:
    """The names of states or of letters, in the order of the object, or of their use."""
    used = list(dict.fromkeys(used))
    if part not in found:
        return used
    given = found[part]
    if not isinstance(given, (list, str)) or not all(isinstance(each, (str, int)) for each in given):
        raise ValueError(f"{part} = {given!r:.60}: expected a list of names")
    names = list(map(str, given))
    if twice := [name for name, group in itertools.groupby(sorted(names)) if len(list(group)) > 1]:
        raise ValueError(f"{part}: {twice[0]!r} stands there twice")
    if strange := [name for name in used if name not in names]:
        raise ValueError(f"{strange[0]!r} of the transitions is none of the {part} {', '.join(names)[:80]}")
    return names
