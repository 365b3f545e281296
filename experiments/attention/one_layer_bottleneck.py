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
(`depthjax.constructions.directions.one_layer`): it writes p bits into each of the h (m + 1) numbers. It answers INDEX and no
other words. Two words are looked for that fool a layer, among all 2^n, in layers that a search gave as many
summaries as it could.
"""

import dataclasses
from collections.abc import Callable

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.directions.one_layer import OneLayer, index_layer
from depthjax.probe import fooling
from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    off_by,
    rival,
    scaled,
)
from theory import bounds

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Bits n of INDEX; heads and width of a layer; bits p of a number from 1 on; layers that are searched for, and rounds."""

    bits: int = axis(7, 12)
    heads: int = axis(1, 2, 4)
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
    kept = [2 ** min(cell.bits, (int(length) - 1) // 2) for length in longest]
    return (
        Prediction(enough[0] if enough else 0, of="threshold", hypotheses=(met,), formula=r"\lceil n / h(m+1) \rceil"),
        Prediction(kept, of="summaries", dims=("precision",), formula=r"2^{\min(n, h(m+1)p)}"),
        Prediction(2**cell.bits, of="needed", formula="2^n"),
        Prediction(cell.layers, of="fooled", hypotheses=(met,)),
        Prediction(1, of="two_layers"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The least precision at which a layer answers every question, summaries, and fooling pairs just below that precision."""
    precisions = range(1, cell.precisions + 1)
    enough = _least(cell, lambda p: fooling.answers_all(_layer(cell, p), cell.bits, p))
    pairs = _pairs(cell, key, enough - 1)
    return measured(
        precision=Quantity(np.array(precisions), "precision", label="bits p of a number"),
        threshold=Quantity(enough, label="least precision that answers every question"),
        summaries=Quantity([_kept(cell, _layer(cell, p), p) for p in precisions], "precision", label="distinct summaries"),
        needed=Quantity(len(np.unique(fooling.answers(cell.bits), axis=0)), label="distinct rows of answers"),
        two_layers=Quantity(
            _least(cell, lambda p: fooling.two_layers_answer_all(cell.bits, p)), label="least precision of two layers"
        ),
        fooled=Quantity(
            sum(fooling.errs(layer, pair, cell.bits, enough - 1) for layer, pair in pairs),
            label="searched layers that a pair fools just below that precision",
        ),
    )


def _layer(cell: Sizes, precision: int, base: int = 2) -> OneLayer:
    return index_layer(cell.bits, cell.heads, cell.width, precision, base)


def _least(cell: Sizes, right: Callable[[int], bool]) -> int:
    """The least precision that is right; one more than the last where none is."""
    return next((p for p in range(1, cell.precisions + 1) if right(p)), cell.precisions + 1)


def _kept(cell: Sizes, layer: OneLayer, precision: int) -> int:
    return int(fooling.summaries(layer, cell.bits, precision).max()) + 1


def _pairs(cell: Sizes, key: jax.Array, precision: int) -> list[tuple[OneLayer, np.ndarray]]:
    """Searched layers of this precision, each with two words of one summary where it has some; none below one bit."""
    sizes = {"bits": cell.bits, "heads": cell.heads, "width": cell.width, "layers": cell.layers, "rounds": cell.rounds}
    layers = fooling.searched_layers(key, precision=precision, **sizes) if precision else []
    pairs = [fooling.fooling_pair(layer, cell.bits, precision) for layer in layers]
    return [(layer, pair) for layer, pair in zip(layers, pairs, strict=True) if pair is not None]


def _two_layers(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The pairs that fool two layers at the precision at which they fool one."""
    enough = _least(cell, lambda p: fooling.answers_all(_layer(cell, p), cell.bits, p))
    pairs = _pairs(cell, key, enough - 1)
    return measured(fooled=Quantity(sum(fooling.two_layers_err(pair, cell.bits, enough - 1) for _, pair in pairs)))


def _counting(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Summaries where every number counts its bits, and rows of answers where only the first bit is asked for."""
    kept = [_kept(cell, _layer(cell, p, base=1), p) for p in range(1, cell.precisions + 1)]
    return measured(
        precision=np.arange(1, cell.precisions + 1),
        summaries=Quantity(kept, "precision"),
        needed=Quantity(len(np.unique(fooling.answers(cell.bits)[:, 0]))),
    )


def _numerators_alone(cell: Sizes) -> Prediction:
    return Prediction(-(-cell.bits // (cell.heads * cell.width)), of="threshold")


CONTROLS = (
    control("two layers", "two layers of the same precision are fooled by the same pairs", measure=_two_layers),
    control("two layers, all questions", "two layers need as many bits", instead={"threshold": "two_layers"}),
    control(
        "bits that are counted",
        "numbers that count bits keep as much, and one question needs as many rows as all",
        measure=_counting,
    ),
)
RIVALS = (
    off_by(-1, of="threshold", name="a bit less"),
    rival("numerators alone", _numerators_alone, "the denominators carry nothing: h m p = n bits are needed", everywhere=False),
    scaled(0.5, of="needed", name="half the summaries", statement="the answers need 2^(n - 1) summaries"),
)
