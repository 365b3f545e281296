r"""Two abelian layers store every word of T letters, one of them a clock of T values; with fewer values no two layers do.

Statement: Layer 1 counts the letters, and layer 2 adds the unit vector e_(clock, letter). For n letters and length T the n
    T numbers of layer 2 and the clock determine every word of length at most T, so two abelian layers with an unrestricted
    decoder solve every word problem of length T. Written as digits, layer 2 is one number that takes n^T values, as few as any
    recorder needs. Let layer 1 take values in an abelian group of M elements. Whatever layer 2 adds, two words of at most
    M + 1 letters leave the same states. The clock modulo M confuses no two words of M letters.
    $$ a^d b^f \sim b^f a^d,\quad d = \mathrm{ord}(x_a),\ d f = |\langle x_a, x_b\rangle| \le M
       \;\Rightarrow\; d + f \le M + 1 $$
Hypotheses: the length T is fixed beforehand; each layer adds steps that depend on the letter and on the layers below; the
    decoder is unrestricted.
Source: this project, “stated here first”.
Refuted by: a word, or a product in a group, that is read wrongly; another number of states; a first layer of M values that
    tells all words of M + 1 letters apart, or none that tells those of M letters apart.
Cost: quick 20 s on one core, full about 2 min.

The lower bound is proved in `recorded` and tried on all pairs of steps in all abelian groups of two generators
with few elements. Products of the decoded words come from the Cayley table, and the right ones from composing permutations.
Groups of up to 120 elements are drawn, and their elements renumbered.

Consequence: the logarithmic depth of the free nilpotent route, whose state has about n^T / T numbers (a Witt sum), is an
upper bound for that route and no lower bound for word problems. A clock never runs backwards: with signed increments, where
a letter and its inverse undo each other, `solvable_law_floor` holds instead.
"""

import dataclasses
import math

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.groups import copied, groups, order_and_classes
from experiments.lie.two_layers_record_the_word.recorded import confusion_length, first_layers
from experiments.numbering import numbered
from theory.groups import group

CLAIM = claim(Relation.EQUALS)
HEADLINE = "right_words"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The group, whose elements are the letters, and how they are numbered; random words; how many short words there may be."""

    group: str = axis("C2", "C3", "C6", "S3", "D4", "Q8", "A4", "S4", "A5", "S5")
    relabel: int = 0  # 0: as the group is given
    length: int = 256
    samples: int = 16
    exhaustive: int = 4096
    values: int = 6  # of a first layer, at the most


DOMAIN = domain(
    group=groups(120, factors=3),
    relabel=whole(1, 2**16),
    length=whole(1, 256, test=16),
    values=whole(2, 7, quick=6, test=4),
)
GRIDS = {
    "test": Sizes(group=axis("S3"), length=16, exhaustive=64, values=4),
    "quick": Sizes(group=axis("C2", "S3", "Q8", "A4", "A5")),
    "full": Sizes(samples=64, exhaustive=2**14, values=7),
    "paper": Sizes(samples=256, exhaustive=2**18, values=8),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, the elements as permutations of points, (p q)(i) = p[q[i]], and all first layers of few values."""
    g = group(cell.group)
    moved = np.array(g.permutations or g.table)[numbered(g.order, cell.relabel)]
    return {
        "table": copied(cell.group, cell.relabel).table,
        "permutations": moved,
        "first_layers": first_layers(cell.values),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All words and products are read rightly, from n T numbers or n^T values; the letters that M values of a clock record.

    One layer tells apart words with different counts of letters; without the last position the last letter is lost.
    """
    letters, length = _short(cell)
    words = letters**length
    lengths = [confusion_length(moduli, x, y) for moduli, steps in given["first_layers"] for x, y in steps]
    return (
        Prediction(words, of="right_words", formula="n^T"),
        Prediction(math.comb(length + letters - 1, letters - 1), of="told_by_counts", formula=r"\tbinom{T + n - 1}{n - 1}"),
        Prediction(words // letters, of="told_by_fewer", formula="n^{T - 1}"),
        Prediction(cell.samples * cell.length, of="right_products"),
        Prediction(cell.length, of="letters_held", formula="T"),
        Prediction(group(cell.group).order * cell.length, of="entries_used", formula="n T"),
        Prediction(words, of="values", formula="n^T"),
        Prediction(lengths, of="confusion", dims=("choice",), relation=Relation.AT_MOST, formula="d + f"),
        Prediction(np.arange(1, cell.values + 1), of="recorded", dims=("order",), formula="M"),
    )


def _short(cell: Sizes) -> tuple[int, int]:
    """Letters and length of the short words."""
    letters = min(group(cell.group).order, 3)
    return letters, max(t for t in range(1, cell.exhaustive.bit_length()) if letters**t <= cell.exhaustive)


def _position_fewer(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All words with one last letter leave the same states: each number is that of words of one letter fewer."""
    letters, length = _short(cell)
    return (
        Prediction(letters ** (length - 1), of="right_words"),
        Prediction(letters ** (length - 1), of="values"),
        Prediction(cell.length - 1, of="letters_held"),
        Prediction(order_and_classes(cell.group)[0] * (cell.length - 1), of="entries_used"),
    )


def _never_returns(cell: Sizes, given: dict) -> Prediction:
    """A step of one records every word that is tried. The group of one element has none, and confuses ab and ba."""
    return Prediction(np.array([1] + [cell.values + 1] * (cell.values - 1)), of="recorded", dims=("order",))


def _backwards(cell: Sizes, given: dict) -> Prediction:
    """Of the words a b both prefixes are asked for: a is right where b is a, and a b where the letters commute."""
    order, classes = order_and_classes(cell.group)
    return Prediction([order + order * classes, 2 * order**2], of="right_of_two", dims=("count",), formula=r"|G| (1 + k(G))")


CONTROLS = (
    control(
        "one layer",
        "one abelian layer, which counts the letters, determines the word",
        instead={"right_words": "told_by_counts"},
    ),
    control(
        "one position fewer",
        "a table of n (T - 1) numbers determines the word",
        measure="one_position_fewer",
        finds=_position_fewer,
    ),
    control(
        "a clock that never returns",
        "a first layer of more values confuses words of M + 1 letters",
        measure="a_clock_that_never_returns",
        finds=_never_returns,
    ),
    control("read backwards", "the order in which the letters are read does not matter", measure="backwards", finds=_backwards),
)


def _every_first_layer(cell: Sizes, given: dict) -> Prediction:
    """What a clock does, said of all steps in all groups."""
    lengths = [int(np.prod(moduli)) + 1 for moduli, steps in given["first_layers"] for _ in steps]
    return Prediction(lengths, of="confusion", dims=("choice",))


RIVALS = (
    off_by(-1, of="entries_used"),
    off_by(+1, of="letters_held"),
    off_by(-1, of="recorded"),
    rival(
        "any first layer",
        _every_first_layer,
        "whatever the steps, a first layer of M values confuses words of M + 1 letters first",
    ),
)
