r"""One permutation-diagonal layer follows every automaton of its width; diagonal layers follow those that obey two laws.

Statement: A layer h <- P(x) D(x) h + B(x), P with one 1 in each column, follows every automaton of N states with N numbers of
    state, from every first state, exactly. Some diagonal layer h <- a(x) h + b(x), whose coordinates take finitely many values,
    follows an automaton from every first state if and only if its letters x, y obey the laws below for all words s that contain
    them, m being the least common multiple of the lengths of all cycles; any width is allowed, and any readout of the state
    after the last letter. Diagonal layers with turns by 1/m name the state of random words with the share that the normal form
    leaves: last letters in order, counts modulo m in between.
    $$ q\,xys = q\,yxs, \qquad q\,x^m s = q\,s \qquad \text{for all words } s \ni x, y $$
Hypotheses: coordinates of a diagonal layer take finitely many values, in exact arithmetic; words of the lengths tried are long
    enough to show a confusion where there is one (checked).
Source: PD-SSM, arXiv 2509.22284, for the first sentence; laws and share are derived here, in `theory.automata.diagonal`.
Refuted by: a state of the permutation-diagonal layer that is not a unit vector in the right place, or another number of
    automata, or another share, that the whole diagonal layer follows.
Cost: quick 9 s on one core, full about a minute.

All automata of 2, 3 and 4 states with two letters are tried, one for each class up to names of states and letters. The diagonal
layer has a coordinate for every set of letters that reset it and for every letter that turns it, by 1/m of a turn. It is run in
complex arithmetic, and words whose states agree to 1e-6 are one class: distinct states differ by 1/m of a turn or more. So no
diagonal layer with angles of this order knows more. The laws say nothing of layers whose values are not finitely many: one
coordinate h <- h/3 + x holds the whole word.
"""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.automata._drawn import automata, automaton
from experiments.automata.permutation_diagonal_follows_automata.common import SHARED, longest
from theory.automata.diagonal import confused, known_share, period

CLAIM = claim(Relation.EQUALS, needs_float64=True)

EVERY = "every automaton of states "
"""Before a number: all automata of so many states and two letters."""

CLASSES = {2: 7, 3: 74, 4: 1474}
"""How many there are, up to names: averages of fixed tables over renamings."""


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automata are the axis."""

    target: str = axis(*(f"{EVERY}{n}" for n in (2, 3, 4)))
    length: int = 48
    words: int = 4


def _shows(cell: Sizes) -> bool:
    table = automaton(cell.target).table
    return len(table) > 1 and _shown(table)


DOMAIN = domain(
    target=automata(5, 3),
    length=whole(16, 128, quick=64),
    where={"words that are read show what a diagonal layer confuses": _shows},
)
GRIDS = {
    "test": Sizes(target=axis(f"{EVERY}2", f"{EVERY}3"), words=2),
    "quick": Sizes(),
    "full": Sizes(length=256, words=16),
    "paper": Sizes(length=1024, words=64),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """The tables, the common length of each one's cycles, and random words, each first state in turn."""
    tables = _every(int(cell.target.removeprefix(EVERY))) if cell.target.startswith(EVERY) else _one(cell.target)
    _, states, letters = tables.shape
    return {
        "tables": tables,
        "turns": np.array([np.lcm.reduce([period(x) for x in table.T]) for table in tables]),
        "words": np.random.default_rng(seed).integers(0, letters, (cell.words * states, cell.length)),
    }


def _one(target: str) -> np.ndarray:
    return np.asarray(automaton(target).table)[None]


def _every(states: int) -> np.ndarray:
    """All tables of two letters, the first of each class in lexicographic order."""
    maps = np.array(list(itertools.product(range(states), repeat=states)))
    pairs = np.stack([np.repeat(maps, len(maps), axis=0), np.tile(maps, (len(maps), 1))], axis=2)
    weights = states ** np.arange(2 * states)[::-1].reshape(states, 2)
    own = (pairs * weights).sum(axis=(1, 2))
    least = own.copy()
    for names in itertools.permutations(range(states)):
        renamed = np.asarray(names)[pairs[:, np.argsort(names)]]
        for swapped in (renamed, renamed[:, :, ::-1]):
            least = np.minimum(least, (swapped * weights).sum(axis=(1, 2)))
    return pairs[own == least]


def _shown(table: np.ndarray) -> bool:
    """Whether the words that are read show a confusion if there is one."""
    return (pair := confused(table)) is None or max(map(len, pair)) <= longest(table.shape[1])


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Unit vectors at every letter; how many automata obey the laws; the share of words that their normal form tells."""
    tables = given["tables"]
    automata, states = (CLASSES[tables.shape[1]] if _of_lists(cell) else 1), tables.shape[1]
    visible = Hypothesis("words that are read show every confusion", all(map(_shown, tables)))
    obeys = np.array([confused(table) is None for table in tables])
    return (
        Prediction(automata * states * cell.words * cell.length, of="kept", formula=r"\#\{h_t = e_{q_t}\}"),
        Prediction(obeys.sum(), of="followed", hypotheses=(visible,), formula=r"\#\{xys = yxs,\ x^m s = s\}"),
        # a letter that turns some states round is not idempotent, and x x = x is the law of one letter without angles
        Prediction((obeys & (given["turns"] == 1)).sum(), of="followed_without_angles", hypotheses=(visible,)),
        Prediction(_share_of_counts(given), of="share_without_resets", resolution=0.01),
        Prediction(_share(given), of="share", resolution=0.01, formula=r"|A|^{-T} \sum_c \max_q N(c, q)"),
    )


def _kept(moves: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Prediction]:
    """How often a layer with other moves than the automaton's is in its state, on the words that are read."""

    def predicted(cell: Sizes, given: dict) -> Prediction:
        tables, words = given["tables"], given["words"]
        moved, each = moves(tables), np.arange(len(tables))[:, None]
        right = own = np.broadcast_to(np.arange(len(words)) % tables.shape[1], (len(tables), len(words)))
        kept = 0
        for letter in words.T:
            right, own = tables[each, right, letter], moved[each, own, letter]
            kept += int((right == own).sum())
        return Prediction(kept, of="kept")

    return predicted


def _share(given: dict) -> float:
    tables, turns = given["tables"], given["turns"]
    shares = [share for m in {*turns.tolist()} for share in known_share(tables[turns == m], SHARED, m)]
    return float(sum(shares) / len(shares))


def _share_of_counts(given: dict) -> float:
    """The share of words whose state the numbers of their letters name, modulo the common length of the cycles."""
    shares = []
    for table, turns in zip(given["tables"], given["turns"], strict=True):
        states, letters = table.shape
        ends: dict[tuple, Counter] = {}
        for word in itertools.product(range(letters), repeat=SHARED):
            known = tuple(word.count(letter) % int(turns) for letter in range(letters))
            now = np.arange(states)
            for letter in word:
                now = table[now, letter]
            for first in range(states):
                ends.setdefault((known, first), Counter())[int(now[first])] += 1
        shares.append(sum(max(found.values()) for found in ends.values()) / (states * letters**SHARED))
    return float(np.mean(shares))


def _commutes(table: np.ndarray) -> bool:
    letters = table.T
    return all((y[x] == x[y]).all() for x, y in itertools.combinations(letters, 2))


def _permutes(table: np.ndarray) -> bool:
    return all(len({*letter}) in (1, len(table)) for letter in table.T.tolist())


def _counted(law):
    return lambda cell, given: Prediction(sum(map(law, given["tables"])), of="followed")


def _of_lists(cell: Sizes, *given: dict) -> bool:
    return cell.target.startswith(EVERY)


CONTROLS = (
    control(
        "no permutations",
        "the diagonal alone follows them too",
        measure="diagonal_alone",
        finds=_kept(lambda tables: 0 * tables + np.arange(tables.shape[1])[:, None]),
        where=_of_lists,
    ),
    control(
        "one number fewer",
        "N - 1 numbers of state are enough, two states sharing one",
        measure="one_number_fewer",
        finds=_kept(lambda tables: np.minimum(tables, tables.shape[1] - 2)),
        where=_of_lists,
    ),
    control(
        "no angles",
        "diagonal layers of positive numbers follow as many",
        instead={"followed": "followed_without_angles"},
        where=_of_lists,
    ),
    control(
        "no resets",
        "diagonal layers that reset nothing know as much",
        instead={"share": "share_without_resets"},
        where=_of_lists,
    ),
)

RIVALS = (
    rival(
        "letters commute", _counted(_commutes), "diagonal layers follow the automata whose letters commute", everywhere=False
    ),
    rival(
        "turns and resets",
        _counted(lambda table: _permutes(table) and _commutes_but_resets(table)),
        "they follow those whose letters are constant or permute all states, permutations commuting",
        everywhere=False,
    ),
    rival(
        "all is known",
        lambda cell, given: Prediction(1.0, of="share", resolution=0.01),
        "a wide diagonal layer names the state of every word",
        everywhere=False,
    ),
)


def _commutes_but_resets(table: np.ndarray) -> bool:
    turning = [letter for letter in table.T if len({*letter.tolist()}) == len(table)]
    return all((y[x] == x[y]).all() for x, y in itertools.combinations(turning, 2))
