r"""Attention to the most recent write reads the wrong bit at a rate of (w/2) e^-beta: its margin is its glitch rate.

Statement: words of the flip-flop language FFL(p) have T instructions: a write, then T - 2 that write, read (probability
w = (1 - p)/2 each) or are ignored, then a read. A head that scores the write at position j with beta j reads a wrong bit, drawn
from its own weights, with probability

    (w/2) q (1 - q^(T-2))  <=  glitch rate  <=  (w/2) q (1 - q^(T-2)) / (1 - q),        q = e^-beta,

and on no word with more than q. The heavier bit is the right one on every word once beta >= ln 2, whatever p is: the
constructed memory knows no distribution to leave. The derivation is in `theory.bounds.glitches`, and a test lists all words of
up to eight instructions. The lower bound is judged where p is at most 0.9. A diagonal recurrence reads every bit right as well.

Hypotheses: positions enter the score as integers. Divided by the length, as bounded position codes are, a position is worth
beta / T, and the rate approaches that of a coin: dilution, one of the published causes of glitches, which is a control here.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2306.00946 (language, splits, the phenomenon in trained transformers); the
rate is derived here. Refuted by: a rate outside its two bounds, a word with more than q, a wrong bit. Cost: 5 s on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.accumulations import last_write
from depthjax.constructions.flip_flop import overruled_word, recall
from depthjax.probe.rounding import rounding_floor
from depthjax.tasks.flip_flop import SPLITS, flip_flop_letters, last_written, writes
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="flip_flop_glitches",
    title="Attention to the most recent write glitches at the rate of its margin, and from ln 2 on it never chooses wrongly",
    statement=(
        "A head that scores writes by margin times position reads a wrong bit of the flip-flop language at a rate between "
        "(w/2) e^-margin (1 - e^-(T-2)margin) and that over 1 - e^-margin, and on no word above e^-margin; the heavier bit is "
        "right on every word and every split."
    ),
    latex=r"\tfrac w2 q\,(1-q^{T-2}) \le \text{glitch rate} \le \tfrac w2\, q\,\frac{1-q^{T-2}}{1-q}, \quad q = e^{-\beta}",
    relation=Relation.AT_MOST,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang",
        "Exposing Attention Glitches with Flip-Flop Language Modeling",
        "arXiv 2306.00946",
        "language and splits; the rate is derived here",
    ),
    assumes=("positions enter the score as integers", "the heavier bit: margin at least ln 2 (checked)"),
    refuted_by="a glitch rate outside its two bounds, a word with more than e^-margin on the wrong bit, or a wrong choice",
    cost="5 s on a CPU at quick size",
    needs_float64=True,
)

MARGINS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
TOO_SOFT = 0.6  # below ln 2
_BATCH = 1024  # words at a time
_BLOCK = 32  # words whose mean is one sample of the rate
# A weight lies between 0 and e^-margin, so its skewness is at most e^-margin over its deviation, and that of a block's mean a
# root of the block less: 3.2 at most with the deviations seen, where 98 in 100 instructions are ignored.
SKEWNESS = 8.0
TOLD_BELOW = 0.9  # where more is ignored glitches are so rare that the lower bound would need some 200,000 words to be judged


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a published split: the probability that an instruction is ignored."""

    ignore: float = axis(*SPLITS.values())
    instructions: int = 256
    words: int = 65_536


GRIDS = {"quick": Sizes(), "full": Sizes(words=131_072), "paper": Sizes(words=163_840)}


def predict(cell: Sizes, stretch: float = 1.0) -> tuple[Prediction, ...]:
    """Two bounds on the rate and one on every word, at each margin; no wrong choice."""
    margins = [stretch * margin for margin in MARGINS]
    unanimous = Hypothesis("every margin is at least ln 2", min(MARGINS) >= bounds.unanimous_margin().at())

    def values(bound: bounds.Bound) -> np.ndarray:
        return np.array([bound.at(margin=margin) for margin in margins])

    above = bounds.glitch_rate(cell.ignore, cell.instructions)
    below = bounds.least_glitch_rate(cell.ignore, cell.instructions)
    lower = Prediction(
        values(below), of="glitch_rate", dims=("margin",), mean="block", skewness=SKEWNESS, relation=Relation.AT_LEAST
    )
    return (
        Prediction(
            values(above),
            of="glitch_rate",
            dims=("margin",),
            mean="block",
            skewness=SKEWNESS,
            formula=r"\tfrac w2 q (1 - q^{T-2}) / (1 - q)",
        ),
        *((lower,) if cell.ignore <= TOLD_BELOW else ()),
        Prediction(values(bounds.worst_glitch()), of="worst_word", dims=("margin",), formula=r"e^{-\beta}"),
        Prediction(0, of="wrong_choices", relation=Relation.EQUALS, hypotheses=(unanimous,)),
        Prediction(0, of="wrong_in_recurrence", relation=Relation.EQUALS),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Weight of the wrong bit at the last read, on random words and on the word that is hardest for the head."""
    margins, dim = np.array(MARGINS), "margin"
    found = _wrong(key, jnp.asarray(cell.ignore), jnp.asarray(margins), cell.words, cell.instructions)
    random, divided, hardest, soft, recurrence = (np.asarray(part) for part in found)
    rates = random.reshape(len(margins), -1, _BLOCK).mean(axis=2)
    worst = np.maximum(random.max(axis=1), hardest[:, 0])
    # a score of margin * length, rounded, moves its weight by that much of itself
    floor = rounding_floor(cell.instructions, jnp.dtype(random.dtype), margins * cell.instructions)
    return xr.Dataset(
        {
            "glitch_rate": ((dim, "block"), rates, {"long_name": f"glitch rate of {_BLOCK} words"}),
            "glitch_rate_floor": (dim, floor * random.mean(axis=1)),
            "divided_rate": ((dim, "word"), divided, {"long_name": "glitch rate, positions divided by the length"}),
            "divided_rate_floor": (dim, floor * divided.mean(axis=1)),
            "worst_word": (dim, worst, {"long_name": "largest weight of the wrong bit"}),
            "worst_word_floor": (dim, floor * worst),
            "wrong_choices": (
                dim,
                (random >= 0.5).sum(axis=1) + (hardest[:, 0] >= 0.5),
                {"long_name": "reads where the wrong bit weighs as much"},
            ),
            "soft_choices": (
                (),
                (soft >= 0.5).sum(),
                {"long_name": f"the same at a margin of {TOO_SOFT}, on the hardest word"},
            ),
            "wrong_in_recurrence": ((), recurrence, {"long_name": "wrong reads of the recurrence"}),
        },
        coords={dim: (dim, margins, {"long_name": "margin β"})},
    )


@partial(jax.jit, static_argnames=("words", "instructions"))
def _wrong(key: jax.Array, ignore: jax.Array, margins: jax.Array, words: int, instructions: int) -> tuple[jax.Array, ...]:
    """Weight of the wrong bit (margins, words): random words, divided positions, hardest word, too soft; wrong recurrences."""

    def letters(key: jax.Array) -> jax.Array:
        return writes(flip_flop_letters(key, ignore, _BATCH, instructions))

    def batch(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = letters(key)
        return _wrong_weight(found, margins), _wrong_recurrence(found)

    weight, recurrence = jax.lax.map(batch, jax.random.split(key, words // _BATCH))
    hardest = overruled_word(instructions)
    return (
        jnp.moveaxis(weight, 0, 1).reshape(len(margins), -1),
        _wrong_weight(letters(key), margins / instructions),
        _wrong_weight(hardest, margins),
        _wrong_weight(hardest, jnp.array([TOO_SOFT])),
        recurrence.sum(),
    )


def _wrong_weight(letters: jax.Array, margins: jax.Array) -> jax.Array:
    right = last_written(letters)[:, -1]
    return jax.lax.map(lambda margin: jnp.take_along_axis(recall(letters, margin), 1 - right[:, None], axis=1)[:, 0], margins)


def _wrong_recurrence(letters: jax.Array) -> jax.Array:
    gate = last_write(2, "recurrence")
    rows = jnp.stack([jnp.minimum(letters, 1), letters], axis=2)
    read = jax.vmap(lambda word: gate.before(jnp.zeros(2, word.dtype), word)[-1, 1])(rows) - 1
    return (read != last_written(letters)[:, -1]).sum()


CONTROLS = (
    Control("twice the margin", "the glitch rate is at most that of twice the margin", lambda cell: predict(cell, 2.0)[0]),
    Control(
        "half of it",
        "the glitch rate is at least twice its upper bound",
        lambda cell: dataclasses.replace(
            predict(cell)[0], value=2 * np.asarray(predict(cell)[0].value), relation=Relation.AT_LEAST
        ),
    ),
    Control(
        "positions divided by the length",
        "bounded position codes glitch no more often",
        lambda cell: dataclasses.replace(predict(cell)[0], of="divided_rate", mean="word"),
    ),
    Control(
        "a margin below ln 2",
        "the heavier bit is right on every word at any margin",
        lambda cell: Prediction(0, of="soft_choices", relation=Relation.EQUALS),
    ),
)
