r"""Trained recurrences and trees compose words in S3 at a width at which one hidden layer leaves a proved share of the target.

Statement: Of a product of k letters one hidden layer of H units of z^k leaves at least the tail of the flattened target: the
    squares of its singular values beyond the first H, as a share of all. This holds however it is trained. With as many units
    in their state, or in each node, the typical trained recurrence and the typical trained tree of squares leave less: they
    multiply two letters at a time.
    $$ \frac{\sum_{i > H} \sigma_i^2}{\sum_i \sigma_i^2} \le \mathrm{left}(\text{one layer}), \qquad
       \mathrm{left}(\text{recurrence}),\ \mathrm{left}(\text{tree}) < \frac{\sum_{i > H} \sigma_i^2}{\sum_i \sigma_i^2} $$
Hypotheses: the code is one-hot; H is so small that something is left; all networks have equally many steps. For the trained
    half: the group, letters, units and steps of the grid, S3 up to `full`.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, where depth exploits
    associativity; the share is derived in `theory.composition.narrow`.
Refuted by: another share, a hidden layer that leaves less, or a typical recurrence or tree that leaves as much.
Cost: quick 30 s of one core; full 2 min.

Explicit recurrences have 2 sum c n^3 units for every k (`recurrent_composition`), 18 for S3. Five letters are judged at this
width. At half of it no weights are known; three letters are judged there for recurrences, and four for trees. One of the three
cases is drawn, with the elements of S3 numbered in any way, and two are chosen. Longer words are not learned in this budget: no
seed of 12 learned 7 letters with a recurrence, or 8 with a tree. The width of a tree is that of a node; all nodes of a tree of
four letters have three times as many units. All words are tested, so no sampling enters. Seeds are held against a numerical
floor, which the formula is judged against.

Trees train at six times the rate of recurrences. In pilots with another root key 43 of 48 recurrences of five letters, 44 of
three letters and 40 (46) trees at four (seven) times the rate came below the floor, and no hidden layer did.

This is a statement about S3. With D4 in its place and the same recipe the claim is REFUTED: 1 of 28 recurrences of five letters
came below the floor (another root key).
"""

import dataclasses

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, rival, whole
from experiments.groups import NUMBERINGS
from experiments.numbering import renumbered
from theory.composition import flattening_squares, least_loss, recurrent_width
from theory.groups import group

CLAIM = claim(Relation.EQUALS, trains=True)
HEADLINE = "below"


CASES = {("recurrent", 5, 1), ("recurrent", 3, 2), ("tree", 4, 2)}  # network, letters, share of the known width


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Networks, letters and the part of the known width; runs and their recipe."""

    group: str = axis("S3")
    network: str = axis("recurrent", "tree")
    length: int = axis(3, 4, 5)
    part: int = axis(1, 2)
    seeds: int = 28
    batch: int = 64
    steps: int = 3000
    rate: float = 3e-3
    numbering: int = 0  # of the elements

    def allows(self) -> bool:
        """Whether the case is judged."""
        return (self.network, self.length, self.part) in CASES


DOMAIN = domain(
    network=among("recurrent", "tree"),
    length=whole(3, 5),
    part=whole(1, 2),
    numbering=NUMBERINGS,
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(length=axis(3), steps=20, batch=8, seeds=10),
    "quick": Sizes(length=axis(4, 5)),
    "full": Sizes(seeds=48, batch=128, steps=4000),
    "paper": Sizes(group=axis("S3", "D5"), seeds=48, batch=1024, steps=50_000, rate=2e-3),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, and the units of a state, a node or a hidden layer."""
    known = recurrent_width(group(cell.group).irreps[1:])
    return {"table": renumbered(cell.numbering, group(cell.group).table)[0], "units": known // cell.part}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The share that one layer leaves at least, that it does, and that the typical deeper network leaves less."""
    floor = _floor(cell, given)
    left = Hypothesis("one hidden layer of this many units leaves something", floor > 0)
    return (
        Prediction(floor, of="floor", hypotheses=(left,), formula=r"\sum_{i > H} \sigma_i^2 / \sum_i \sigma_i^2"),
        Prediction(floor, of="one_layer_left", relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction(1, of="below", relation=Relation.TREND),
        *_trained(cell, given),
    )


def _trained(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What is trained of both kinds, the deeper one first: every array of it, at half the rate a step on average.

    A recurrence reads two letters, then its state and a letter; a tree reads two nodes as well; one layer reads every place.
    All write to every element. Records and the test are of all words, so that the last record finds what the test does.
    """
    order, units = len(given["table"]), given["units"]
    squares, arrays, rate = (2, 5, 6 * cell.rate) if cell.network == "tree" else (1, 4, cell.rate)
    every = order**cell.length
    facts = {
        "steps": [cell.steps] * 2,
        "travel": [cell.steps * rate / 2] * 2,
        "weights": [3 * order * units + squares * units**2, (cell.length + 1) * order * units],
        "parts": [arrays, 2],
    }
    return (
        *(Prediction(value, of=name, dims=("layers",)) for name, value in facts.items()),
        Prediction([cell.batch, every, every], of="words", dims=("use",)),
        Prediction(0.0, of="recorded"),
    )


def _floor(cell: Sizes, given: dict, name: str = "") -> float:
    parts = [(irrep.dimension, [1] * irrep.dimension) for irrep in group(name or cell.group).irreps[1:]]
    squares = flattening_squares(parts, len(given["table"]), cell.length)
    return float(least_loss(squares, given["units"]) / least_loss(squares, 0))


def _of_cyclic_group(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The share that is left of the cyclic group of the same order: each of its characters but one is one product."""
    characters = len(given["table"]) - 1
    few = [(characters - products) / characters for products in range(characters + 1)]
    return (
        Prediction(_floor(cell, given, f"C{len(given['table'])}"), of="floor"),
        Prediction(few, of="few", dims=("products",)),
    )


CONTROLS = (
    control(
        "the order alone",
        "the cyclic group of the same order leaves the same share",
        measure="of_cyclic_group",
        instead={"floor": "floor"},
        finds=_of_cyclic_group,
    ),
    control("one hidden layer", "as many units in one layer leave as little", instead={"below": "below_one_layer"}),
    control("letters in random order", "the order of the letters plays no part", instead={"below": "below_shuffled"}),
    control("a twentieth of the steps", "the typical seed leaves as little early", instead={"below": "below_early"}),
)


def _all_alike(cell: Sizes, given: dict) -> Prediction:
    rank = sum(irrep.dimension ** (cell.length + cell.length % 2) for irrep in group(cell.group).irreps[1:])
    return Prediction(1 - given["units"] / rank, of="floor")


RIVALS = (
    rival("equal singular values", _all_alike, "each unit takes away an equal share"),
    rival(
        "depth is bound as well",
        lambda cell, given: Prediction(_floor(cell, given), of="deep_left", relation=Relation.AT_LEAST, resolution=UNSHARP),
        "recurrences and trees leave at least what one hidden layer leaves",
    ),
)
