r"""The least machine of the induction head has a state for every rooted tree of letters, and 2^n for the recall of n keys.

Statement: A machine reads letters from left to right and answers hop_1 at every position of every stream over V letters. The
    least such machine has one state before the first letter and one for every rooted tree on some of the letters. On the words
    k_1 b_1 ... k_n b_n k alone, N = 2 n + 1 letters, any machine has 2^n states before it reads the key k, whatever its depth.
    $$ |Q| = 1 + \sum_{s=1}^{V} \binom{V}{s} s^{s-1},\qquad \log_2 |\text{states}| \ge n = \tfrac{N-1}{2} $$
Hypotheses: the answer is right at every position of every stream; for the second part n distinct keys beside two values, and
    right answers at the last position.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, on recurrence.
Refuted by: another number of states, a wrong answer of that machine in any stream, or another number of rows of answers.
Cost: quick 6 s on one core, full about 2 min.

The tree says which letter last came behind each letter seen; its root is the last letter. The source has Omega(N); both counts
are derived here (`theory.attention.memory`). The machine is found from the task's answers on letter streams: a state is a word
whose answers to the next letter no shorter word has, so no two states can be merged. That it needs no more states is seen on
random streams, on which it makes no error. What trained recurrences reach is not judged.
"""

import dataclasses

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, claim, control, domain, rival, scaled, whole
from theory import bounds
from theory.attention.memory import induction_head_states

CLAIM = claim(Relation.EQUALS)
HEADLINE = "states"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters 2 to `letters`; every number of keys up to `most`; length and number of streams; merged machines tried."""

    letters: int = 5
    most: int = 9
    length: int = 256
    streams: int = 64
    merges: int = 16

    @property
    def longest(self) -> int:
        """Letters of the longest word that is asked about: twice each letter, or all keys with their bits."""
        return 2 * max(self.letters, self.most) + 1


DOMAIN = domain(letters=whole(2, 6, quick=4, test=3), most=whole(1, 14, quick=9, test=4), length=whole(20, 400))
GRIDS = {
    "test": Sizes(letters=3, most=4, length=64, streams=8),
    "quick": Sizes(),
    "full": Sizes(letters=6, most=14, streams=256, merges=256),
    "paper": Sizes(letters=7, most=16, streams=1024, merges=1024),
}


def _alphabets(cell: Sizes) -> range:
    """Sizes of the alphabet, of which the measurement has a list of its own."""
    return range(2, cell.letters + 1)


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """One state for every rooted tree and one more, every answer right, and 2^n rows of answers."""
    states = [induction_head_states(letters) for letters in _alphabets(cell)]
    bits = [int(bounds.recurrent_bits(2 * n + 1).at()) for n in range(1, cell.most + 1)]
    return (
        Prediction(states, of="states", dims=("alphabet",), formula=r"1 + \sum_s \binom{V}{s} s^{s-1}"),
        Prediction([2 * cell.streams * cell.length] * len(states), of="right", dims=("alphabet",)),
        Prediction([[v * (v - 1), v * v] for v in _alphabets(cell)], of="pairs", dims=("alphabet", "kind")),
        Prediction([_states_of_first(v) for v in _alphabets(cell)], of="states_of_first", dims=("alphabet",)),
        Prediction([2] * len(bits), of="classes_of_one", dims=("recalled",)),
        Prediction([2**n for n in bits], of="classes", dims=("recalled",), formula="2^n"),
    )


def _states_of_first(letters: int) -> int:
    """Rows of answers of the first match to every next letter, each followed from the first word that has it."""

    def answer(word: list[int]) -> int:
        return [*word, -1][word.index(word[-1]) + 1]

    seen, words = set(), [[]]
    for word in words:  # grows while it is walked
        row = tuple(answer([*word, letter]) for letter in range(letters))
        if row not in seen:
            seen.add(row)
            words += [[*word, letter] for letter in range(letters)]
    return len(seen)


def _soonest(letters: int) -> list[int]:
    """After how many letters each tree is there soonest, in this order: the last letter, and what last followed each other."""
    level: set = {(None, frozenset())}
    seen, soonest = set(level), []
    while level:
        soonest += [1 + max(soonest, default=-1)] * len(level)
        reached = set()
        for last, exits in level:
            for letter in range(letters):
                behind = exits if last is None else exits | {(last, letter)}
                reached.add((letter, frozenset(one for one in behind if one[0] != letter)))
        level = reached - seen
        seen |= level
    return soonest


def _a_state_fewer(cell: Sizes) -> tuple[Prediction, ...]:
    """A merged machine is in all states but one, and right at the first letter of each stream: the first state is kept.

    It is right until it is where it misses a state, and wrong at some next letter, because one letter tells two trees apart.
    """
    soonest = [_soonest(letters) for letters in _alphabets(cell)]
    places = [[1 + index * (len(each) - 1) // cell.merges for index in range(cell.merges)] for each in soonest]
    wrong = [[each[place] + 1 for place in those] for each, those in zip(soonest, places, strict=True)]
    entered = [[induction_head_states(letters) - 1] * cell.merges for letters in _alphabets(cell)]
    first = [2 * cell.streams] * len(entered)
    return (
        Prediction(entered, of="entered", dims=("alphabet", "machine")),
        Prediction(wrong, of="first_wrong", dims=("alphabet", "machine")),
        Prediction(first, of="right", dims=("alphabet",), relation=Relation.AT_LEAST, resolution=UNSHARP),
    )


CONTROLS = (
    control(
        "another task",
        "to find the first match takes as many states, and one key asked for as many as all",
        instead={"states": "states_of_first", "classes": "classes_of_one"},
    ),
    control(
        "a state fewer",
        "the machine answers rightly where one state takes the place of another",
        measure="a_state_fewer",
        finds=_a_state_fewer,
    ),
)

RIVALS = (
    rival(
        "any letter behind any other",
        lambda cell: Prediction([v * (v + 1) ** (v - 1) for v in _alphabets(cell)], of="states", dims=("alphabet",)),
        "a state is the last letter and, for every other, any letter or none",
    ),
    scaled(0.5, of="classes", name="half the classes", statement="there are 2^(n - 1) classes"),
)
