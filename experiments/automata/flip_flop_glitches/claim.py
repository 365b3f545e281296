r"""Attention to the most recent write glitches at the rate of its margin, and from ln 2 on it never chooses wrongly.

Statement: A head scores the write at position j with beta j and draws the bit that it reads from its own weights. On words of
    the flip-flop language with T instructions and writes of probability w, the wrong bit weighs on average m times what the
    last write weighs. The head reads a wrong bit at a rate of at most m and at least (1 - q) m, and on no word with more than
    q. At beta = 0 the wrong bit weighs w (T - 2) / 2 times what the last write weighs. Once beta >= ln 2, the heavier bit is
    right on every word and every split; below, it is wrong on some long word.
    $$ (1-q)\, m \le \text{glitch rate} \le m = \tfrac w2\, q\,\frac{1-q^{T-2}}{1-q}, \quad q = e^{-\beta} $$
Hypotheses: 4 <= T <= 400, and w >= 1/20 but in the published sparse split; positions enter the score as integers; for the
    heavier bit, the margin is at least ln 2 (checked).
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Exposing Attention Glitches with Flip-Flop Language Modeling”, arXiv 2306.00946,
    language and splits; the rate is derived here.
Refuted by: another average weight, a glitch rate outside its two bounds, a word with more than e^-beta on the wrong bit, a
    wrong choice from ln 2 on, or none below it.
Cost: quick 15 s on one core, full about 30 s.

A word of FFL(p) is a write, then T - 2 instructions that write, read (probability w = (1 - p)/2 each) or are ignored, then a
read. The bounds are derived in `theory.bounds.glitches`, and a test lists all words of up to eight instructions. The
constructed memory knows no distribution to leave: the heavier bit is right whatever p is. A diagonal recurrence reads every bit
right as well.

Positions divided by the length, as bounded position codes are, are worth beta / T each, and the rate approaches that of a coin:
this dilution is one of the published causes of glitches, and a control here.

Where beta is positive, the weight of the wrong bit lies between 0 and e^-beta, so its skewness is at most e^-beta over its
deviation, and that of the mean of a block smaller by the root of the block: at most 3.2 with the deviations seen, where 98 in
100 instructions are ignored.
"""

import dataclasses
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, real, rival, whole
from experiments.automata.flip_flop_glitches.common import LONG, MARGINS, SOFT
from theory import bounds

CLAIM = claim(Relation.AT_MOST, needs_float64=True)
HEADLINE = "glitch_rate"

EQUALS = Relation.EQUALS

SKEWNESS = 8.0  # a bound on the skewness of such a mean

TOLD_BELOW = 0.9  # where more is ignored, the lower bound would need some 200,000 words, because glitches are so rare


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The axes are the probability that an instruction is ignored, as in the published splits, and the length of the words."""

    ignore: float = axis(0.8, 0.98, 0.1)  # the splits of `depthjax.tasks.flip_flop`
    instructions: int = axis(4, 256)
    words: int = 65_536

    def allows(self) -> bool:
        """Short words of the sparse split hardly ever have a second write."""
        return self.ignore <= TOLD_BELOW or self.instructions >= LONG


DOMAIN = domain(ignore=real(0.1, TOLD_BELOW, digits=2), instructions=whole(4, 400, quick=100), counts={"full": 8})
GRIDS = {
    "test": Sizes(ignore=axis(0.1), instructions=axis(4, 64), words=16_384),
    "quick": Sizes(),
    "full": Sizes(words=131_072),
    "paper": Sizes(words=163_840),
}


def predict(cell: Sizes, stretch: float = 1.0) -> tuple[Prediction, ...]:
    """Two bounds on the rate and one on every word, at each margin; no wrong choice."""
    margins = stretch * MARGINS
    threshold = bounds.unanimous_margin().at()
    unanimous = Hypothesis("every margin is at least ln 2", bool(min(margins) >= threshold))
    soft = SOFT < threshold if cell.instructions >= LONG else _hardest(cell, SOFT) >= 0.5  # on long words below ln 2
    overruled = soft.astype(int)
    read_late = 1024 * (1 + cell.ignore) / 2  # words of a batch whose last instruction before the read writes nothing

    def values(bound: bounds.Bound) -> np.ndarray:
        return np.array([bound.at(margin=margin) for margin in margins])

    rate = partial(Prediction, dims=("margin",), mean="block", skewness=SKEWNESS)
    above, below = (values(b(cell.ignore, cell.instructions)) for b in (bounds.glitch_rate, bounds.least_glitch_rate))
    return (
        rate(above, of="glitch_rate", formula=r"\tfrac w2 q (1 - q^{T-2}) / (1 - q)"),
        *((rate(below, of="glitch_rate", relation=Relation.AT_LEAST),) if cell.ignore <= TOLD_BELOW else ()),
        *((rate(above, of="mass", relation=EQUALS),) if cell.ignore <= TOLD_BELOW else ()),
        Prediction(
            bounds.glitch_rate(cell.ignore, cell.instructions).at(margin=0),
            of="level",
            mean="part",
            skewness=SKEWNESS,
            relation=EQUALS,
        ),
        Prediction(values(bounds.worst_glitch()), of="worst_word", dims=("margin",), formula=r"e^{-\beta}", resolution=1e-3),
        Prediction(overruled, of="overruled", dims=("soft",), relation=EQUALS),
        Prediction(0, of="wrong_choices", relation=EQUALS, hypotheses=(unanimous,)),
        Prediction(0, of="wrong_in_recurrence", relation=EQUALS),
        # what the controls measure
        Prediction(int(overruled.sum()), of="soft_choices", relation=EQUALS),
        Prediction(
            _hardest(cell, margins / cell.instructions), of="worst_diluted", dims=("margin",), relation=EQUALS, resolution=1e-3
        ),
        Prediction(read_late, of="wrong_without_gate", mean="batch", skewness=0.5, relation=EQUALS),
    )


def _hardest(cell: Sizes, margins: np.ndarray) -> np.ndarray:
    """The weight of the wrong bit where T - 2 writes of the other bit come before the last write, and then the read.

    The read scores as many margins below zero as there are instructions, so it stands 2 T - 2 margins below the last write.
    """
    last, others = 2 * cell.instructions - 2, np.arange(1, cell.instructions - 1)
    wrong = np.exp(-np.outer(margins, others)).sum(axis=1)
    return wrong / (1 + wrong + np.exp(-margins * last))


def _half(cell: Sizes) -> Prediction:
    above = predict(cell)[0]
    return dataclasses.replace(above, value=2 * np.asarray(above.value), relation=Relation.AT_LEAST)


def _divided(cell: Sizes) -> Prediction:
    """The weight of the wrong bit beside that of the last write, exactly, at margins divided by the length."""
    margins = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
    rate = bounds.glitch_rate(cell.ignore, cell.instructions)
    values = np.array([rate.at(margin=margin / cell.instructions) for margin in margins])
    return Prediction(values, of="mass", dims=("margin",), mean="block", skewness=SKEWNESS, relation=EQUALS)


CONTROLS = (
    control(
        "positions divided by the length", "bounded position codes glitch no more often", measure="divided", finds=_divided
    ),
    control(
        "a margin below ln 2",
        "the heavier bit is right on every word at any margin",
        instead={"wrong_choices": "soft_choices"},
        everywhere=False,
    ),
    control("dilution", "the wrong bit weighs no more with bounded positions", instead={"worst_word": "worst_diluted"}),
    control("no gate", "a gate that is always open remembers", instead={"wrong_in_recurrence": "wrong_without_gate"}),
)


def _bound(number: int):
    """A bound on the rate, as the rate itself."""

    def predicted(cell: Sizes) -> Prediction | None:
        bounds_on_rate = [one for one in predict(cell) if one.of == "glitch_rate"]
        return dataclasses.replace(bounds_on_rate[number], relation=EQUALS) if number < len(bounds_on_rate) else None

    return predicted


RIVALS = (
    rival("the wrong weight itself", _bound(0), "the glitch rate is m: the writes before the last one weigh nothing beside it"),
    rival("every write weighs", _bound(1), "the glitch rate is (1 - q) m, as if infinitely many writes shared the weight"),
    rival("a half more margin", lambda cell: predict(cell, 1.5)[0], "the glitch rate is at most that of 1.5 times the margin"),
    rival("half of it", _half, "the glitch rate is at least twice its upper bound"),
)
