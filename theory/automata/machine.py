"""The automaton that a text on a command line, a file or an object of another library stands for.

>>> load("T3"), load("regex:(ab)*").num_states
(<Semiautomaton T3: 3 states, 3 letters rotate, swap, merge>, 3)
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theory.automata.cost import table as table_cost
from theory.automata.dfa import Dfa
from theory.automata.formats import read_automaton, read_automaton_text
from theory.automata.named import NAMES, semiautomaton
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton
from theory.checks import positive_integer
from theory.cost import power, refuse

__all__ = ["full_transformations", "load", "named_or_loaded"]

SUFFIXES = (".hoa", ".dot", ".gv", ".ba", ".json")
"""Suffixes by which a text is taken for the path of an automaton."""
_REGEX = "regex:"


def load(given: str | Path | Any, letters: str | Sequence[str] | None = None) -> Dfa | Semiautomaton:
    """The automaton that a file, a name, a text or an object stands for: a `Dfa` where it says which states accept.

    * A path, or a text with a suffix or a slash: a file in HOA, DOT, BA or JSON (`read_automaton`). A text that opens with
      ``[``, ``{``, ``HOA:`` or ``digraph`` is read like the content of a file.
    * ``regex:EXPRESSION``, with its alphabet in `letters`.
    * Automata of automata-lib, AALpy, pyformlang and networkx. They accept by ``final_states``; by ``is_accepting`` or an
      output True or False (1 or 0) of every state; by ``is_final``, ``accepting`` or the shape of a double circle of a node.
    * Names, tables, dictionaries and groups, as `theory.automata.semiautomaton` reads them, and ``T3``: all maps of 3 points
      (`full_transformations`).

    Raises:
        ValueError: There is no such automaton; the message says why, and begins with the path of a file.
        TooExpensive: The automaton has more states than the limit of `theory.cost` allows.

    >>> load('{"table": [[0, 1], [1, 0]], "accepting": [1], "letters": ["x", "y"]}')
    <Dfa this automaton: 2 states, 1 accepting, letters x, y>
    """
    if isinstance(given, str) and given.startswith(_REGEX):
        return regular(given.removeprefix(_REGEX), letters)
    if letters is not None:
        raise ValueError(
            f"letters = {letters!r:.80}: {given!r:.80} has letters of its own; they are chosen for {_REGEX}EXPRESSION"
        )
    if isinstance(given, Dfa):
        return given
    if isinstance(given, (str, Path)):
        return _read(given)
    found = semiautomaton(given)
    if (marked := _marked(given, found)) is None:
        return found
    return Dfa(found, np.isin(np.arange(found.num_states), list(marked)), found.letters or _numbered(found.num_letters))


def named_or_loaded(given: str | Path | Any, letters: str | Sequence[str] | None = None) -> Semiautomaton:
    """The moves of what `load` reads, without what they accept.

    Raises:
        ValueError: As `load`.

    >>> named_or_loaded("regex:a.b").letters, named_or_loaded("parity").num_states
    (('a', 'b'), 2)
    """
    found = load(given, letters)
    return found.automaton if isinstance(found, Dfa) else found


def full_transformations(points: int) -> Semiautomaton:
    """The automaton whose words give all maps of some points: letters rotate, swap the first two, merge the first two.

    Raises:
        ValueError: `points` is not an integer >= 1.
        TooExpensive: The table is too large, see `theory.cost`.

    >>> [len(full_transformations(n).transition_monoid().elements) for n in (1, 2, 3)]
    [1, 4, 27]
    """
    points = positive_integer("points", points, "because an automaton has a state")
    refuse(table_cost(f"T{points}", power(points, 1), 3.0))
    rotate = np.roll(np.arange(points), -1)
    swap, merge = np.arange(points), np.arange(points)
    if points > 1:
        swap[:2], merge[1] = (1, 0), 0
    return Semiautomaton(np.stack([rotate, swap, merge], axis=1), f"T{points}", letters=("rotate", "swap", "merge"))


def _read(given: str | Path) -> Dfa | Semiautomaton:
    """The automaton of a path or of a text that is no expression."""
    text = str(given)
    if isinstance(given, Path) or (text.lower().endswith(SUFFIXES) and not text.lstrip().startswith(("[", "{"))):
        return read_automaton(given)
    if re.match(r"\s*([\[{]|HOA:|(strict\s+)?digraph\b)", text):
        return read_automaton_text(text)
    if match := re.fullmatch(r"T_?(\d+)", text):
        return full_transformations(int(match[1]))
    if "/" in text or os.sep in text or Path(text).suffix:  # no name has one
        return read_automaton(text)
    try:
        return semiautomaton(text)
    except ValueError as error:
        if "no semiautomaton is named" not in str(error):
            raise
        raise ValueError(
            f"no semiautomaton is named {text!r}; known are {', '.join(NAMES)}, T3, with other sizes too, {_REGEX}EXPRESSION, "
            f"and files that end in {', '.join(SUFFIXES)}"
        ) from None


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


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))
