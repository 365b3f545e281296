"""Semiautomata from JSON files; every part of a file is checked, and what is not understood is refused."""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theory.automata.foreign import from_dictionary
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["from_json", "load"]

LARGEST = 2**26
"""Most bytes of a file, because a file without an end would fill the memory."""
_KEYS = ("table", "regex", "name", "letters", "states", "initial", "accepting")
_OF_REGEX = ("regex", "name", "letters")
_EXPECTED = (
    'expected [[...], ...], {"state": {"letter": "state"}, ...}, {"table": [[...], ...], "name": ...} or {"regex": "..."}'
)
_FORMATS = (  # the first words of a file -> its format
    (r"HOA:", "in the format HOA"),
    (r"(strict\s+)?(di)?graph\b", "in the format DOT"),
    (r"@(NFA|DFA|BFA|AFA)", "in the format VTF of mata"),
    (r"Ops\b", "in the format of Timbuk"),
    (r"<\?xml|<structure", "XML, as JFLAP writes it"),
    (r"\[?\S+\]?\s+\S+,\[?\S+\]?->|\[\S+\]\s", "in the format BA"),
)


def load(path: str | Path) -> Semiautomaton:
    """A semiautomaton from a JSON file: a table, a dictionary ``{state: {letter: next state}}``, or an object with one of them.

    An object has a ``table``, which is a list of rows ``table[state][letter]`` or a dictionary, or a ``regex``; and it may have

    * ``name``: its name in messages;
    * ``letters``: the names of the columns of a list, or the alphabet of a regex;
    * ``states``: the names of the rows of a list;
    * ``initial``: the state, by name or number, from which all others must be reachable;
    * ``accepting``: states; they are checked, and not kept.

    In a dictionary the first state is state 0.

    Raises:
        ValueError: The file is not JSON, is no regular file, is larger than `LARGEST`, holds no table, has a key that is
            unknown or stands twice, or the table is not that of a semiautomaton.
    """
    path = Path(path)
    try:
        text = _text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as JSON ({getattr(error, 'strerror', None) or error})") from error
    try:
        return from_json(text, path.stem)
    except json.JSONDecodeError as error:
        what = next((f"it is {name}" for pattern, name in _FORMATS if re.match(pattern, text.lstrip())), str(error))
        raise ValueError(
            f"{path} cannot be read as JSON ({what}); {_EXPECTED}. HOA, DOT and other formats are not read"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{path} cannot be read as JSON (its brackets nest too deep); {_EXPECTED}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def from_json(text: str, name: str = "this automaton") -> Semiautomaton:
    """The semiautomaton of a JSON text, as in the file that `load` reads.

    Raises:
        ValueError: As for `load`.

    >>> from_json('{"regex": "(aa)*", "letters": "ab"}').table.tolist()
    [[1, 2], [0, 2], [2, 2]]
    """
    return _loaded(json.loads(text, object_pairs_hook=_once), name)


def _text(path: Path) -> str:
    if not stat.S_ISREG(path.stat().st_mode):  # a device or a pipe may never end
        raise OSError("it is no regular file")
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(f"it has more than {LARGEST} bytes")
    return content.decode("utf-8")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in one object")
    return found


def _loaded(found: Any, name: str) -> Semiautomaton:
    if isinstance(found, dict) and found and all(map(_is_row, found.values())):
        return from_dictionary(_moves(found), name)
    data: Any = {"table": found} if isinstance(found, list) else found
    if not isinstance(data, dict) or not {"table", "regex"} & set(data):
        raise ValueError(f"the file holds no table: {_EXPECTED}")
    known = _OF_REGEX if "regex" in data else _KEYS
    for key in data:
        if key not in known:
            why = "a regex has states of its own" if key in _KEYS else "this key is not read"
            near = difflib.get_close_matches(key, known, n=1)
            raise ValueError(
                f"the key {key!r}: {why}; known are {', '.join(known)}" + (f" (did you mean {near[0]!r}?)" if near else "")
            )
    for key, kinds in (("name", str), ("regex", str), ("table", (list, dict))):
        if key in data and not isinstance(data[key], kinds):
            raise ValueError(f"the key {key!r} has the value {data[key]!r:.60}: {_EXPECTED}")
    name = data.get("name", name)
    if "regex" in data:
        return regular(data["regex"], data.get("letters"), name=name).automaton
    if isinstance(data["table"], dict):
        if not all(map(_is_row, data["table"].values())):
            raise ValueError("every state of the table must have {letter: next state}")
        found = from_dictionary(_moves(data["table"]), name)
        for key, own in (("states", found.states), ("letters", found.letters)):
            if key in data and _names(key, data[key], len(own)) != own:
                raise ValueError(f"{key} = {data[key]!r:.80}: the table has the {key} {', '.join(own)}, in this order")
    else:
        if not all(isinstance(row, list) for row in data["table"]):
            raise ValueError("every row of the table must be a list of states, one per letter")
        plain = Semiautomaton.from_table(data["table"], name)
        states, letters = (
            _names(key, data[key], count) if key in data else ()
            for key, count in (("states", plain.num_states), ("letters", plain.num_letters))
        )
        found = Semiautomaton(plain.table, name, states, letters)
    if (initial := data.get("initial")) is not None:
        Semiautomaton.from_table(found.table, name, initial=_state("initial", initial, found))
    accepting = data.get("accepting", [])
    if not isinstance(accepting, list):
        raise ValueError(f"accepting = {accepting!r:.60}: expected a list of states")
    for each in accepting:
        _state("accepting", each, found)
    return found


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and not any(isinstance(target, dict) for target in row.values())


def _moves(rows: Mapping[str, Mapping[str, Any]]) -> dict[Any, dict[Any, Any]]:
    """The moves with states as text, because the keys of JSON are text alone."""
    return {
        state: {letter: str(target) if type(target) is int else target for letter, target in row.items()}
        for state, row in rows.items()
    }


def _names(key: str, given: Any, count: int) -> tuple[str, ...]:
    names = tuple(map(str, given)) if isinstance(given, Sequence) else ()
    if len(names) != count or len(set(names)) < count or not all(isinstance(name, (str, int)) and str(name) for name in given):
        raise ValueError(f"{key} = {given!r:.80}: expected {count} different names, one for each of the {key} of the table")
    return names


def _state(key: str, given: Any, automaton: Semiautomaton) -> int:
    if isinstance(given, str) and given in automaton.states:
        return automaton.states.index(given)
    if type(given) is int and str(given) in automaton.states:  # states that are called by numbers
        return automaton.states.index(str(given))
    if type(given) is not int or not 0 <= given < automaton.num_states:
        known = ", ".join(automaton.states) or f"0 .. {automaton.num_states - 1}"
        raise ValueError(f"{key}: {given!r} is not a state; the states are {known}")
    return given
