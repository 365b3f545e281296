r"""The star-free test is right: a small language counts modulo nothing exactly where its minimal automaton is aperiodic.

Statement: Take any complete automaton of at most 4 states over at most 3 letters, and any set of accepting states. Its language
    is star-free by the test of `theory.automata` exactly if membership of x u^n y settles for large n, whatever x, u and y are.
    The index and the period that the test finds in the monoid of the minimal automaton are those of pumping, and its witness is
    a word u whose powers never settle.
    $$ L \text{ star-free} \iff \forall x, u, y\ \exists n_0\ \forall n \ge n_0:\
       x u^n y \in L \Leftrightarrow x u^{n+1} y \in L $$
Hypotheses: the automaton is complete; words are finite.
Source: Schützenberger, “On finite monoids having only trivial subgroups”, Information and Control 8 (1965).
Refuted by: a language that the test calls star-free and that some word pumps with a period, or another index or period.
Cost: quick 10 s on one core, full about a minute.

The measurement knows how words move states, and acceptance; it minimises nothing. Words that move all states alike are one word
there, so all words are tried. Where there are more automata than ``most``, the seed draws as many.
"""

import dataclasses
import itertools
import math

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from theory.automata import Dfa, Semiautomaton
from theory.automata.monoid import index_and_period

CLAIM = claim(Relation.EQUALS)
HEADLINE = "counts"

LETTERS = "abc"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and states; automata, at the most."""

    letters: int = axis(1, 2)
    states: int = axis(2, 3, 4)
    most: int = 400


DOMAIN = domain(letters=whole(1, 3), states=whole(1, 4))
GRIDS = {
    "test": Sizes(letters=axis(2), states=axis(3), most=100),
    "quick": Sizes(),
    "full": Sizes(letters=axis(1, 2, 3), most=6000),
    "paper": Sizes(letters=axis(1, 2, 3), most=20_000),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Tables (automata, states, letters) and accepting states; witnesses of the test as words, -1 behind their ends."""
    tables, accepting = _automata(cell, np.random.default_rng(seed))
    witnesses = [_dfa(table, ends).period_witness() for table, ends in zip(tables, accepting, strict=True)]
    words = np.full((len(tables), max([1, *(len(one[0]) for one in witnesses if one)])), -1)
    for row, one in zip(words, witnesses, strict=True):
        for place, letter in enumerate(one[0] if one else ()):
            row[place] = LETTERS.index(letter)
    return {"tables": tables, "accepting": accepting, "witnesses": words}


def _automata(cell: Sizes, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All automata with all sets of accepting states, over again where they are few; random ones where they are too many."""
    entries, states = cell.states * cell.letters, cell.states
    if states**entries * 2**states <= cell.most:
        tables = np.array(list(itertools.product(range(states), repeat=entries)))
        ends = np.array(list(itertools.product((False, True), repeat=states)))
        tables, ends = np.repeat(tables, len(ends), axis=0), np.tile(ends, (len(tables), 1))
        tables, ends = (np.resize(part, (cell.most, part.shape[1])) for part in (tables, ends))
    else:
        tables, ends = source.integers(0, states, (cell.most, entries)), source.integers(0, 2, (cell.most, states)) > 0
    return tables.reshape(-1, states, cell.letters), ends


def _dfa(table: np.ndarray, accepting: np.ndarray) -> Dfa:
    return Dfa(Semiautomaton.from_table(table), accepting, tuple(LETTERS[: table.shape[1]]))


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Whether the test finds a period; the index and the period of each language; whether the test has a witness."""
    dfas = [_dfa(*one) for one in zip(given["tables"], given["accepting"], strict=True)]
    found = np.array([dfa.index_and_period for dfa in dfas])
    said = {
        "period": found[:, 1],
        "index": found[:, 0],
        "counts": [int(not dfa.is_star_free) for dfa in dfas],
        "witnessed": [int(dfa.period_witness() is not None) for dfa in dfas],
    }
    return tuple(Prediction(values, of=of, dims=("language",)) for of, values in said.items())


def _period_two(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    """A test that lets the period 2 pass, where some language has it."""
    period, _, counts, _ = predict(cell, given)
    passed = [int(one > 2) for one in np.asarray(period.value)]
    return None if passed == list(np.asarray(counts.value)) else dataclasses.replace(counts, value=passed)


def _single_letters(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Index and period of the letters of each minimal automaton: the most of the one, a common multiple of the other."""
    found = []
    for table, ends in zip(given["tables"], given["accepting"], strict=True):
        letters = [_index_and_period(letter) for letter in _dfa(table, ends).minimal.automaton.table.T.tolist()]
        found.append((max(index for index, _ in letters), math.lcm(*(period for _, period in letters))))
    return _found(cell, given, found)


def _of_states(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Index and period of the monoid of each automaton as it stands, whatever accepts and whatever is reached."""
    return _found(cell, given, [index_and_period(Semiautomaton.from_table(table)) for table in given["tables"]])


def _found(cell: Sizes, given: dict[str, np.ndarray], found: list[tuple[int, int]]) -> tuple[Prediction, ...]:
    """Another index and another period; the witnesses are the claim's own."""
    *_, witnessed = predict(cell, given)
    said = {
        "index": [index for index, _ in found],
        "period": [period for _, period in found],
        "counts": [int(period > 1) for _, period in found],
    }
    return (*(Prediction(values, of=of, dims=("language",)) for of, values in said.items()), witnessed)


def _index_and_period(images: list[int]) -> tuple[int, int]:
    """The least n with s^n = s^(n + p), and the least such p, of a map s of states; its zeroth power is the identity."""
    powers = [list(range(len(images)))]
    while (power := [images[state] for state in powers[-1]]) not in powers:
        powers.append(power)
    index = powers.index(power)
    return index, len(powers) - index


CONTROLS = (
    control(
        "letters alone",
        "a language that counts does so by the powers of a single letter",
        measure="letters_alone",
        where=lambda cell, _: cell.letters > 1 and cell.states > 2,
        finds=_single_letters,
    ),
    control(
        "states in place of words",
        "the automaton may stay as it is, with states that no word reaches",
        measure="of_states",
        finds=_of_states,
    ),
)


RIVALS = (rival("a period of two passes", _period_two, "languages that count modulo 2 are star-free"),)
