r"""Transformers trained on k alternating blocks are right on words twice as long from depth k - 2 on, for k < 5 only then.

Statement: Causal softmax transformers without positions are trained to say at every prefix of words of k alternating blocks
    whether the word may end there. On words twice as long as those of the training the typical seed gets whole words right with
    k - 2 layers or more. With k - 3 layers it does not if k is 3 or 4. From k = 5 on nothing is said of k - 3 layers.
    $$ \text{layers} \ge k - 2 \Rightarrow \text{solved at } 2L, \qquad
       \text{layers} = k - 3,\ k \le 4 \Rightarrow \text{not solved at } 2L $$
Hypotheses: the sizes and the budget of steps of the grid, three and four blocks at quick size; all prefixes are of words of
    the language.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the experiment on
    prediction (100 per cent first at depth k - 2), at smaller size.
Refuted by: a typical seed that solves L_3 or L_4 with k - 3 layers, or does not solve L_k with k - 2, or one layer that tells a
    pair apart.
Cost: quick 45 s on one core, full about 23 min.

k - 2 is the depth of the explicit predictor (`alternation_depth_exact`). A network has solved the task if every prefix is right
in at least 9 of 10 fresh words of twice the training lengths. The theorem that less depth is not enough speaks of fixed
precision and of all lengths; within a bounded length real numbers can tell a few blocks more. So "solved if and only if the
layers are at least k - 2" is no law: at the training lengths k = 5 refutes it, and at twice these, after the 1500 steps of
`full`, k - 3 layers solve L_5 in 3 of 16 seeds and L_6 in 9. That k - 3 layers are too few is said of k = 3 and 4 alone.

Four heads share the width: with one head about one network in ten stays at 8 words of 10, whatever the steps, batch, width or
rate. Only the size `paper` has one head.

The pairs u s s t t, u s t s t of `alternation_pairs_blind`, with u of k - 3 blocks (one at least), show why one layer is not
enough for k = 4: without positions it sees the last letter and how many there are of each, nothing else, so it says the same at
the ends of both, whatever it was trained on. That is judged, with the trained weights in float64. They amplify rounding as no
count of roundings knows: a floor from a count was passed by a factor of two. So the floor is each network's own error in
float32, in the ratio of the unit roundoffs. The answers of deeper networks, which no theorem bounds, are drawn.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from theory import bounds
from theory.logic.counting import fooling_pair

CLAIM = claim(Relation.TREND, needs_float64=True, trains=True)
HEADLINE = "solved"

PAIRS = 8

SHARP = 4  # up to so many blocks k - 3 layers are said to be too few


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of blocks is the axis; k - 3 to k - 2 + `more` layers; words of `longest` // 2 to `longest` letters."""

    k: int = axis(3, 4)
    more: int = 0
    deepest: int = 2
    width: int = 16
    heads: int = 4
    longest: int = 16
    batch: int = 16
    steps: int = 500
    rate: float = 6e-3
    tests: int = 64
    seeds: int = 13

    @property
    def depths(self) -> list[int]:
        """The numbers of layers that are trained; without a layer a network sees one letter."""
        return list(range(self.k - 3, self.k - 1 + self.more))


DOMAIN = domain(longest=whole(14, 20), counts={"test": 0, "quick": 1, "full": 2})
GRIDS = {
    "test": Sizes(k=axis(3), deepest=1, width=4, longest=8, batch=4, steps=10, tests=8, seeds=8),
    "quick": Sizes(),
    "full": Sizes(axis(3, 4, 5, 6), more=1, deepest=5, longest=24, steps=1500, tests=128, seeds=16),
    "paper": Sizes(axis(3, 4, 5, 6, 7, 8), 1, 7, width=256, heads=1, longest=250, batch=64, steps=10_000, rate=1e-4, tests=128),
}


def objects(cell: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of words that shallow counting formulas take for the same, padded to the longest, and where they end."""
    growth = 3 ** np.arange(max(cell.k - 3, 1))  # every block of u outweighs those before it
    longest = max((cell.longest - 4) // int(growth.sum()), 1)
    firsts = np.linspace(1, longest, PAIRS).round().astype(int)
    pairs = [np.stack(fooling_pair(tuple((first * growth).tolist()))) for first in firsts]
    room = max(cell.longest, max(pair.shape[1] for pair in pairs))
    padded = [np.pad(pair, ((0, 0), (0, room - pair.shape[1]))) for pair in pairs]
    return np.stack(padded), np.array([pair.shape[1] for pair in pairs])


DEFINITIONS = {"1": "letters of the words of a pair, which may be as many as the pairs of positions that attention joins"}


def predict(cell: Sizes, pairs: tuple[np.ndarray, np.ndarray]) -> tuple[Prediction, ...]:
    """Solved from the depth of the explicit predictor on; one layer tells no pair apart."""
    least = int(bounds.alternation(cell.k, "predict").at())
    both = Hypothesis("one depth is too small and one is enough", cell.depths[0] < least <= cell.depths[-1])
    solved = dataclasses.replace(_solved_from(cell, least), hypotheses=(both,)), *_trained(cell)
    return (*solved, Prediction(0, of="one_layer_gap", relation=Relation.EQUALS)) if 1 in cell.depths else solved


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average; of `deepest` layers as many as its depth; a causal mask.

    A layer has queries, keys, values, an output and three maps of four widths, and two norms. Its attention joins every one of
    six positions with itself and with those before it.
    """
    letters, answers = 3, 2  # two letters and the beginning of a word; whether it may end
    layer = 16 * cell.width**2 + 2 * cell.width
    weights = cell.deepest * layer + (letters + 1 + answers) * cell.width + answers
    facts = {"steps": cell.steps, "travel": cell.steps * cell.rate / 2, "weights": weights, "pairs": 6 + 5 + 4 + 3 + 2 + 1}
    return (
        Prediction(cell.depths, of="parts", dims=("above",), relation=Relation.EQUALS),
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction(900, of="needed", relation=Relation.EQUALS),
        Prediction(_lengths(cell), of="lengths", dims=("use", "extreme"), relation=Relation.EQUALS),
    )


def _lengths(cell: Sizes) -> list[list[int]]:
    """The shortest and the longest word of the training, and of the tests on words once, twice and four times as long."""
    return [[times * (cell.longest // 2), times * cell.longest] for times in (1, 1, 2, 4)]


def _of_control(cell: Sizes) -> tuple[Prediction, ...]:
    """What a control of one layer trains: as the claim's networks of one layer do."""
    same = [
        dataclasses.replace(each, of=f"{each.of}_of_control")
        for each in _trained(cell)
        if each.of in ("steps", "travel", "weights", "lengths")
    ]
    return *same, Prediction(1, of="parts_of_control", relation=Relation.EQUALS)


def _solved_from(cell: Sizes, least: int) -> Prediction:
    """Which depths solve L_k; of many blocks only those that are enough are judged."""
    if cell.k <= SHARP:
        return Prediction([depth >= least for depth in cell.depths], of="solved", dims=("above",))
    return Prediction([depth >= least for depth in cell.depths[1:]], of="enough", dims=("depth_enough",))


CONTROLS = (
    control(
        "permuted labels",
        "one layer learns L_3 from labels that belong to other positions",
        measure="permuted",
        predict=lambda cell, _: Prediction([True], of="learned", dims=("enough",)),
        finds=lambda cell, _: _of_control(cell),
        where=lambda cell, _: cell.k == 3,
    ),
    control(
        "other counts",
        "one layer says the same at the ends of words with other letter counts",
        measure="other_counts",
        finds=lambda cell, _: _of_control(cell),
        where=lambda cell, _: cell.k == 3,
    ),
)

RIVALS = (
    rival("k - 1 layers are needed", lambda cell, _: _solved_from(cell, cell.k - 1), "L_k is first solved at depth k - 1"),
    rival(
        "k - 3 layers are enough",
        lambda cell, _: _solved_from(cell, cell.k - 3) if cell.k <= SHARP else None,
        "L_3 and L_4 are solved at depth k - 3",
    ),
)
