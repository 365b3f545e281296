"""Automata from files and into files: HOA, DOT, BA and JSON; which states accept is kept where the file says it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from theory.automata.assembled import assembled
from theory.automata.ba import ba_text, from_ba
from theory.automata.dfa import Dfa
from theory.automata.dot import dot_text, from_dot
from theory.automata.files import LARGEST, from_json
from theory.automata.hoa import from_hoa, hoa_text
from theory.automata.keyed import with_table
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton
from theory.reading import text_of

__all__ = ["read_automaton", "read_automaton_text", "write_automaton"]

_SUFFIXES = {".hoa": "HOA", ".dot": "DOT", ".gv": "DOT", ".ba": "BA", ".json": "JSON"}
_OPENINGS = (  # how a text begins -> its format
    (r"HOA:", "HOA"),
    (r"(strict\s+)?(di)?graph\b", "DOT"),
    (r"[\[{]\s*[\[{\"]|\{\s*\}", "JSON"),
    (r"(\[[^\[\],\s]+\]|\S+,\[?[^\[\]]+\]?->\[?[^\[\]]+\]?)\s*(\n|$)", "BA"),
)
_OTHERS = (
    (r"@(NFA|DFA|BFA|AFA)", "VTF of mata"),
    (r"Ops\b", "Timbuk"),
    (r"<\?xml|<structure", "XML, as JFLAP writes it"),
)
_REMEDY = "read are HOA, DOT, BA and JSON; convert it with the tool that wrote it, or give a table"


def read_automaton(path: str | Path) -> Dfa | Semiautomaton:
    """The automaton of a file in HOA, DOT, BA or JSON: a `Dfa` where the file says which states accept, else a `Semiautomaton`.

    The content decides what format it is, and not the name of the file. JSON is a table
    ``table[state][letter]``, a dictionary ``{state: {letter: next state}}``, or an object with ``table``, ``transitions`` or
    ``regex``; beside them may stand ``name``, ``letters``, ``states``, ``initial`` and ``accepting``, and with ``transitions``
    the names that other tools have for them (`theory.automata.keyed.as_table`). Without ``initial`` the first state is the
    initial one, whatever it is called; a number speaks of the state of that name where there is one.

    Raises:
        ValueError: The file is empty, in no known format, larger than 64 MiB, nondeterministic (the state is named), or holds
            no automaton. The message begins with the path.
        ImportError: The file is in DOT, and pydot is not installed.
    """
    path = Path(path)
    text = text_of(path, LARGEST)
    try:
        return read_automaton_text(text, path.stem, _SUFFIXES.get(path.suffix.lower()))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read_automaton_text(text: str, name: str = "this automaton", usual: str | None = None) -> Dfa | Semiautomaton:
    """The automaton of a text in HOA, DOT, BA or JSON, as in the file that `read_automaton` reads.

    Args:
        text: The text.
        name: Name used in messages, where the text has none.
        usual: The format ("HOA", "DOT", "BA" or "JSON") of a text that begins like none of them.

    Raises:
        ValueError: As for `read_automaton`.

    >>> read_automaton_text('{"table": [[0, 1], [1, 0]], "accepting": [1], "letters": ["x", "y"]}')
    <Dfa this automaton: 2 states, 1 accepting, letters x, y>
    """
    bare = _without_comments(text)
    if not bare:
        raise ValueError("it is empty" if not text.strip() else "it holds comments alone")
    if other := next((form for pattern, form in _OTHERS if re.match(pattern, bare)), None):
        raise ValueError(f"it is in the format {other}, which is not read; {_REMEDY}")
    kind = next((form for pattern, form in _OPENINGS if re.match(pattern, bare)), usual)
    if kind is None:
        raise ValueError(f"it begins with {bare[:40].splitlines()[0]!r}, which is no format that is known; {_REMEDY}")
    return _READERS[kind](text if kind != "JSON" else bare, name)


def write_automaton(automaton: Dfa | Semiautomaton, path: str | Path) -> Path:
    """Write an automaton into a file whose suffix says the format: .hoa, .dot (or .gv), .ba or .json.

    `read_automaton` reads the same automaton from it, with the names of letters and the accepting states. DOT and BA have no
    order of letters, so it sorts the letters of these. A drawing of which no state accepts is read without accepting states.

    Raises:
        ValueError: The suffix is another one; the format BA was asked for, and the automaton has no accepting states; or a
            letter cannot be written in the format.
    """
    path = Path(path)
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"{path}: expected one of the suffixes {', '.join(_SUFFIXES)}, which say the format")
    if kind == "BA" and not isinstance(automaton, Dfa):
        raise ValueError(f"{path}: the format BA has accepting states, and {automaton.name} has none; write HOA, DOT or JSON")
    writers: dict[str, Callable[[Any], str]] = {"HOA": hoa_text, "DOT": dot_text, "BA": ba_text, "JSON": _json_text}
    path.write_text(writers[kind](automaton), encoding="utf-8")
    return path


def _without_comments(text: str) -> str:
    """The text from its first word on; comments before it, as any of the formats has them, are left out."""
    bare = text.lstrip("\ufeff").lstrip()
    while match := re.match(r"(//|#)[^\n]*(\n|$)|/\*.*?\*/", bare, re.DOTALL):
        bare = bare[match.end() :].lstrip()
    return bare


def _from_json(text: str, name: str) -> Dfa | Semiautomaton:
    try:
        text = with_table(text)
        found = from_json(text, name)
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it cannot be read as JSON ({error})") from error
    except RecursionError as error:
        raise ValueError("it cannot be read as JSON (its brackets nest too deep)") from error
    if not isinstance(data, dict):
        return found
    if "regex" in data:
        return regular(data["regex"], data.get("letters"), name=data.get("name", name))
    moved = {"accepting", "initial"} & set(data) if "table" in data else set()
    if not moved:
        return found
    start = 0 if data.get("initial") is None else _number(found, data["initial"])
    accepting = [_number(found, state) for state in data["accepting"]] if "accepting" in data else None
    moves = {state: dict(enumerate(row)) for state, row in enumerate(found.table.tolist())}
    whole = assembled(moves, start, range(found.num_letters), accepting, found.name)
    machine, letters = whole.automaton if isinstance(whole, Dfa) else whole, found.letters
    states = tuple(found.states[int(state)] for state in machine.states) if found.states else machine.states
    named = Semiautomaton(machine.table, found.name, states, letters)
    if not isinstance(whole, Dfa):
        return named
    return Dfa(named, whole.accepting, letters or tuple(map(str, range(found.num_letters))))


def _number(automaton: Semiautomaton, state: Any) -> int:
    return automaton.states.index(str(state)) if str(state) in automaton.states else int(state)


def _json_text(automaton: Dfa | Semiautomaton) -> str:
    machine = automaton.automaton if isinstance(automaton, Dfa) else automaton
    letters = automaton.letters if isinstance(automaton, Dfa) else machine.letters
    found: dict[str, Any] = {"name": machine.name, "table": machine.table.tolist()}
    found |= {"letters": list(letters)} if letters else {}
    found |= {"states": list(machine.states)} if machine.states else {}
    if isinstance(automaton, Dfa):
        numbers = np.flatnonzero(automaton.accepting).tolist()
        found["accepting"] = [machine.states[state] for state in numbers] if machine.states else numbers
    return json.dumps(found, ensure_ascii=False) + "\n"


_READERS: dict[str, Callable[[str, str], Dfa | Semiautomaton]] = {
    "HOA": from_hoa,
    "DOT": from_dot,
    "BA": from_ba,
    "JSON": _from_json,
}
