r"""In one family of counting formulas, k alternating blocks take depth k to recognise and depth k - 2 to predict.

Statement: Let L_k hold the words of k alternating blocks, the first of them of letters a. Explicit one-sided counting formulas
    of depth k recognise L_k, and formulas of depth k - 2 say at every prefix of a word of L_k whether it may end there. Uniform
    attention computes them in as many layers.
    $$ w \in L_k \iff \#[A_k] \ge 1 \wedge \#[B_k] = 0,
       \qquad w_{\le j} \in L_k \iff w_j = s_k \wedge \#[B_{k-2}]_j \ge 1 $$
Hypotheses: counts are exact (float32 here); for prediction, every prefix is one of a word of L_k.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the depths (the formulas
    are derived here).
Refuted by: a wrong prefix of any word up to the stated length, or another number of layers.
Cost: quick 10 s on one core, full about 5 min.

A_1 = a, A_{m+1} = s and #[A_m] >= 1, where the letter s alternates b, a, ...; B_m is the same with the letters exchanged. One
layer, repeated as often as the depth, gives the truth at every position. The derivation is in `theory.logic.counting`; L_k has
C(n - 1, k - 1) words of length n. The parity of the ones takes depth 2 with counts of both sides.

That less depth is not enough for *any* formula is a theorem of the source. Here less depth of the same family is wrong
(controls), and the layers that these formulas need are measured in networks of k + 1 layers.
"""

import dataclasses
from math import comb

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, whole
from experiments.logic._programs import programs
from theory import bounds
from theory.logic.counting import block_counts, parity, predictor, recogniser

CLAIM = claim(Relation.EQUALS)
HEADLINE = "layers_to_recognise"

LONGEST = 10  # letters of the words whose parity is asked

PARITIES = "parity", "one_sided_parity"

DEFINITIONS = {
    **{f"{name}.thresholds.0": "how many of its parts a conjunction asks for" for name in PARITIES},
    **{f"{name}.output": "the number of the bit that holds the truth of the formula" for name in PARITIES},
    **{f"{n}.counted.0": "the number of a bit that a count sets" for n in (*PARITIES, "predictor", "shallow_predictor")},
}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of blocks is the axis; all words over two letters of one length, whose prefixes are the shorter ones."""

    k: int = axis(1, 2, 3, 4, 5, 6)
    length: int = 12


DOMAIN = domain(
    k=whole(1, 12, quick=8),
    length=whole(7, 16, quick=12),
    where={"words have letters beyond the blocks": lambda cell: cell.length >= cell.k + 2},
)
GRIDS = {
    "test": Sizes(k=axis(4), length=7),
    "quick": Sizes(),
    "full": Sizes(k=axis(1, 2, 3, 4, 5, 6, 7, 8), length=16),
    "paper": Sizes(k=axis(1, 2, 3, 4, 5, 6, 7, 8), length=18),
}


def objects(cell: Sizes) -> dict[str, dict]:
    """The formulas as programs of one layer that is repeated k + 1 times; shallower formulas of the same families."""
    of_blocks = {
        "recogniser": recogniser(cell.k),
        "predictor": predictor(cell.k),
        "shallow_recogniser": recogniser(cell.k, max(cell.k - 1, 1)),
        "shallow_predictor": predictor(cell.k, max(cell.k - 3, 0)),
    }
    of_ones = {"parity": parity(), "one_sided_parity": parity(two_sided=False)}
    families = (of_blocks, "ab"), (of_ones, "01")
    return {name: programs([f], letters, cell.k + 1) for family, letters in families for name, f in family.items()}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All prefixes are right, the depths as layers, and binomial word counts; what shallower formulas are wrong about.

    The recogniser with patterns of k - 1 is that of L_{k-1}: wrong about the words of L_{k-1} and of L_k. The predictor with a
    pattern of k - 3 says of k - 2 blocks what holds of k. Where both counts look back the formula for parity says "some one".
    """
    k, words = cell.k, 2 ** (LONGEST + 1) - 2
    every, promised = cell.length * 2**cell.length, sum(_prefixes(cell, blocks) for blocks in range(1, k + 1))
    return (
        Prediction(every, of="right_recognised"),
        Prediction(promised, of="right_predicted"),
        *([Prediction(every - _prefixes(cell, k) - _prefixes(cell, k - 1), of="right_recognised_by_shallow")] if k > 1 else []),
        *([Prediction(block_counts(k - 1, cell.length)[1:], of="accepted_by_shallow", dims=("letters",))] if k > 1 else []),
        *([Prediction(promised - _prefixes(cell, k - 2), of="right_predicted_by_shallow")] if k > 2 else []),
        Prediction(block_counts(cell.k, cell.length)[1:], of="accepted", dims=("letters",)),
        Prediction(int(bounds.alternation(cell.k).at()), of="layers_to_recognise"),
        Prediction(int(bounds.alternation(cell.k, "predict").at()), of="layers_to_predict"),
        Prediction(words, of="right_parity"),
        Prediction(words - sum(2 ** (n - 1) - 1 for n in range(1, LONGEST + 1)), of="right_parity_from_one_side"),
    )


def _prefixes(cell: Sizes, number: int) -> int:
    """Prefixes of so many blocks, the first of letters a, in all words. Of n letters 2^(N - n) words begin with each."""
    return sum(2 ** (cell.length - n) * comb(n - 1, number - 1) for n in range(1, cell.length + 1))


CONTROLS = (
    control(
        "patterns of k - 1",
        "the recogniser of the same family with patterns one shorter is right",
        instead={"right_recognised": "right_recognised_by_shallow", "accepted": "accepted_by_shallow"},
        where=lambda cell, _: cell.k >= 2,
    ),
    control(
        "a pattern of k - 3",
        "the predictor of the same family with a pattern one shorter is right",
        instead={"right_predicted": "right_predicted_by_shallow"},
        where=lambda cell, _: cell.k >= 3,
    ),
    control(
        "parity from one side",
        "the formula for parity is right when both counts look back",
        instead={"right_parity": "right_parity_from_one_side"},
    ),
)

RIVALS = (
    off_by(-1, of=("layers_to_recognise", "layers_to_predict"), name="one layer fewer"),
    off_by(1, of="accepted", name="one more word of every length"),
)
