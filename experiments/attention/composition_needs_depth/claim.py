r"""L + 1 layers of causal attention compose L tables that come in order; two layers of few bits cannot compose two.

Statement: Explicit softmax weights of width 5 answer f_k(... f_1(i)) for a start and k square tables in order: after k + 1
    layers and not before under the causal mask, after ceil(log2(k + 2)) layers without a mask. Two layers that hold B bits of a
    table at a position compose two tables with b entries of 0 or 1 in the second if b <= 2 B. If b > 2 B, and the first has a
    entries with b^a > 2^((2b + 1) B) (2 B)^a, then two words with different answers are one to them, whatever their weights. A
    machine that reads the second of two tables over n points first has n^n states; in k passes n states compose k tables.
    $$ d_{causal}(k) = k + 1,\qquad d_{full}(k) = \lceil \log_2 (k + 2) \rceil,\qquad b_{max}(B) = 2 B $$
Hypotheses: the sums of a layer over a table fit B bits at every position; numbers are rounded in every layer of the explicit
    weights, and N^2 fits the mantissa.
Source: Chen, Peng, Wu, “Theoretical limitations of multi-layer Transformer”, arXiv 2412.02975; the constants for one and two
    layers and the weights are derived here.
Refuted by: a k that is right after fewer layers or wrong after so many, with or without the mask; a network of one bit,
    drawn or right for one start, or of two bits, drawn or right for two, in which the adversary finds no two words of one view
    and different answers.
Cost: quick 9 s on one core, full about 3 min.

The adversary is exhaustive for B = 1: it collects all tables f_1 by what reaches the later positions in layer 1, takes a place
where a collection has more than 2 B values as the start, and finds two tables f_2 with equal bits that differ at one of them.
For B = 2 it does so with a million tables f_1 of 69 entries, drawn at random: b = 5, and 22 bits reach later positions, so five
tables that share all of them are met by chance. For larger B the upper side is the proof in `theory.attention.compose` alone;
that it is attained is tried for B to 4.
The published bound for L layers, H d p <= n^(2^(-4 L)), says nothing here: at H d p = 2 and L = 1 it speaks of words of 65,536
tokens and more, where the derived one needs 12 + 3 entries. `depthjax bound composition-depth` prints where it begins.
"""

import dataclasses

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.attention.composition_needs_depth.common import BRANCH, FIRST, HELD, NETWORKS, OF_TWO_BITS
from theory import bounds
from theory.attention.compose import composition_layers, first_table, one_pass_states

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Points and number of square tables; words; entries of a last table of 0 and 1, and of the first one before it."""

    points: int = axis(4)
    tables: int = axis(7)
    words: int = 32
    branch: int = axis(3, 4)
    first: int = axis(10, 12)

    def allows(self) -> bool:
        """Whether the first table is long enough for two layers of one bit to fail, and not so long that it is not listed."""
        return self.branch**self.first > 2 ** (2 * self.branch + 1) * 2**self.first and self.branch**self.first <= 2**21


DOMAIN = domain(
    points=whole(3, 8, quick=5, test=4),
    tables=whole(2, 24, quick=10, test=4),
    branch=whole(3, 5, quick=4, test=3),
    first=whole(9, 13, test=12),
    counts={"quick": 1, "full": 8},
)
GRIDS = {
    "test": Sizes(points=axis(3), tables=axis(3), branch=axis(3), first=axis(12)),
    "quick": Sizes(),
    "full": Sizes(points=axis(3, 4, 5), tables=axis(16), branch=axis(3, 4, 5), first=axis(9, 10, 11, 12, 13), words=64),
    "paper": Sizes(points=axis(3, 4, 5, 6), tables=axis(40), branch=axis(3, 4, 5), first=axis(9, 10, 11, 12, 13), words=256),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Layers by tables under both masks, what is right after how many, what two layers hold, and states of a machine."""
    counts, depths = range(1, cell.tables + 1), range(1, cell.tables + 2)
    causal, full = ([composition_layers(k, mask) for k in counts] for mask in ("causal", "full"))
    most = [bounds.composition_points(2, bits).at() for bits in HELD]
    enough, enough_of_two = first_table(cell.branch, 1), first_table(BRANCH, 2)
    kinds = Hypothesis("a network is drawn, and another is right for one start", {"drawn", "knows one value"} == set(NETWORKS))
    long = Hypothesis(f"a first table of {cell.first} entries has the {enough} that the adversary needs", cell.first >= enough)
    longer = Hypothesis(f"one of {FIRST} entries has the {enough_of_two} needed of two bits", FIRST >= enough_of_two)
    return (
        Prediction(causal, of="layers", dims=("composed",), formula="k + 1"),
        Prediction(full, of="layers_full", dims=("composed",), formula=r"\lceil \log_2 (k + 2) \rceil"),
        Prediction([[depth >= least for least in causal] for depth in depths], of="right", dims=("depth", "composed")),
        Prediction(most, of="most_points", dims=("bits",), formula="2 B"),
        Prediction([1] * len(NETWORKS), of="fooled", dims=("network",), hypotheses=(long, kinds)),
        # what is drawn knows no start, and each bit of what is built knows one
        Prediction([0, 0, 0, 1], of="known", dims=("network",)),
        Prediction([0, 2], of="known_of_two", dims=("wider",)),
        Prediction([2] * len(NETWORKS), of="right_of_three", dims=("network",), hypotheses=(long,)),
        Prediction([0] * len(NETWORKS), of="fooled_three", dims=("network",), hypotheses=(long,)),
        Prediction(enough, of="shortest", hypotheses=(long,), formula="(2b + 1) B / log2(b / 2B)"),
        Prediction([1] * len(OF_TWO_BITS), of="fooled_of_two", dims=("wider",), hypotheses=(longer,)),
        Prediction([2] * len(OF_TWO_BITS), of="right_of_three_of_two", dims=("wider",), hypotheses=(longer,)),
        Prediction(enough_of_two, of="shortest_of_two", hypotheses=(longer,)),
        Prediction(one_pass_states(cell.points), of="states", formula="n^n"),
        Prediction(list(counts), of="passes", dims=("composed",), formula="k"),
        # a table alone has no neighbour; other exchanged tables are never composed, which reads as a layer more than all
        Prediction([2] + [cell.tables + 2] * (cell.tables - 1), of="layers_exchanged", dims=("composed",)),
        Prediction(cell.points, of="states_first"),
        Prediction([1] * cell.tables, of="passes_first", dims=("composed",)),
    )


def _other(of: str, mask: str):
    return lambda cell: Prediction([composition_layers(k, mask) for k in range(1, cell.tables + 1)], of=of, dims=("composed",))


def _short(cell: Sizes) -> tuple[Prediction, ...]:
    """B entries of a first table are the starts that the network is right for; one more, of over 2 B values, fools it.

    Where the first entries are known, all tables that agree in them have one view, and the next entry any of b values.
    """
    return (
        Prediction([0, 1, 0, 1], of="fooled_by_length", dims=("entries",)),
        Prediction([cell.branch, cell.branch**2, BRANCH**2, BRANCH**3], of="first_tables", dims=("entries",)),
    )


CONTROLS = (
    control(
        "without the mask", "the same weights need as many layers if every position sees all", instead={"layers": "layers_full"}
    ),
    control(
        "tables out of order", "tables that come the last one first need as many layers", instead={"layers": "layers_exchanged"}
    ),
    control("three layers", "three layers take the same pairs of words for one another", instead={"fooled": "fooled_three"}),
    control(
        "a first table of one entry",
        "two layers of one bit fail however short the first table is",
        measure="a_short_first_table",
        finds=_short,
    ),
    control(
        "the first table before the second",
        "a machine needs as many states and passes if the first table comes first",
        instead={"states": "states_first", "passes": "passes_first"},
    ),
)

RIVALS = (
    off_by(-1, of="shortest", name="an entry fewer", statement="a first table that is shorter by an entry is long enough"),
    off_by(-1, of="layers", name="a layer fewer", statement="as many layers as tables are enough"),
    off_by(
        -1, of="shortest_of_two", name="an entry fewer, two bits", statement="two bits fail at a first table an entry shorter"
    ),
    rival("doubling under the mask", _other("layers", "full"), "a causal network composes tables ahead, as one without a mask"),
    rival("no doubling without a mask", _other("layers_full", "causal"), "the mask does not matter"),
    scaled(0.5, of="most_points", name="one layer's bits", statement="a second layer reads no more of the last table"),
    off_by(+1, of="most_points", name="an entry more", statement="two layers of B bits hold 2 B + 1 entries"),
)
