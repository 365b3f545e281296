r"""One attention layer answers the induction head on INDEX from h (m + 1) p = n bits of sums on, and below that is fooled.

Statement: Let the sums of an attention layer with h heads of width m over the n bits of INDEX be p-bit numbers, N = 2 n + 1. If
    h (m + 1) p < n, two words of length N over three letters have different answers but the same output of the layer, whatever
    its embeddings and its MLP. If h (m + 1) p >= n, a layer exists whose output determines every answer. Two layers need
    p = 1 only. The least precision of one layer is
    $$ p^*(n, h, m) = \lceil \tfrac{n}{h\,(m+1)} \rceil,\qquad n = \tfrac{N-1}{2} $$
Hypotheses: the sums of a head over the positions of the bits are p-bit numbers in fixed point; h (m + 1) < n, as one bit a
    number is enough otherwise.
Source: Sanford, Hsu, Telgarsky, “One-layer Transformers Fail to Solve the Induction Heads Task”, arXiv 2408.14332, Theorem 1.
Refuted by: another least precision, a layer with more summaries of the 2^n words than its sums can hold, or a layer just below
    the least precision without a fooling pair.
Cost: quick 10 s on one core, full about 5 min.

The answer can be any of n bits, so the layer needs 2^n different summaries of the positions that hold these bits (the
communication problem INDEX). The source has Omega(N); the constant is derived here, and so is the layer that attains it
(`one_layer`): it writes p bits into each of the h (m + 1) numbers. It answers INDEX and no other words.
Two words are looked for that fool a layer, among all 2^n, in layers that a search gave as many summaries as it could.
"""

import dataclasses

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from theory import bounds

CLAIM = claim(Relation.EQUALS)
HEADLINE = "threshold"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Bits n of INDEX; heads and width of a layer; bits p of a number from 1 on; layers that are searched for, and rounds."""

    bits: int = axis(7, 12)
    heads: int = axis(1, 3, 4)
    width: int = axis(1, 2, 4)
    precisions: int = 7
    layers: int = 6
    rounds: int = 8

    @property
    def numbers(self) -> int:
        """Sums of a layer."""
        return self.heads * (self.width + 1)

    def allows(self) -> bool:
        """Whether one bit a number is too few, and the last precision that is tried is enough."""
        return self.numbers < self.bits <= self.numbers * self.precisions


DOMAIN = domain(
    bits=whole(3, 14, quick=11, test=8),
    heads=whole(1, 5),
    width=whole(1, 5),
    counts={"quick": 1, "full": 8},
)
GRIDS = {
    "test": Sizes(bits=axis(7), heads=axis(1, 2), width=axis(1), layers=4, rounds=4),
    "quick": Sizes(),
    "full": Sizes(bits=axis(*range(3, 15)), layers=12, rounds=24),
    "paper": Sizes(bits=axis(*range(3, 17)), layers=100, rounds=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The least precision at which words of 2 n + 1 letters are not too long, and how many summaries fit at each precision."""
    longest = [bounds.one_layer(cell.heads, cell.width, p).at() for p in range(1, cell.precisions + 1)]
    enough = [p for p, length in enumerate(longest, 1) if length >= 2 * cell.bits + 1]
    met = Hypothesis("one of the precisions is enough", bool(enough))
    searched = Hypothesis("some layer is searched for", cell.layers > 0)
    kept = [2 ** min(cell.bits, (int(length) - 1) // 2) for length in longest]
    return (
        Prediction(enough[0] if enough else 0, of="threshold", hypotheses=(met,), formula=r"\lceil n / h(m+1) \rceil"),
        Prediction(kept, of="summaries", dims=("precision",), formula=r"2^{\min(n, h(m+1)p)}"),
        Prediction([_counted(cell, p) for p in range(1, cell.precisions + 1)], of="counted", dims=("precision",)),
        Prediction(2**cell.bits, of="needed", formula="2^n"),
        Prediction(2, of="needed_for_one"),
        Prediction(cell.layers, of="fooled", hypotheses=(met, searched)),
        Prediction(0, of="fooled_two"),
        # two words for each layer, and half of the 2^p units of a number for each word
        Prediction(cell.layers * 2 ** (enough[0] - 1 if enough else 0), of="units_of_two", hypotheses=(met, searched)),
        Prediction(1, of="two_layers"),
    )


def _counted(cell: Sizes, precision: int) -> int:
    """Summaries if every number only counts the p bits that it is given; the last one has what is left of the word."""
    full, left = divmod(min(cell.bits, cell.numbers * precision), precision)
    return (precision + 1) ** full * (left + 1)


def _numerators_alone(cell: Sizes) -> Prediction:
    return Prediction(-(-cell.bits // (cell.heads * cell.width)), of="threshold")


CONTROLS = (
    control("two layers", "two layers of the same precision are fooled by the same pairs", instead={"fooled": "fooled_two"}),
    control("two layers, all questions", "two layers need as many bits", instead={"threshold": "two_layers"}),
    control(
        "bits that are counted",
        "numbers that count bits keep as much, and one question needs as many rows as all",
        instead={"summaries": "counted", "needed": "needed_for_one"},
    ),
)

RIVALS = (
    off_by(-1, of="threshold", name="a bit less"),
    rival("numerators alone", _numerators_alone, "the denominators carry nothing: h m p = n bits are needed", everywhere=False),
    scaled(0.5, of="needed", name="half the summaries", statement="the answers need 2^(n - 1) summaries"),
)
