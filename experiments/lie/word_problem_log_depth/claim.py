r"""Two prefix sums tell positive words apart, signed words of seven letters need three, and the signature takes log2(T + 1).

Statement: Take the truncated signature of words in n letters as a cascade of prefix sums over the derived ideals of the free
    nilpotent Lie algebra of class T. (a) It has min{k : m_k(n) > T} layers, at most ceil(log2(T + 1)), where m_k(n) is the
    lowest degree of the k-th derived ideal. (b) Its two lowest layers have a different state for every word of at most T
    letters, and its lowest layer keeps the letter counts. (c) On reduced words of signed letters, in which a letter and its
    inverse undo each other, one layer keeps the end of the word's path in Z^n, and two layers keep its flow: how often the
    path runs along each edge. Up to six letters in two generators no two flows agree; of seven letters, 56 words share theirs
    in 28 pairs, and three layers tell them apart.
    $$ \#\text{collisions of } 1, 2 \text{ layers} = \#\text{words} - \#\{\text{ends}\},\ \#\text{words} - \#\{\text{flows}\},
       \qquad \min\{k : m_k(n) > T\} \le \lceil\log_2(T+1)\rceil $$
Hypotheses: arithmetic is exact; the readout of the last state is unrestricted.
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, Proposition 3.7 (v1;
    v2 of June 2026 corrects Corollary 3.6 and Proposition 3.7), sharpened.
Refuted by: a number of collisions other than that of the paths, or a layer more or fewer that holds anything.
Cost: quick 10 s on one core, full about 10 s.

The proposition has ceil(log2 T) + 1 layers for words of T letters. That is the depth of the whole group element and not of the
words: a free solvable group of class k is what k layers keep, and the free metabelian group (k = 2) keeps the flow (Magnus). A
positive path never runs back, so its edges in the order of their distance from the origin spell the word. Depth is needed for
signed words; the flows are counted exactly in `paths`. With a clock two layers do for all words
(`two_layers_record_the_word`).
"""

import dataclasses
import itertools
import math

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.lie.word_problem_log_depth.paths import collisions, reduced_words, sharing
from theory import bounds, lie
from theory.lie.word_problem import word_dimension

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "layers"
LONGEST = {2: 7, 3: 4, 4: 3, 5: 3, 6: 2}  # length of the longest words, by letters; the measuring side has its own


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and the length of the longest word; every word is tried."""

    letters: int = axis(2, 3)
    length: int = axis(1, 2, 3, 4, 5, 6, 7)

    def allows(self) -> bool:
        """All words of seven letters in two generators, of four letters in three, of three or two in more."""
        return self.length <= LONGEST[self.letters]


DOMAIN = domain(letters=whole(2, 6), length=whole(1, 7))
GRIDS = {"test": Sizes(letters=axis(2), length=axis(4, 7)), "quick": Sizes(), "full": Sizes(), "paper": Sizes()}


def objects(cell: Sizes) -> np.ndarray:
    """The reduced words of signed letters as increments of +-1, shortest first, silence at the end."""
    words = reduced_words(cell.letters, LONGEST[cell.letters])
    increments = np.zeros((len(words), LONGEST[cell.letters], cell.letters), int)
    for word, rows in zip(words, increments, strict=True):
        for row, (letter, sign) in zip(rows, word, strict=False):
            row[letter] = sign
    return increments


def predict(cell: Sizes, signed: np.ndarray) -> tuple[Prediction, ...]:
    """Collisions by layers, of positive and of signed words, and words in them; the height, its bound, the group element."""
    height = lie.free_nilpotent(cell.letters, cell.length).derived_length or 0
    words = sum(cell.letters**length for length in range(cell.length + 1))
    counts = math.comb(cell.letters + cell.length, cell.letters)
    reduced = reduced_words(cell.letters, cell.length)
    shared, alike = ([*(count(reduced, layers) for layers in (1, 2)), 0] for count in (collisions, sharing))
    signed_words = 1 + 2 * cell.letters * sum((2 * cell.letters - 1) ** before for before in range(cell.length))
    fewer = lie.free_nilpotent(cell.letters, cell.length - 1).derived_length or 0 if cell.length > 1 else 0
    highest, needed = int(bounds.word(cell.length).at()), list(bounds.word(cell.length).necessary.values())
    return (
        Prediction([words, signed_words], of="words", dims=("kind",), formula=r"\sum n^t,\ 1 + 2n \sum (2n - 1)^t"),
        Prediction(fewer, of="layers_of_fewer"),
        Prediction(word_dimension(cell.letters, max(cell.length - 1, 1)), of="coordinates_of_fewer"),
        Prediction(
            np.array([words - counts, 0, 0]), of="positive", dims=("layer",), formula=r"\#\text{words} - \tbinom{n+T}{n}"
        ),
        Prediction(np.array(shared), of="signed", dims=("layer",), formula=r"\#\text{words} - \#\{\text{flows}\}"),
        Prediction(np.array(alike), of="sharing", dims=("layer",)),
        *((Prediction(needed, of="needed", dims=("kind",)),) if cell.letters == 2 else ()),
        Prediction(height, of="layers", formula=r"\min\{k : m_k(n) > T\}"),
        Prediction(highest, of="layers", relation=Relation.AT_MOST, formula=r"\lceil\log_2(T+1)\rceil"),
        Prediction(word_dimension(cell.letters, cell.length), of="coordinates", formula=r"\sum_{d \le T} W(n, d)"),
    )


def _a_word_each(cell: Sizes, signed: np.ndarray) -> Prediction:
    reduced = reduced_words(cell.letters, cell.length)
    return Prediction(np.array([*(collisions(reduced, layers) for layers in (1, 2)), 0]), of="sharing", dims=("layer",))


def _two_suffice(cell: Sizes, signed: np.ndarray) -> Prediction:
    ends = collisions(reduced_words(cell.letters, cell.length), 1)
    return Prediction(np.array([ends, 0, 0]), of="signed", dims=("layer",))


def _undone(cell: Sizes, signed: np.ndarray) -> Prediction:
    """Words whose last letter is the inverse of the first, by ends and by flows.

    Two of them have one flow only where they reduce to one word (checked by exhaustion), so a third layer tells no more.
    """
    letters = [*((letter, 1) for letter in range(cell.letters - 1)), (0, -1)]
    words = [word for length in range(cell.length + 1) for word in itertools.product(letters, repeat=length)]
    ends, flows = (collisions(words, layers) for layers in (1, 2))
    return Prediction(np.array([ends, flows, flows]), of="positive", dims=("layer",))


def _half_undone(cell: Sizes, signed: np.ndarray) -> tuple[Prediction, ...]:
    """Paths of half steps: two for a letter and one back for an inverse. No two of them have one flow, so two layers do."""
    words = [_in_halves(word) for word in reduced_words(cell.letters, cell.length)]
    shared, alike = ([*(count(words, layers) for layers in (1, 2)), 0] for count in (collisions, sharing))
    needed = 1 + sum(number > 0 for number in shared)
    return (
        Prediction(np.array(shared), of="signed", dims=("layer",)),
        Prediction(np.array(alike), of="sharing", dims=("layer",)),
        Prediction([needed, needed], of="needed", dims=("kind",)),
    )


def _in_halves(word: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return tuple(step for letter, sign in word for step in [(letter, sign)] * (2 if sign > 0 else 1))


CONTROLS = (
    control(
        "a letter and its inverse",
        "two layers tell apart words whose letters undo each other",
        measure="undone",
        finds=_undone,
        everywhere=False,
    ),
    control(
        "inverses of half the size",
        "inverses that undo half a letter collide as often",
        measure="half_undone",
        finds=_half_undone,
        everywhere=False,
    ),
    control(
        "a class lower",
        "one degree fewer has as many layers and coordinates",
        instead={"layers": "layers_of_fewer", "coordinates": "coordinates_of_fewer"},
        everywhere=False,
    ),
)


RIVALS = (
    rival("a collision is a word", _a_word_each, "as many words share a flow as there are collisions", everywhere=False),
    rival("two layers suffice", _two_suffice, "two layers tell all signed words apart", everywhere=False),
    rival(
        "the published depth as an equality",
        lambda cell, signed: Prediction(math.ceil(math.log2(cell.length)) + 1, of="layers"),
        "the depth is ceil(log2 T) + 1",
        everywhere=False,
    ),
    rival(
        "the bound as an equality",
        lambda cell, signed: Prediction(int(bounds.word(cell.length).at()), of="layers") if cell.letters == 2 else None,
        "the depth is ceil(log2(T + 1)) for two letters as well",
        everywhere=False,
    ),
)
