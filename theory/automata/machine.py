"""The automaton that a text on a command line, a file or an object of another library stands for.

>>> machine("T3"), machine("regex:(ab)*").num_states
(<Semiautomaton T3: 3 states, 3 letters rotate, swap, merge>, 3)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theory.automata.cost import table as table_cost
from theory.automata.dfa import Dfa
from theory.automata.formats import read_automaton, read_automaton_text
from theory.automata.named import NAMES, semiautomaton
from theory.automata.semiautomaton import Semiautomaton
from theory.cost import power, refuse

__all__ = ["full_transformations", "machine"]

SUFFIXES = (".hoa", ".dot", ".gv", ".ba", ".json")
"""Suffixes by which a text is taken for the path of an automaton."""


def machine(given: str | Path | Any, letters: str | Sequence[str] | None = None) -> Dfa | Semiautomaton:
    """The automaton that a name, a file, a text or an object stands for; what it accepts is kept where it is known.

    * Names and objects of `theory.automata.semiautomaton`, and ``T3``: all maps of 3 points (`full_transformations`).
    * ``regex:EXPRESSION``, with its alphabet in `letters`.
    * A path, or a text with a suffix of `SUFFIXES` or a slash: a file in HOA, DOT, BA or JSON (`read_automaton`). A text that
      opens with ``[``, ``{``, ``HOA:`` or ``digraph`` is read like the content of a file.

    Raises:
        ValueError: There is no such automaton; the message says why.
        TooExpensive: The automaton has more states than the limit of `theory.cost` allows.
    """
    if isinstance(given, Dfa):
        return given
    if not isinstance(given, (str, Path)):
        return semiautomaton(given, letters=letters)
    text = str(given)
    if text.startswith("regex:"):
        return semiautomaton(text, letters=letters)
    if letters is not None:
        raise ValueError(
            f"letters = {letters!r:.80}: {text[:80]!r} has letters of its own; they are chosen for regex:EXPRESSION"
        )
    if isinstance(given, Path) or (text.lower().endswith(SUFFIXES) and not text.lstrip().startswith(("[", "{"))):
        return read_automaton(given)
    if re.match(r"\s*([\[{]|HOA:|(strict\s+)?digraph\b)", text):
        return read_automaton_text(text)
    if match := re.fullmatch(r"T_?(\d+)", text):
        return full_transformations(int(match[1]))
    if "/" in text or Path(text).suffix:
        return read_automaton(text)
    try:
        return semiautomaton(text)
    except ValueError as error:
        if "no semiautomaton is named" not in str(error):
            raise
        raise ValueError(
            f"no semiautomaton is named {text!r}; known are {', '.join(NAMES)}, T3, with other sizes too, regex:EXPRESSION, "
            f"and files that end in {', '.join(SUFFIXES)}"
        ) from None


def full_transformations(points: int) -> Semiautomaton:
    """The automaton whose words give all maps of some points: letters rotate, swap the first two, merge the first two.

    Raises:
        ValueError: There is no point.
        TooExpensive: The table is too large, see `theory.cost`.

    >>> [len(full_transformations(n).transition_monoid().elements) for n in (1, 2, 3)]
    [1, 4, 27]
    """
    if points < 1:
        raise ValueError(f"T{points}: expected one point at least")
    refuse(table_cost(f"T{points}", power(points, 1), 3.0))
    rotate = np.roll(np.arange(points), -1)
    swap, merge = np.arange(points), np.arange(points)
    if points > 1:
        swap[:2], merge[1] = (1, 0), 0
    return Semiautomaton(np.stack([rotate, swap, merge], axis=1), f"T{points}", letters=("rotate", "swap", "merge"))
