r"""Attention that doubles its reach reads any semiautomaton on words of length T in ceil(log2 T) layers.

Statement: Explicit attention layers, each of which doubles the reach of every position, give all states of any semiautomaton on
    words of length T with ceil(log2 T) layers. One layer fewer misreads some word of an automaton that remembers its first
    letter, one in which state 0 and another state, to which some letter leads from it, stay apart along y z y z ...
    $$ L = \lceil \log_2 T \rceil $$
Hypotheses: at most nine states and three letters; positions are integers, whose squares the type of the scores holds.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 1.
Refuted by: a length at which the fewest layers without a wrong state are not ceil(log2 T), a wrong state of the network that
    the construction makes for its length, or a first misread letter of one layer fewer that is not where its reach ends.
Cost: quick 6 s on one core, full about 2 min.

Derivation: layer l composes the map of the last 2^(l-1) letters with the map of the 2^(l-1) letters before them, so that after
L layers position t knows the map of the letters in (t - 2^L, t]. With L < log2 T position T has not seen the first letter. The
weights, and why the softmax is sharp enough, are in `depthjax.constructions.doubling.automaton`.

The layers needed are read off the errors after every layer of one network, for every length from 1 to 129: its attention is
causal, so it reads a prefix as it reads a word of that length. Query and key matrices make the scores, and the softmax goes
over all positions up to the query.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, claim, control, domain, off_by, rival, whole
from experiments.automata._drawn import automata, automaton
from experiments.automata.scan_depth.common import own_lengths
from theory.automata import Semiautomaton, semiautomaton
from theory.bounds import scan

CLAIM = claim(Relation.EQUALS)
HEADLINE = "own_layers"

NAMES = ("parity", "C2^3", "D4", "Q8", "A5", "S5", "gridworld9", "flip_flop", "dyck3", "abab")

LAST_TWO = [[2 * (state % 2) + letter for letter in range(2)] for state in range(4)]  # a state is the last two letters


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis; all are padded to the same numbers of states and letters, so that they share programs."""

    automaton: tuple[str, ...] | str = NAMES
    length: int = 129
    layers: int = 9  # of the network whose layers are judged one by one
    samples: int = 24
    own: int = 96  # a length at which a network has the construction's own number of layers, beside 3 and 128
    states: int = 9
    letters: int = 3


DOMAIN = domain(
    automaton=automata(9, 3),
    own=whole(4, 127),
    length=whole(129, 300, quick=129),
    where={"the automaton remembers its first letter": lambda cell: remembers(automaton(str(cell.automaton)))},
)
GRIDS = {
    "test": Sizes(automaton=("flip_flop", "S5"), samples=4),
    "quick": Sizes(),
    "full": Sizes(length=300, layers=10, samples=200),
    "paper": Sizes(length=600, layers=11, samples=500),
}


def objects(cell: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """The table; words x y z y z ... for all x, y, z."""
    return _objects(cell, str(cell.automaton))


def _objects(cell: Sizes, given: str | list) -> tuple[np.ndarray, np.ndarray]:
    found = automaton(given) if isinstance(given, str) else semiautomaton(given)
    first = np.array([[x, y, z] for x in range(3) for y in range(3) for z in range(3)]) % found.num_letters
    turns = first[:, 1 + np.arange(cell.length - 1) % 2]
    return found.table, np.concatenate([first[:, :1], turns], axis=1)


def remembers(found: Semiautomaton) -> bool:
    """Whether state 0 and a state to which some letter leads from it stay apart along y z y z ... for some letters y, z."""
    table, letters = found.table, range(found.num_letters)

    def apart(one: int, other: int, turns: tuple[int, int]) -> bool:
        for _ in range(found.num_states**2):  # by then a pair has come back
            for letter in turns:
                one, other = table[one, letter], table[other, letter]
        return bool(one != other)

    return any(apart(0, table[0, x], (y, z)) for x in letters for y in letters for z in letters)


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """As many layers as doublings of the reach that cover the word, at every length; all states right with the own depth.

    One layer fewer loses the first letter where its reach, half of the doubled one, ends. The words are those of `objects`, as
    many as there are x, y, z, beside random ones, which do not meet.
    """
    table, words = given
    letters = table.shape[1]
    needed = [int(scan(length).at()) for length in range(1, cell.length + 1)]
    own = own_lengths(cell.own)
    layers = [int(scan(length).at()) for length in own]
    turns = [_right(table, words, length, 2 ** (layer - 1)) for length, layer in zip(own, layers, strict=True)]
    # of the random words, only the letters within reach are known to be read rightly
    random = [(cell.samples * 2 ** (layer - 1), cell.samples * length) for length, layer in zip(own, layers, strict=True)]
    return (
        Prediction(needed, of="needed", dims=("length",), formula=r"\lceil \log_2 T \rceil"),
        Prediction(min(letters**cell.length, letters**3 + cell.samples), of="words"),
        Prediction([(3**3 + cell.samples) * length for length in own], of="right_states", dims=("own",)),
        Prediction([2 ** (layer - 1) + 1 for layer in layers], of="misread_with_fewer", dims=("own",)),
        Prediction(layers, of="own_layers", dims=("own",)),
        Prediction(turns, of="turns_with_fewer", dims=("own",)),
        *(
            Prediction(
                [known + sides[side] for known, sides in zip(turns, random, strict=True)],
                of="right_with_fewer",
                dims=("own",),
                relation=relation,
                resolution=UNSHARP,
            )
            for side, relation in enumerate((Relation.AT_LEAST, Relation.AT_MOST))
        ),
    )


def _right(table: np.ndarray, words: np.ndarray, length: int, reach: int) -> int:
    """How many states of these words are right, at so many letters, if a position knows so many of its last letters."""
    whole = np.zeros(len(words), int)
    known = np.zeros((reach, len(words)), int)  # the states after the last letters, begun at each of the last positions
    right = 0
    for place in range(length):
        known[place % reach] = 0  # begins at this letter
        known, whole = table[known, words[:, place]], table[whole, words[:, place]]
        right += int((known[max(place - reach + 1, 0) % reach] == whole).sum())
    return right


def _forgets(cell: Sizes) -> tuple:
    return _objects(cell, LAST_TWO)


def _two_letters(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """The state of the last two letters: one layer reads the letter before, and the first letter has none.

    So one layer fewer than the construction's own, which has two at the least, misreads nothing: no length is the first one.
    """
    layers = [int(scan(length).at()) for length in own_lengths(cell.own)]
    right = [(3**3 + cell.samples) * length for length in own_lengths(cell.own)]
    return (
        Prediction([0] + [1] * (cell.length - 1), of="needed", dims=("length",)),
        Prediction(min(2**cell.length, 2**3 + cell.samples), of="words"),
        Prediction(right, of="right_states", dims=("own",)),
        Prediction(right, of="right_with_fewer", dims=("own",)),
        Prediction([3**3 * length for length in own_lengths(cell.own)], of="turns_with_fewer", dims=("own",)),
        Prediction([1] * len(layers), of="misread_with_fewer", dims=("own",)),
        Prediction(layers, of="own_layers", dims=("own",)),
    )


def _half(cell: Sizes, given: tuple) -> Prediction:
    """All states but half of those of words whose first letter is out of reach, by length."""
    number = 3**3 + cell.samples
    right = [number * (length + 2 ** (int(scan(length).at()) - 1)) / 2 for length in own_lengths(cell.own)]
    return Prediction(right, of="right_with_fewer", dims=("own",), relation=Relation.AT_MOST)


def _floor(cell: Sizes, given: tuple) -> Prediction:
    return Prediction([length.bit_length() - 1 for length in range(1, cell.length + 1)], of="needed", dims=("length",))


CONTROLS = (
    control(
        "an automaton that forgets",
        "an automaton that knows its last two letters alone needs ceil(log2 T) layers",
        objects=_forgets,
        finds=_two_letters,
    ),
    control("one layer fewer", "one layer fewer gives all states", instead={"right_states": "right_with_fewer"}),
)

RIVALS = (
    off_by(-1, of="needed"),
    off_by(1, of="needed"),
    rival("floor for ceiling", _floor, "floor(log2 T) layers suffice"),
    rival(
        "a lost letter is a lost state",
        _half,
        "one layer fewer misreads at least half of the states beyond its reach",
        everywhere=False,
    ),
)
