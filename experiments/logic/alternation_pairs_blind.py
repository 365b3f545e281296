r"""Words of few blocks that no counting formula with small inner coefficients can tell apart, at depth two and three.

Statement: let u end in block k + 1, s be its last letter and t the other. Then u s s t t is in L_{k+2} and u s t s t in
L_{k+4}, with equal length, letter counts and last letter. Every one-sided counting formula of depth k + 1 whose inner
coefficients and bounds are at most C (and, between, sums of coefficients at most S) takes the same value on both, whatever
its outer coefficients are, for

    k = 1:  u = a^p b^q,      p > C,  q >= C (p + 3),
    k = 2:  u = a^p b^q a^r,  p > C,  r > S (p + C (p+1) + 1),  q > C (p+1) + S (r + p + C (p+1) + 3).

Derivation: `theory.logic.counting`. At k = 1 by enumeration: a depth-2 formula knows of a word how often each class of
positions occurs, by letter and by the results of all (2C + 1)^3 inner tests, and the class of its last position. At k = 2 a
sample of random formulas tries the lemma. Blocks that merely grow, as in a^12 b^200 a^3000, do *not* fool depth 3: an
explicit formula with all coefficients one tells that pair apart, although random formulas do not find it.

Hypotheses: bounded inner coefficients; trained networks have none and are not spoken of. Source: Yang, Cadilhac, Chiang,
arXiv 2506.16055 (the pairs); the block lengths are derived here. Refuted by: a class that is more frequent in one word than
in the other, or a formula that separates. Cost: 5 s on a CPU at quick size.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import compile_formulas
from depthjax.probe.counting import separating_classes
from depthjax.tasks.alternation import block_numbers
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory.logic.counting import blind_lengths, crossing, fooling_pair, recogniser
from theory.logic.program import LogicProgram, program
from theory.logic.sampling import random_counting_formula

CLAIM = Claim(
    slug="alternation_pairs_blind",
    title="No counting formula of depth k + 1 with small inner coefficients tells u s s t t from u s t s t",
    statement=(
        "For u of k + 1 = 2 or 3 blocks of suitable lengths all one-sided counting formulas of depth k + 1 with bounded inner "
        "coefficients agree on u s s t t and u s t s t, of k + 2 and k + 4 blocks; one depth more tells them apart, and for "
        "k = 2 blocks that merely grow do not suffice."
    ),
    latex=r"p > C,\ q \ge C(p+3) \;\Rightarrow\; \varphi(a^p b^q\,bbaa) = \varphi(a^p b^q\,baba)"
    r"\quad (\mathrm{depth}\ \varphi \le 2)",
    relation=Relation.EQUALS,
    source=Source(
        "Yang, Cadilhac, Chiang",
        "Knee-Deep in C-RASP: A Transformer Depth Hierarchy",
        "arXiv 2506.16055",
        "the pairs; their block lengths are derived here",
    ),
    assumes=("one-sided counts", "inner coefficients and bounds of absolute value at most C"),
    refuted_by="a class of positions that is more frequent in one of the two words, or a formula that tells them apart",
    cost="5 s on a CPU at quick size",
)

GROWING = (12, 200, 3000)  # enough for random formulas of depth 3, not for all
TERMS = 3  # counts in a random comparison


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The largest inner coefficient is the axis; so many random formulas of depth 2 and 3."""

    size: int = axis(1, 2, 3)
    formulas: int = 40


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(size=axis(1, 2, 3, 4, 5), formulas=4000),
    "paper": Sizes(size=axis(1, 2, 3, 4, 5), formulas=4000),
}


class Given(NamedTuple):
    """Pairs of words and formulas: random ones of depth 2 and 3, the recognisers of L_3 and L_4, and the crossing formula."""

    two: np.ndarray
    three: np.ndarray
    short: np.ndarray
    equal: np.ndarray
    growing: np.ndarray
    depth_two: list[LogicProgram]
    depth_three: list[LogicProgram]
    recognisers: tuple[LogicProgram, LogicProgram]
    crossing: LogicProgram


def setting(cell: Sizes) -> Given:
    """The words and formulas of a cell."""
    rng = np.random.default_rng(cell.size)
    two, three = blind_lengths(cell.size), blind_lengths(cell.size, TERMS * cell.size)

    def pair(*lengths: int) -> np.ndarray:
        return np.stack(fooling_pair(lengths))

    def formulas(depth: int) -> list[LogicProgram]:
        return [program(random_counting_formula(rng, "ab", depth, cell.size), "ab") for _ in range(cell.formulas)]

    return Given(
        two=pair(*two),
        three=pair(*three),
        short=pair(two[0] - 1, two[1]),
        equal=pair(20, 20),
        growing=pair(*GROWING),
        depth_two=formulas(2),
        depth_three=formulas(3),
        recognisers=(program(recogniser(3), "ab"), program(recogniser(4), "ab")),
        crossing=program(crossing(), "ab"),
    )


def predict(cell: Sizes, given: Given) -> tuple[Prediction, ...]:
    """Nothing tells the pairs apart, except one depth more; the crossing formula where blocks merely grow."""
    p, q, c = *blind_lengths(cell.size), cell.size
    lengths = Hypothesis("p > C and q >= C (p + 3)", p > c and q >= c * (p + 3))
    return (
        Prediction(0, of="separating", hypotheses=(lengths,)),
        Prediction((3, 5, 4, 6), of="blocks", dims=("word",)),
        Prediction(0, of="separated_by_depth_two"),
        Prediction(0, of="separated_by_depth_three"),
        Prediction((1, 1), of="separated_by_recogniser", dims=("pair",)),
        Prediction(1, of="separated_by_crossing"),
    )


def measure(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    """Classes that tell the pair apart, and how many formulas do."""
    formulas = [*given.depth_two, *given.depth_three, *given.recognisers]
    by_pair = _separated(formulas, given.two, given.three)  # pair, formula
    two, three = by_pair[0, : cell.formulas].sum(), by_pair[1, cell.formulas : -2].sum()
    blocks = np.concatenate([block_numbers(jnp.asarray(pair))[:, -1] for pair in (given.two, given.three)])
    crossed = _separated([given.crossing], given.growing).sum()
    return xr.Dataset(
        {
            "separating": (
                (),
                separating_classes(given.two[0], given.two[1], cell.size),
                {"long_name": "classes of unequal frequency"},
            ),
            "blocks": ("word", blocks, {"long_name": "blocks of the four words"}),
            "separated_by_depth_two": ((), int(two), {"long_name": "random formulas of depth 2 that tell the pair apart"}),
            "separated_by_depth_three": (
                (),
                int(three),
                {"long_name": "random formulas of depth 3 that tell the longer pair apart"},
            ),
            "separated_by_recogniser": (
                "pair",
                by_pair[[0, 1], [-2, -1]].astype(int),
                {"long_name": "recognisers one deeper that do"},
            ),
            "separated_by_crossing": ((), int(crossed), {"long_name": "growing blocks: the formula of depth 3 that does"}),
        },
    )


def _separated(programs: Sequence[Any], *pairs: np.ndarray) -> np.ndarray:
    """Which formulas differ at the last position of the two words of each pair: bool array (pairs, formulas)."""
    longest = max(pair.shape[1] for pair in pairs)
    longest = -(-longest // 1024) * 1024  # padded, so that cells share a compilation
    words = np.concatenate([np.pad(pair, ((0, 0), (0, longest - pair.shape[1]))) for pair in pairs])
    lengths = np.repeat([pair.shape[1] for pair in pairs], 2)
    truth = np.asarray(compile_formulas(programs)(words, lengths=lengths))
    ends = truth[:, np.arange(len(words)), lengths - 1].reshape(len(programs), len(pairs), 2)
    return (ends[..., 0] != ends[..., 1]).T


def _equal_blocks(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    return xr.Dataset({"separating": ((), separating_classes(given.equal[0], given.equal[1], cell.size))})


def _short_block(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    return xr.Dataset({"separating": ((), separating_classes(given.short[0], given.short[1], cell.size))})


def _blind(cell: Sizes, given: Given) -> Prediction:
    return Prediction(0, of="separating")


CONTROLS = (
    Control("equal blocks", "u = a^20 b^20 fools depth 2 as well", _blind, _equal_blocks),
    Control("p one smaller", "p = C is long enough", _blind, _short_block),
    Control(
        "one depth more is blind too",
        "the recognisers of L_3 and L_4, of depth 3 and 4, take the same value on their pairs",
        lambda cell, given: Prediction((0, 0), of="separated_by_recogniser", dims=("pair",)),
    ),
    Control(
        "growing blocks",
        "u = a^12 b^200 a^3000 fools depth 3",
        lambda cell, given: Prediction(0, of="separated_by_crossing"),
    ),
)
