"""Automata by text, named ones and random tables, and where a domain draws such texts from.

A claim alone imports this: a measurement gets tables.
"""

import random
import re

import numpy as np

from depthjax.verify.domain import Values, drawn
from theory.automata import Semiautomaton, semiautomaton

__all__ = ["automata", "automaton", "is_table", "random_table"]

_TABLE = re.compile(r"table(\d+)x(\d+)n(\d+)")

# family -> smallest size, and the states and letters of a size
_FAMILIES = {
    "C{}": (2, lambda n: (n, 2)),
    "C2^{}": (1, lambda n: (2**n, n)),
    "D{}": (3, lambda n: (n, 2)),
    "S{}": (2, lambda n: (n, 2)),
    "A{}": (3, lambda n: (n, 2)),
    "gridworld{}": (2, lambda n: (n, 3)),
    "flip_flop{}": (2, lambda n: (n, n + 1)),
    "dyck{}": (1, lambda n: (n + 2, 2)),
    "car{}": (2, lambda n: (2 * n, 2)),
}


def random_table(states: int, letters: int, seed: int) -> np.ndarray:
    """Return a table whose letters are random maps, one in three of them a permutation.

    >>> random_table(3, 2, 1).shape
    (3, 2)
    """
    rng = np.random.default_rng([states, letters, seed])
    maps = [rng.permutation(states) if rng.random() < 1 / 3 else rng.integers(0, states, states) for _ in range(letters)]
    return np.stack(maps, axis=1)


def automaton(text: str) -> Semiautomaton:
    """Return the automaton of a text: a name, or ``table5x3n77``, random table 77 of five states and three letters.

    >>> automaton("table5x3n77").table.shape, automaton("parity").num_states
    ((5, 3), 2)
    """
    found = _TABLE.fullmatch(text)
    return semiautomaton(random_table(*map(int, found.groups())) if found else text)


def is_table(text: str) -> bool:
    """Whether a text means a random table.

    >>> is_table("table5x3n77"), is_table("car")
    (True, False)
    """
    return _TABLE.fullmatch(text) is not None


def automata(states: int, letters: int) -> Values:
    """Return the automata of at most so many states and letters: half of the draws are of a named family, half are tables.

    >>> automata(9, 3).words
    'every automaton of at most 9 states and 3 letters, named ones of every size and random tables'
    """
    named = [
        name.format(size)
        for name, (least, shape) in _FAMILIES.items()
        for size in range(least, states + 1)
        if shape(size)[0] <= states and shape(size)[1] <= letters
    ]

    def draw(source: random.Random) -> str:
        if source.random() < 0.5:
            return source.choice(named)
        return f"table{source.randint(2, states)}x{source.randint(2, letters)}n{source.randrange(1000)}"

    words = f"every automaton of at most {states} states and {letters} letters, named ones of every size and random tables"
    return drawn(draw, words)
