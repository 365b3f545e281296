r"""The holonomy cascade simulates its automaton, with as many levels as the longest chain of images.

Statement: Encode a state into the coordinates of the holonomy decomposition, run the cascade of permutation-reset levels on a
    word, and decode: the result is the state to which the word moves the automaton. The number of levels is the length of the
    longest strict chain of images with several states, where P lies below R if P is contained in an image of R.
    $$ \mathrm{decode}(\mathrm{cascade}_w(\mathrm{encode}(q))) = q \cdot w, \qquad
       \mathrm{levels} = \max \{ k : Q = P_1 > P_2 > \dots > P_k, \ |P_k| > 1 \} $$
Hypotheses: every group inside the automaton is solvable (checked), so that the cascade compiles to layers.
Source: Krohn, Rhodes, “Algebraic theory of machines I”, Transactions of the AMS 116 (1965), Prime decomposition theorem.
Refuted by: a state that the cascade reaches wrongly, or a chain of images of another length.
Cost: quick 20 s on one core, full about 4 min.

All automata with two or three states and two letters are judged, one of each kind up to names, some larger ones, and random
ones with two or three letters, each of which is a permutation in one case of three. The levels
are computed from classes of images and their order (Zeiger 1967, re-derived in `theory.automata.holonomy`); the chains are
found by following all words, whose maps are listed.

The number of levels is *not* at most |Q| - 1, as is often said of this construction, because classes of images of equal size
can lie strictly above each other. Three states and the letters (0, 0, 1), (0, 0, 2) have the chain Q > {0, 2} > {0, 1}. It is
not the number of classes either: classes of which none lies above another share a level.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterator

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, claim, control, domain, off_by, rival, whole
from experiments.automata._drawn import random_table
from experiments.automata._records import plain, record
from experiments.automata._switched import switched
from theory.automata import Semiautomaton, semiautomaton

CLAIM = claim(Relation.EQUALS)
HEADLINE = "right_states"

GOLDEN = (5**0.5 - 1) / 2  # its multiples are spread evenly modulo 1


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell: all automata up to some number of states, and others spread over all tables with more states.

    A cell with a draw has random tables of one number of states in their place.
    """

    complete: int = 3
    largest: int = 5
    tables: int = 60  # with each number of states from complete + 1 on
    networks: int = 2  # and how many of them are simulated
    length: int = 8  # of the words
    letters: int = 2
    draw: int = 0  # of random tables, all with `largest` states; 0: none


def _automata(cell: Sizes, number: int) -> Iterator[Semiautomaton]:
    """All automata up to names of states and letters; with each larger number of states this many, spread over all tables."""
    if cell.draw:
        for index in range(number):
            yield semiautomaton(random_table(cell.largest, cell.letters, 1000 * cell.draw + index))
        return
    for states in range(2, cell.complete + 1):
        seen: set[tuple] = set()
        every = list(itertools.product(itertools.permutations(range(states)), itertools.permutations(range(cell.letters))))
        for entries in np.ndindex((states,) * (states * cell.letters)):
            if entries not in seen:
                table = np.array(entries).reshape(states, cell.letters)
                yield semiautomaton(table)
                renamed = (np.array(names)[table[np.argsort(names)][:, list(letters)]] for names, letters in every)
                seen.update(tuple(other.flat) for other in renamed)
    for states in range(cell.complete + 1, cell.largest + 1):
        shape = (states,) * (states * cell.letters)
        for index in range(number):
            place = int(index * GOLDEN % 1 * states ** (states * cell.letters))
            yield semiautomaton(np.array(np.unravel_index(place, shape)).reshape(states, cell.letters))


def _solvable(cell: Sizes) -> bool:
    return all(a.is_solvable for a in _automata(cell, cell.networks))


DOMAIN = domain(
    draw=whole(1, 999),
    largest=whole(3, 6, quick=5),
    letters=whole(2, 3),
    length=whole(4, 8, quick=6),
    tables=among(60, 200, quick=(40,)),
    networks=among(2, 8, quick=(2,)),
    where={"every group inside the simulated automata is solvable": _solvable},
)
GRIDS = {
    "test": Sizes(complete=2, largest=4, tables=12, networks=1, length=5),
    "quick": Sizes(networks=1),
    "full": Sizes(tables=1000, networks=40),
    "paper": Sizes(largest=6, tables=1000, networks=100),
}


def objects(cell: Sizes) -> dict:
    """The tables of all automata; of those that are simulated, the table and the cascade as plain arrays."""
    cascades = [(a.table, plain(a.holonomy().program()._replace(depth=0))) for a in _automata(cell, cell.networks)]
    return {"tables": [automaton.table for automaton in _automata(cell, cell.tables)], "cascades": cascades}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """As many automata as there are; all states right, as many as words, letters and starts; chains as long as the levels.

    Last states, and states that are right after a move was changed, are counted by paths; those that are right without the
    first layer, letter by letter.
    """
    solvable = Hypothesis("every group inside is solvable", _solvable(cell))
    levels = [len(automaton.holonomy().levels) for automaton in _automata(cell, cell.tables)]
    tables = [automaton.table for automaton in _automata(cell, cell.networks)]
    numbers = [_numbers(cell, number) for number in (cell.tables, cell.networks)]
    starts = sum(states * number for states, number in numbers[1].items())
    return (
        *_counted("automata", numbers),
        *([] if cell.draw else _counted("distinct", numbers)),  # random tables may be alike
        Prediction(starts * cell.letters**cell.length * cell.length, of="right_states", hypotheses=(solvable,)),
        Prediction(sum(_last_states(table, cell.length) for table in tables), of="last_states"),
        Prediction(sum(_agreements(table, cell.length) for table in tables), of="right_with_move"),
        Prediction(sum(_without_first(cell, *simulated) for simulated in given["cascades"]), of="right_with_fewer"),
        _chains(levels),
    )


def _counted(of: str, numbers: list[dict[int, int]]) -> tuple[Prediction, ...]:
    """Of the automata whose images are followed, and of those that are simulated: how many, and all their states."""
    counts = [[sum(one.values()), sum(states * number for states, number in one.items())] for one in numbers]
    return (Prediction(counts, of=of, dims=("task", "counted")),)


def _numbers(cell: Sizes, number: int) -> dict[int, int]:
    """How many automata of each number of states are judged."""
    if cell.draw:
        return {cell.largest: number}
    every = {states: _up_to_names(states, cell.letters) for states in range(2, cell.complete + 1)}
    return every | dict.fromkeys(range(cell.complete + 1, cell.largest + 1), number)


def _up_to_names(states: int, letters: int) -> int:
    """How many automata there are up to names of states and of letters: Burnside's mean number of tables that names keep.

    A cycle of i states and one of j letters make gcd(i, j) cycles of lcm(i, j) entries. The first entry of each says the
    others, and is a state that so many steps lead back to itself.
    """
    kept, tried = 0, 0
    for renamed, relettered in itertools.product(*(itertools.permutations(range(size)) for size in (states, letters))):
        lengths = _cycles(renamed)
        pairs = list(itertools.product(lengths, _cycles(relettered)))
        back = [(sum(i for i in lengths if math.lcm(*pair) % i == 0), math.gcd(*pair)) for pair in pairs]
        kept, tried = kept + math.prod(choices**times for choices, times in back), tried + 1
    return kept // tried


def _cycles(permutation: tuple[int, ...]) -> list[int]:
    """The lengths of its cycles."""
    left, lengths = set(range(len(permutation))), []
    while left:
        place, length = min(left), 0
        while place in left:
            left.remove(place)
            place, length = permutation[place], length + 1
        lengths.append(length)
    return lengths


def _agreements(table: np.ndarray, length: int) -> int:
    """How often, over all starts, words and positions, the automaton is where it is with its first move changed by one."""
    states, letters = table.shape
    changed = table.copy()
    changed[0, 0] = (changed[0, 0] + 1) % states
    ways, right = np.eye(states, dtype=int), 0
    for left in reversed(range(length)):
        moved = np.zeros_like(ways)
        for one, other in zip(table.T, changed.T, strict=True):
            np.add.at(moved, np.ix_(one, other), ways)
        ways, right = moved, right + int(np.trace(moved)) * letters**left
    return right


def _without_first(cell: Sizes, table: np.ndarray, cascade: dict) -> int:
    """How many states are right, over all starts and words, where the first layer keeps its first state."""
    words, right = np.array(list(itertools.product(range(cell.letters), repeat=cell.length))), 0
    for start in range(len(table)):
        found, states = switched(record(cascade), words, start, 0), np.full(len(words), start)
        for place, letters in enumerate(words.T):
            states = table[states, letters]
            right += int((found[:, place] == states).sum())
    return right


def _last_states(table: np.ndarray, length: int) -> int:
    """The sum over all words and starts q of (q + 1) times the last state, from the number of paths between states."""
    states = np.arange(len(table))
    paths = np.linalg.matrix_power((table[:, :, None] == states).sum(axis=1), length)
    return int((states + 1) @ paths @ states)


def _chains(levels: list[int]) -> Prediction:
    return Prediction(levels, of="chain", dims=("automaton",))


def _classes(cell: Sizes, given: dict) -> Prediction:
    """The number of classes of images with several states."""
    found = [automaton.images for automaton in _automata(cell, cell.tables)]
    return _chains([len(np.unique(i.classes[i.sizes > 1])) for i in found])


def _by_inclusion(cell: Sizes, given: dict) -> Prediction:
    """The longest chain of images in which each is contained in the one before, from the smallest image up."""
    return _chains([_longest_inclusion(automaton) for automaton in _automata(cell, cell.tables)])


def _longest_inclusion(automaton: Semiautomaton) -> int:
    sets = sorted({frozenset(np.flatnonzero(row).tolist()) for row in automaton.images.contains if row.sum() > 1}, key=len)
    longest: dict[frozenset, int] = {}
    for image in sets:
        longest[image] = 1 + max((length for smaller, length in longest.items() if smaller < image), default=0)
    return max(longest.values(), default=0)


CONTROLS = (
    control("a layer dropped", "cascades without their first layer simulate", instead={"right_states": "right_with_fewer"}),
    control("one move changed", "a cascade simulates another automaton", instead={"right_states": "right_with_move"}),
    control("inclusion alone", "images need not be moved to be compared", measure="by_inclusion", finds=_by_inclusion),
)

RIVALS = (
    off_by(-1, of="chain"),
    off_by(1, of="chain"),
    rival("|Q| - 1 levels", lambda _, given: _chains([len(t) - 1 for t in given["tables"]]), "there are |Q| - 1 levels"),
    rival("a level for each class", _classes, "there are as many levels as classes of images", everywhere=False),
)
