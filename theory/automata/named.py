"""Semiautomata by name, from a table, a dictionary, a group, a regular expression, a DFA or a file."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theory.automata.cost import table as table_cost
from theory.automata.dfa import Dfa
from theory.automata.files import load
from theory.automata.foreign import from_dictionary, from_foreign
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton
from theory.cost import power, refuse
from theory.groups import FiniteGroup, group
from theory.groups.foreign import permutations

__all__ = ["NAMES", "semiautomaton"]

_REGEX = "regex:"


def semiautomaton(
    given: str | Sequence[Sequence[int]] | np.ndarray | Any,
    *,
    initial: int | None = None,
    letters: str | Sequence[str] | None = None,
) -> Semiautomaton:
    """A semiautomaton by name, from a table ``table[state, letter] = next state``, a dictionary, a group or a DFA.

    Names: ``parity``; ``C5`` cyclic, letters add 0 or 1; ``C2^3``, letters flip one bit each; ``D4`` dihedral, acting on the
    corners of the square; ``Q8`` on itself; ``S5``, ``A5`` on 5 points; ``gridworld4``, 4 cells in a row, moves left, stay,
    right; ``flip_flop`` (``flip_flop3`` with 3 values), letters idle, write 0, write 1, ..; ``dyck3``, brackets nested at most
    3 deep, the last state is failure; ``abab``, the minimal automaton of the language (abab)*; ``adder``, the carry, letters
    are digit sums; ``car``, on a circle of 4 places (``car6``: 6), letters drive and turn, state = 2 * place + direction.

    ``regex:(abab)*`` is the minimal automaton of a regular expression (`theory.automata.expression`): state 0 is the initial
    state, and the accepting states are not kept. It depends on the alphabet, which `letters` gives; by default the letters that
    occur. A dictionary ``{state: {letter: next state}}`` gives states and letters that keep their names; the first state is
    state 0. A group acts on itself: state g and letter h give gh, both under the names of the elements.

    Automata of automata-lib, AALpy, pyformlang and networkx are read as they stand, not minimised and without their accepting
    states (`theory.automata.foreign`); an NFA, a pushdown automaton or a transducer is refused by name. A `Path` is a file in
    JSON; `theory.automata.load` reads the other formats, and keeps what they accept.

    Raises:
        ValueError: The name is unknown (the nearest is suggested), or the table is not that of a semiautomaton.
        ParseError: The regular expression does not follow the grammar.
        TooExpensive: The automaton would have more states than the limit of `theory.cost` allows.

    >>> semiautomaton("gridworld3").table.tolist()
    [[0, 0, 1], [0, 1, 2], [1, 2, 2]]
    >>> semiautomaton("D4").num_states, semiautomaton("Q8").num_states
    (4, 8)
    >>> semiautomaton({"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}}).run("aba")
    ('odd', 'odd', 'even')
    >>> semiautomaton("regex:(aa)*"), semiautomaton("regex:(aa)*", letters="ab")
    (<Semiautomaton (aa)*: 2 states, 1 letters a>, <Semiautomaton (aa)*: 3 states, 2 letters a, b>)
    """
    if isinstance(given, str) and given.startswith(_REGEX):
        return regular(given.removeprefix(_REGEX), letters).automaton
    if letters is not None:
        raise ValueError(
            f"letters = {letters!r:.80}: {given!r:.80} has letters of its own; an alphabet is chosen for {_REGEX}EXPRESSION"
        )
    if isinstance(given, Semiautomaton):
        return given
    if isinstance(given, Dfa):
        return given.automaton
    if isinstance(given, Path):
        return load(given)
    if isinstance(given, Mapping):
        return from_dictionary(given)
    if not isinstance(given, (str, Sequence, np.ndarray)):
        if (found := from_foreign(given)) is not None:
            return found
        if permutations(given) is not None:
            given = group(given)
    if isinstance(given, FiniteGroup):
        return Semiautomaton(given.table.astype(np.int64), given.name, given.names, given.names)
    if not isinstance(given, str):
        return Semiautomaton.from_table(given, initial=initial)
    match = re.fullmatch(r"(C2\^|[A-Za-z_]*?)_?(\d*)", given)
    family, size = (match[1], int(match[2]) if match[2] else None) if match else (given, None)
    if family not in _FAMILIES:
        near = difflib.get_close_matches(given, NAMES, n=2, cutoff=0.3)
        raise ValueError(
            f"no semiautomaton is named {given!r}; known are {', '.join(NAMES)}, with other sizes too, "
            f"and {_REGEX}EXPRESSION" + (f"; near it: {', '.join(near)}" if near else "")
        )
    make, smallest, usual = _FAMILIES[family]
    size = usual if size is None else size
    if size is None or size < smallest or (given == "parity2") or (family == "Q" and size != 8):
        expected = "exactly 8" if family == "Q" else f"at least {smallest}"
        raise ValueError(f"{given!r} has no such size: expected a number of {expected} after {family!r}")
    states = power(2, size) if family == "C2^" else 2 * power(size, 1)
    refuse(table_cost(given, states, power(size, 1) + 1 if family in ("C2^", "flip_flop") else 3.0))
    return Semiautomaton(np.array(make(size), dtype=np.int64), given)


def _cyclic(n: int) -> list:
    return [[q, (q + 1) % n] for q in range(n)]


def _bits(n: int) -> list:
    return [[q ^ 1 << bit for bit in range(n)] for q in range(2**n)]


def _dihedral(n: int) -> list:
    return [[(q + 1) % n, -q % n] for q in range(n)]


def _quaternion(n: int) -> list:
    return group("Q8").table[:, 1:3].tolist()  # the closure lists the generators first


def _symmetric(n: int) -> list:
    return [[(q + 1) % n, (1, 0, *range(2, n))[q]] for q in range(n)]


def _alternating(n: int) -> list:
    start = 1 - n % 2  # the long cycle has odd length
    long = [q if q < start else start + (q - start + 1) % (n - start) for q in range(n)]
    return [[(1, 2, 0, *range(3, n))[q], long[q]] for q in range(n)]


def _gridworld(n: int) -> list:
    return [[max(q - 1, 0), q, min(q + 1, n - 1)] for q in range(n)]


def _flip_flop(values: int) -> list:
    return [[q, *range(values)] for q in range(values)]


def _dyck(depth: int) -> list:
    fail = depth + 1
    return [[q + 1 if q < depth else fail, q - 1 if q > 0 else fail] for q in range(fail)] + [[fail, fail]]


def _abab(_: int) -> list:
    return [[1, 4], [4, 2], [3, 4], [4, 0], [4, 4]]


def _adder(_: int) -> list:
    return [[int(carry + digits >= 2) for digits in range(3)] for carry in range(2)]


def _car(places: int) -> list:
    return [
        [2 * ((place + (1 if facing == 0 else -1)) % places) + facing, 2 * place + 1 - facing]
        for place, facing in itertools.product(range(places), range(2))
    ]


# family -> (table of a size, smallest size, size where none is given)
_FAMILIES: dict[str, tuple[Callable[[int], list], int, int | None]] = {
    "parity": (_cyclic, 2, 2),
    "C": (_cyclic, 1, None),
    "C2^": (_bits, 1, None),
    "D": (_dihedral, 3, None),
    "Q": (_quaternion, 8, None),
    "S": (_symmetric, 2, None),
    "A": (_alternating, 3, None),
    "gridworld": (_gridworld, 1, None),
    "flip_flop": (_flip_flop, 2, 2),
    "dyck": (_dyck, 1, None),
    "abab": (_abab, 5, 5),
    "adder": (_adder, 2, 2),
    "car": (_car, 2, 4),
}

NAMES = ("parity", "C5", "C2^3", "D4", "Q8", "S5", "A5", "gridworld4", "flip_flop", "dyck3", "abab", "adder", "car")
