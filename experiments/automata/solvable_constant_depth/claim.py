r"""Solvable automata are simulated at a depth that does not depend on the length of the word.

Statement: If every group inside an automaton is solvable, a cascade of abelian and reset layers gives its states on words of
    any length. Each level of the holonomy decomposition takes as many layers as the derived length of its groups, and one more
    if some letter is not a permutation. None of the layers of an automaton that has a
    name here can be left out.
    $$ \mathrm{depth} = \sum_{\mathrm{levels}} \bigl(d(G_i) + [\mathrm{resets}]\bigr) $$
Hypotheses: every group inside is solvable (checked); at most nine states and four letters; words of up to 10,000 letters, so
    that counters stay below 2^22 in float32; positions are integers.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 2.
Refuted by: a wrong state at some length by some route, another number of layers without which states are wrong, or commutators
    of a perfect group that die out.
Cost: quick 25 s on one core, full about 2 min.

The construction is re-derived in `depthjax.constructions.compiled.automaton`. It runs by prefix scans, by diagonal recurrences
or by attention. Parity, C_n and C2^3 take 1 layer; dihedral groups, Q8, Alt(4) and the car on a circle take 2; Sym(4) takes 3.
The depth is read off the errors: each layer is switched off in turn, and those without which some state is wrong are counted.
Of an automaton without a name some layer may be left out. If no word reaches a state, layers may serve this state alone, which
is a control. And of 70 random tables whose states are all reached one, with the letters (0, 2, 2) and (1, 0, 2), has three
layers and needs two. So of random tables only the layers that are built are counted.

Alt(5) and Sym(5) have no such cascade. In a solvable group the commutators of commutators of ... die out after as many steps as
the derived length; in these two groups they go on filling the perfect subgroup of order 60, and the compiler names it when it
refuses (`tests/depthjax/test_automata.py`).
"""

import dataclasses
import itertools
import math

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, claim, control, domain, off_by, rival, whole
from experiments.automata._drawn import automata, automaton, is_table
from experiments.automata._records import plain, record
from experiments.automata._switched import switched
from theory import bounds, groups
from theory.automata import Semiautomaton, semiautomaton

CLAIM = claim(Relation.EQUALS)
HEADLINE = "needed"

NAMES = ("parity", "Q8", "S4", "flip_flop", "abab", "car")

MORE = (
    "gridworld4",
    "C5",
    "C2^3",
    "D3",
    "D4",
    "D6",
    "D8",
    "A4",
    "gridworld2",
    "gridworld9",
    "flip_flop4",
    "dyck3",
    "adder",
    "car6",
)

EXTENDED = ("parity", "Q8")  # by a state that no word reaches

PERFECT, SOLVABLE = ("A5", "S5"), ("A4", "S4")

PRODUCTS = {
    "parity": (2, 2),
    "Q8": (2**3, 1 + 1),  # -1 alone is an involution
    "S4": (math.factorial(4), 1 + 6 + 3),  # transpositions, and pairs of them
    "A4": (math.factorial(4) // 2, 1 + 3),
    "D4": (2 * 4, 1 + 4 + 1),  # reflections and the half turn
    "flip_flop": (1 + 2, 1),  # a write is no inverse
}
"""The orders of groups, or of two writes with the empty word, and how many of their elements are their own inverse."""

DEFINITIONS = {f"cascade.levels.{level}.height": "the height of a level numbers it in the cascade" for level in range(20)}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis."""

    automaton: tuple[str, ...] | str = NAMES
    routes: str = "attention,recurrence"  # on the longest words; the scan reads the short ones
    longest: int = 10_000
    samples: int = 2  # words of that length
    short: int = 64  # length of the words that are also read with a layer switched off
    words: int = 128
    commutators: int = 3  # how often commutators are formed
    draws: int = 20_000


FULL = Sizes((*NAMES, *MORE), samples=64, words=2048)


def _is_solvable(cell: Sizes) -> bool:
    return automaton(str(cell.automaton)).is_solvable


def _moves(cell: Sizes) -> bool:
    table = automaton(str(cell.automaton)).table
    return bool((table != np.arange(len(table))[:, None]).any())


DOMAIN = domain(
    automaton=dataclasses.replace(automata(5, 3), within={"quick": automata(4, 3), "test": automata(3, 2)}),
    longest=whole(100, 10_000, quick=2_000, test=200),
    where={"every group inside is solvable": _is_solvable, "some letter moves some state": _moves},
)
GRIDS = {
    "test": Sizes(("Q8", "parity"), "attention", longest=100, words=16, draws=4_000),
    "quick": Sizes(),
    "full": FULL,
    "paper": FULL,
}


def objects(cell: Sizes) -> dict:
    """The table and the cascade of the automaton as plain arrays; known words; Cayley tables of perfect and of solvable groups.

    Half of the short words are known to both sides.
    """
    found = automaton(str(cell.automaton))
    return {
        **_simulated(found),
        "known": np.random.default_rng(found.table.shape).integers(0, found.table.shape[1], (cell.words // 2, cell.short)),
        "another": _simulated(_with_another_state(cell)) if cell.automaton in EXTENDED else {},
        "perfect": [groups.group(name).table for name in PERFECT],
        "solvable": [groups.group(name).table for name in SOLVABLE],
    }


def _simulated(found: Semiautomaton) -> dict:
    return {"table": found.table, "cascade": plain(found.holonomy("fewest").program()._replace(depth=0))}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong state at any length, the layers from the derived lengths of the levels, and the orders of perfect subgroups."""
    found = automaton(str(cell.automaton))
    depth = int(bounds.automaton(found).bound.at())
    solvable = (Hypothesis("every group inside is solvable", found.is_solvable),)
    return (
        Prediction(_letters(cell), of="right_states", dims=("route", "length"), hypotheses=solvable),
        _asked("asked", found.table.shape[1], cell.samples, cell.longest),
        _asked("asked_short", found.table.shape[1], cell.words, cell.short),
        Prediction(0, of="wrong_short", hypotheses=solvable),
        Prediction(cell.words * cell.short, of="right_short", hypotheses=solvable),
        *_wrong_without(cell, given),
        *([Prediction(PRODUCTS[str(cell.automaton)], of="products", dims=("all",))] if cell.automaton in PRODUCTS else []),
        Prediction(depth, of="built", hypotheses=solvable),
        *(() if is_table(str(cell.automaton)) else (Prediction(depth, of="needed", hypotheses=solvable),)),
        Prediction([bounds.group(name).derived_orders[-1] for name in PERFECT], of="perfect_order", dims=("group",)),
        Prediction([1] * len(SOLVABLE), of="solvable_order", dims=("group",)),  # commutators die out
    )


def _asked(of: str, letters: int, words: int, length: int) -> Prediction:
    """All letters, different words and their length: with two letters these words are too long to come twice."""
    return Prediction([letters, words if letters > 1 else 1, length], of=of, dims=("counted",))


def _letters(cell: Sizes) -> list[list[int]]:
    """The letters of the first 10, 100, ... of all words, and of the whole, by every route."""
    lengths = [length for length in (10, 100, 1_000) if length < cell.longest] + [cell.longest]
    return [[cell.samples * length for length in lengths] for _ in cell.routes.split(",")]


def _wrong_without(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """States of known words that are wrong without the last layer, and without each one, added up: letter by letter."""
    table, words, cascade = given["table"], given["known"], record(given["cascade"])
    states = np.zeros((len(words), cell.short + 1), int)
    for place in range(cell.short):
        states[:, place + 1] = table[states[:, place], words[:, place]]
    depth = int(bounds.automaton(automaton(str(cell.automaton))).bound.at())
    wrong = [int((switched(cascade, words, 0, off) != states[:, 1:]).sum()) for off in range(depth)]
    return Prediction(wrong[-1], of="wrong_with_fewer"), Prediction(sum(wrong), of="wrong_with_each")


def _with_another_state(cell: Sizes) -> Semiautomaton:
    """The automaton with a state that no word reaches: the first letter leads from it to state 0, the others leave it."""
    table = automaton(str(cell.automaton)).table
    states, letters = table.shape
    return semiautomaton(np.concatenate([table, [[0] + [states] * (letters - 1)]]))


def _all_layers(cell: Sizes, given: dict) -> Prediction | None:
    name = str(cell.automaton)
    return None if is_table(name) else Prediction(int(bounds.automaton(automaton(name)).bound.at()), of="needed")


def _layers_of_another(cell: Sizes, given: dict) -> Prediction:
    return Prediction(int(bounds.automaton(_with_another_state(cell)).bound.at()), of="needed")


def _out_of_reach(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """More layers are built, all states are right, and those layers are needed without which the automaton itself fails."""
    found = automaton(str(cell.automaton))
    return (
        Prediction([_layers_of_another(cell, given).value, len(found.table) + 1], of="layers_and_states", dims=("size",)),
        Prediction(cell.words * cell.short, of="right_short"),
        Prediction(int(bounds.automaton(found).bound.at()), of="needed"),
        _asked("asked_short", found.table.shape[1], cell.words, cell.short),
    )


def _layers_alone(found: Semiautomaton) -> int | None:
    """Layers that words of the first letter need, where that is known: none if it moves no state, or all of them.

    Words begin in state 0: a letter that moves it needs a layer. Where a group acts on itself, a layer is needed if some power
    of the letter lies in a derived subgroup and not in the next: i, and i^2 = -1 in Q8. Elsewhere coordinates depend on how
    cosets are chosen.
    """
    states, letters = np.arange(len(found.table)), found.table.T.tolist()
    if letters[0] == states.tolist():
        return 0
    if letters[0][0] == 0:
        return None
    least = 1
    if all(sorted(letter) == states.tolist() for letter in letters):
        group = groups.FiniteGroup.from_permutations(letters)
        if group.order == len(states):
            powers, series = [letters[0]], [[tuple(group.permutations[x]) for x in part] for part in group.derived_series]
            while powers[-1] != states.tolist():
                powers.append([letters[0][state] for state in powers[-1]])
            inside = [sum(tuple(power) in part for power in powers) for part in series]
            least = sum(upper > lower for upper, lower in itertools.pairwise(inside))
    every = int(bounds.automaton(found).bound.at())
    return every if least == every else None


def _alone(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """One word, whose states follow one another from state 0, and the layers that are known to move."""
    found = automaton(str(cell.automaton))
    needed, follows, states = _layers_alone(found), found.table[:, 0], [0]
    for _ in range(cell.short):
        states.append(int(follows[states[-1]]))
    return (
        *([] if needed is None else [Prediction(needed, of="needed")]),
        _asked("asked_short", 1, cell.words, cell.short),
        Prediction(cell.words * cell.short, of="right_short"),
        Prediction(cell.words * sum(states), of="states_short"),
    )


CONTROLS = (
    control(
        "a state out of reach",
        "layers that serve a state which no word reaches cannot be left out",
        measure="state_out_of_reach",
        predict=_layers_of_another,
        finds=_out_of_reach,
        where=lambda cell, given: cell.automaton in EXTENDED,
    ),
    control(
        "one layer fewer",
        "the cascade simulates the automaton with its last layer switched off",
        instead={"wrong_short": "wrong_with_fewer"},
        where=lambda cell, given: not is_table(str(cell.automaton)),
    ),
    control(
        "one letter alone",
        "words of the first letter alone need all layers",
        measure="one_letter",
        predict=_all_layers,
        finds=_alone,
        everywhere=False,
    ),
    control(
        "solvable groups",
        "the iterated commutators of Alt(4) and Sym(4) never die out",
        instead={"perfect_order": "solvable_order"},
    ),
)

RIVALS = (
    off_by(-1, of="needed"),
    off_by(1, of="needed"),
    rival(
        "one level, one layer",
        lambda cell, given: Prediction(len(given["cascade"]["levels"]), of="needed"),
        "the depth is the number of levels: a level takes one layer, whatever its group",
        everywhere=False,
    ),
)
