r"""Softmax hops are exact above sharpness ln(4 N), fail just below it, and need N^2 within the mantissa.

Statement: Let attention hop by lookups with scores beta (2 t p - p^2), t the target and p the position, and round what they
    return. Two hops are right on every word of length N once beta > ln(4 N). On the word 0 ... 0 1 0 they are wrong below the
    root beta* of an explicit equation, which lies N^-3 / 128 above ln(4 N - 8) to leading order. The scores are exact while
    N^2 <= 2^p, p the bits of the mantissa.
    $$ \beta > \ln 4N \;\Rightarrow\; \text{exact},\qquad
       \beta^* = \ln(4N - 8) + \frac{N - 7/2}{128 (N-2)^4} + O(N^{-6}),\qquad N^2 \le 2^{p} $$
Hypotheses: one number holds the pointer, and it is rounded in every layer; positions are integers 0, ..., N.
Source: this project, “stated here first”.
Refuted by: a word that is still wrong above ln(4 N), another onset on the word 0 ... 0 1 0, or another first length whose
    scores are not exact.
Cost: quick 15 s on one core, full about 2 min.

The last letter of 0 ... 0 1 0 points at position N - 1, whose own pointer is 0, while the pointers v_p of the positions around
it are as large as they can be. The lookup returns more than 1/2 until

    sum_p w_p v_p = 1/2 sum_p w_p,        w_p = exp(-beta (p - N + 1)^2).

The two neighbours N and N - 2 hold N - 1 and N - 2, so with x = exp(-beta) the equation is (2 N - 4) x + (N - 7/2) x^4 + ... =
1/2, where the next term has x^9. Without x^4 the root is x_0 = 1 / (4 N - 8). The term with x^4 lowers it by the share eps =
(N - 7/2) x_0^3 / (2 N - 4) = (N - 7/2) / (128 (N - 2)^4), which raises beta* by eps - 7 eps^2 / 2 + O(N^-8). The difference
from ln(4 N - 8) is judged at the lengths at which rounding leaves its digits (N <= 64).

In float32 N <= 4096, in float16 N <= 45, in bfloat16 N <= 16.
"""

import dataclasses
import math
from fractions import Fraction

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from theory import bounds
from theory.attention.hops import longest_exact_length, lookup_excess, lookup_threshold
from theory.floats import MANTISSAS

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "onset"

KINDS = "float32", "float16", "bfloat16"
TOLD = 64  # largest length at which the onset has the digits that tell it from ln(4 N - 8)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Length and number of words."""

    length: int = axis(11, 64, 256)
    samples: int = 32


DOMAIN = domain(length=whole(9, 1024, quick=200, test=40), counts={"quick": 1, "full": 8})
GRIDS = {
    "test": Sizes(length=axis(16), samples=4),
    "quick": Sizes(),
    "full": Sizes(length=axis(16, 32, 64, 128, 256, 512, 1024), samples=64),
    "paper": Sizes(length=axis(16, 64, 256, 1024, 4096), samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The onset from its equation, told apart from ln(4 N); ln(4 N) for every word; the longest exact words by type."""
    enough, onset = bounds.sharpness(cell.length).at(), lookup_threshold(cell.length)
    limits = [longest_exact_length(MANTISSAS[kind]) for kind in KINDS]
    return (
        *([_excess(cell, lookup_excess(cell.length))] if cell.length <= TOLD else []),
        Prediction(onset, of="onset", resolution=enough - onset, formula=r"\beta^*"),
        # 0 ... 0 1 0 comes within ln(4 N) - ln(4 N - 8) of it, and a little less
        Prediction(
            enough,
            of="worst_onset",
            relation=Relation.AT_MOST,
            resolution=-1.01 * math.log1p(-2 / cell.length) / enough,
            formula=r"\ln 4N",
        ),
        Prediction(limits, of="longest_exact", dims=("dtype",)),
        # random words, as many that end like 0 ... 0 1 0, and this word itself
        Prediction((2 * cell.samples + 1) * cell.length, of="right"),
        Prediction(cell.length - 1, of="right_just_below"),
        # half the scores of a lookup are those of half the sharpness
        Prediction(2 * onset, of="weak_onset", resolution=enough - onset),
        Prediction(_of_distances(cell), of="longest_of_distances", dims=("dtype",)),
    )


def _of_distances(cell: Sizes) -> list[int]:
    """Distances are exact up to position 2^p + 1, the first that a type rounds, 2 away from the next. Tried up to 40 N."""
    return [min(2 ** MANTISSAS[kind] + 1, 40 * cell.length - 1) for kind in KINDS]


def _excess(cell: Sizes, value: Fraction) -> Prediction:
    left_out = 4 * lookup_excess(cell.length) ** 2
    return Prediction(float(value), of="excess", truncation=float(left_out), formula=r"\beta^* - \ln(4N - 8)")


CONTROLS = (
    control(
        "a weak lookup",
        "the first lookup may have half its scores",
        instead={"onset": "weak_onset"},
    ),
    control(
        "scores of distances",
        "scores that are not expanded into products are exact as far",
        instead={"longest_exact": "longest_of_distances"},
    ),
)

RIVALS = (
    scaled(0.5, of="worst_onset", name="half the sharpness", statement="ln(4 N) / 2 is enough"),
    rival("onset at ln(4 N)", lambda cell: Prediction(bounds.sharpness(cell.length).at(), "onset"), "wrong up to ln(4 N)"),
    rival(
        "the onset is ln(4 N - 8)",
        lambda cell: _excess(cell, Fraction(0)) if cell.length <= TOLD else None,
        "the sharpness lies at ln(4 N - 8) to the last digit",
    ),
    rival(
        "a fourth power",
        lambda cell: _excess(cell, lookup_excess(8) * Fraction(8, cell.length) ** 4) if cell.length <= TOLD else None,
        "from N = 8 on what is above ln(4 N - 8) falls like N^-4",
    ),
    off_by(+1, of="longest_exact", name="one longer", statement="scores are exact one position further"),
)
