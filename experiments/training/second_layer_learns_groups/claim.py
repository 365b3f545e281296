r"""Two layers of signed diagonals learn the words of D4 in its two generators that one layer does not.

Statement: A network learns a group if, of new words of the training length, 65 in 100 have their whole product right. D4, in
    its two generators, has a chain of two quotients of exponent 2 and none of one, so exact weights exist from two layers of
    signed diagonals on. From there on the typical seed learns D4, and with one layer it does not. C8, in all its elements, has
    a chain of three, and with one layer the typical seed does not learn it. One layer of unit complex diagonals follows it.
    $$ \ell(D_4) = 2, \qquad P(D_4\ \mathrm{learned}) > \tfrac12 \iff \ell(D_4) \le L, \qquad \ell(C_8) = 3 > 1 $$
Hypotheses: letters are uniform; words are too many to be learned by heart (checked); network, training
    length, number of steps and level as in the grid.
Source: “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, on word problems; Shakerinava, Khavari,
    Ravanbakhsh, Chandar, “The Expressive Limits of Diagonal SSMs for State-Tracking”, arXiv 2603.01959, for the chain.
Refuted by: a typical seed that does not learn D4 with two layers, or that learns it, or C8, with one.
Cost: quick 90 s on one core, full about 7 min.

**Of D4 alone, not of every group.** It is not so that a group is learned if and only if its chain is no longer than the
network is deep: S3 refutes that, which has no chain, so that no weights of this kind follow its words of every length: two
layers learn words of 16 letters all the same. Under this recipe 12 of 14 seeds do at root key 0 (61 to 89 in 100 words right)
and 13 of 20 at key 1000; under the recipe of `full` 7 of 20 (key 1000). A4, which has no chain either, is learned by no seed
with two layers (at most 43 in 100 words, 21 at `full`) and by 3 of 14 with three (median 58). What exact weights exist for and
what is learned at one length are two questions: the chain decides the first.

`word_problem_depth` asks for words of twice the training length and says what is learned at depth 1; here the training length
counts, so that depth 2 is a matter of quick sizes. Letters are two generators, not all elements: training is several times as
fast. That one layer of the same network learns something in this budget is shown by a control: on two letters of D4 that
commute it learns the products. Products are read where words end: always to answer the identity is right in as many words as
have it for their product, which no word of D4 of odd length does.

Of 14 seeds two may fail in each statement. The level 65 lies between about a hundred seeds with one layer, none of which had
more than 62 in 100 words right, and those with two layers.

At `full` (20 letters) D4 is learned by all 14 seeds with two layers and with three, and by none with one.
"""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, listed, rival
from experiments.training.second_layer_learns_groups.common import KIND
from theory import groups
from theory.groups.depth import expressible

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "learned"


LEARNED = Fraction(65, 100)  # of the words


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths and the largest of them; the group; network and recipe; the share of words that counts as learned."""

    depth: int = axis(1, 2)
    deepest: int = 2
    group: str = axis("D4", "C8")
    seeds: int = 14
    width: int = 32
    length: int = 16
    batch: int = 16
    steps: int = 1600
    rate: float = 2e-2
    level: float = 0.65
    tests: int = 512

    def allows(self) -> bool:
        """Whether something is said of this cell: of C8 with one layer alone."""
        return self.group == "D4" or self.depth == 1


DOMAIN = listed(
    "D4 in its two generators, C8 in its elements, and the depths, lengths and recipes listed: a cell trains for a minute"
)
GRIDS = {
    "test": Sizes(depth=axis(1), group=axis("D4"), deepest=1, width=8, length=10, steps=20, tests=128, seeds=10),
    "quick": Sizes(),
    "full": Sizes(depth=axis(1, 2, 3), deepest=3, length=20, steps=2400),
    "paper": Sizes(axis(1, 2, 3, 4), deepest=4, width=128, length=64, batch=64, steps=50_000, rate=1e-3),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, the letters, and two elements that commute."""
    group = groups.group(cell.group)
    return {"table": group.table, "letters": _letters(group), "commuting": _commuting(group.table)}


def _letters(group: groups.FiniteGroup) -> tuple[int, ...]:
    """The generators, or all elements where one generates the group."""
    return group.generators if len(group.generators) > 1 else tuple(range(group.order))


def _commuting(table: np.ndarray) -> tuple[int, ...]:
    """The first two elements of order 2 that commute, where there are two."""
    twos = [x for x in range(1, len(table)) if table[x, x] == 0]
    return next(((x, y) for x, y in itertools.combinations(twos, 2) if table[x, y] == table[y, x]), ())


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Learned where the class has weights at this depth; the identity is as many products as its walk of letters returns."""
    learned = _said(cell, given, expressible(KIND, groups.group(cell.group), cell.depth))
    fewest = Prediction(math.ceil(LEARNED * cell.tests), of="fewest", relation=Relation.EQUALS)
    return learned, fewest, *_trained(cell, given, given["letters"])


def _trained(cell: Sizes, given: dict, letters: tuple[int, ...]) -> tuple[Prediction, ...]:
    """What every run trains, at half of the rate on average, what it reads, and how often to answer the identity is right.

    A signed diagonal has 8 numbers of state, and steps of rank w / 16. A layer of width w gates and reads w numbers, smooths
    four letters, selects a step and, twice, a number for each of the state, and has w rates for each of these. Beside them are
    norms, biases, skips, letters, a beginning of words, and elements.
    """
    order, width = len(given["table"]), cell.width
    rank, state = math.ceil(width / 16), 8
    # gate and output, step, selection, rates, filter with its bias, norm, bias of the step, skip
    layer = (2 * width + rank + (rank + 2 * state) + state + 5 + 1 + 1 + 1) * width
    facts = {
        "steps": cell.steps,
        "travel": cell.steps * cell.rate / 2,
        "weights": cell.depth * layer + (order + 1) * width + width + (width + 1) * order,
        "parts": cell.depth,
    }
    exact = [
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction([cell.seeds, cell.tests], of="asked", dims=("size",), relation=Relation.EQUALS),
        Prediction([cell.batch, cell.length + 1], of="drawn", dims=("extent",), relation=Relation.EQUALS),
    ]
    share, shorter = (_returns(given["table"], letters, length) for length in (cell.length, cell.length - 1))
    if share == shorter:
        return tuple(exact)
    skewness = float(abs(1 - 2 * share)) / math.sqrt(cell.tests * share * (1 - share))  # of a share of independent words
    same = {"relation": Relation.EQUALS, "mean": "seed", "skewness": skewness, "resolution": float(abs(share - shorter))}
    return *exact, Prediction(float(share), of="guessed", **same)


def _returns(table: np.ndarray, letters: tuple[int, ...], length: int) -> Fraction:
    """The share of words of some length whose product is the identity."""
    words = [1, *[0] * (len(table) - 1)]
    for _ in range(length):
        words = [
            sum(words[x] for x in range(len(table)) for letter in letters if table[x, letter] == y) for y in range(len(table))
        ]
    return Fraction(words[0], len(letters) ** length)


def _said(cell: Sizes, given: dict, learned: bool | None) -> Prediction:
    words = len(given["letters"]) ** cell.length
    many = Hypothesis("there are more than twice as many words as training draws", words > 2 * cell.steps * cell.batch)
    return Prediction(int(learned is True), of="learned", hypotheses=(many,))


CONTROLS = (
    control(
        "letters that commute",
        "one layer does not learn words in commuting letters either",
        measure="letters_that_commute",
        predict=lambda cell, given: predict(cell, given)[0],
        finds=lambda cell, given: _trained(cell, given, given["commuting"]),
        where=lambda cell, given: cell.depth == 1 and cell.group == "D4",
    ),
)


RIVALS = (
    rival(
        "one layer is enough",
        lambda cell, given: _said(cell, given, True) if cell.depth == 1 else None,
        "one layer learns D4 and C8",
    ),
)
