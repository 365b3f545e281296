r"""Counting formulas of depth 2 and 3 do not tell u s s t t from u s t s t, from exactly known block lengths on.

Statement: Let u have two or three blocks, s its last letter and t the other letter. Then u s s t t has two blocks more than u
    and u s t s t has four. No one-sided counting formula of depth 2 (two blocks) or 3 (three) with bounded inner coefficients
    tells them apart if u has the block lengths below, whatever its outer coefficients are. With one letter less in any block
    some formula does, and one depth more does at all lengths. For depth 3 blocks that merely grow do not suffice.
    $$ a^p b^q:\ p > C,\ q \ge C(p+2); \qquad a^p b^q a^r:\ p > C,\ r > (S-1)(p+e+1),\
       q \ge \max\{C(p+r+3)+1,\ (S-1)(r+p+e+3)+e+2\},\ e = C(p+1) $$
Hypotheses: one-sided counts; coefficients and bounds of depth 1 of absolute value at most C; those of depth 2 with a sum, and a
    bound, of at most S.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the pairs (their least
    block lengths are derived here).
Refuted by: a formula within the bounds that tells a pair of these lengths apart, or none that does with one letter less.
Cost: quick 4 s on one core, full about 2 min.

The two words have equal length, letter counts and last letter. Nothing is sampled: `depthjax.probe.counting` decides for all
formulas within the bounds at once whether one of them tells a pair apart, at depth 2 by the (2C + 1)^3 tests of depth 1, at
depth 3 by all weights that a test of depth 2 can give to their classes. The derivation of the lengths is in
`theory.logic.counting`. Random formulas hardly ever tell apart what some formula does; a^12 b^200 a^700 is told apart by one
explicit formula of depth 3. Trained networks have no bounded coefficients and are not spoken of.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import compile_formulas
from depthjax.probe.counting import told_apart_by_depth_three, told_apart_by_depth_two
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured
from theory.logic.counting import blind_lengths, crossing, fooling_pair, recogniser
from theory.logic.program import program

CLAIM = claim(Relation.EQUALS)

GROWING = (12, 200, 700)
SHARED = 2048  # words are padded to a multiple of this length, so that cells share their programs


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """C, and S as a multiple of C; in the first case the longest block is due to the tests of depth 1, then to those of 2."""

    size: int = axis(1, 2, 3)
    multiple: int = axis(1, 3)

    @property
    def total(self) -> int:
        """S, the largest sum of coefficients of a test of depth 2."""
        return self.multiple * self.size

    def allows(self) -> bool:
        """Whether S > 1: at S = 1 the third block may have a single letter, and there is nothing to take away."""
        return self.total > 1


FULL = Sizes(size=axis(1, 2, 3, 4, 5), multiple=axis(1, 2, 3, 4))
GRIDS = {"test": Sizes(size=axis(1)), "quick": Sizes(), "full": FULL, "paper": FULL}


def objects(cell: Sizes) -> dict:
    """Pairs of words with the least lengths, and with a letter less in each block; formulas one deeper, and shallow ones."""
    deeper, shallow = (recogniser(3), recogniser(4), crossing()), (recogniser(3, 2), recogniser(4, 3), recogniser(4, 2))
    two, three = blind_lengths(cell.size), blind_lengths(cell.size, cell.total)
    return {
        "two": [fooling_pair(lengths) for lengths in (two, *_one_less(two))],
        "three": [fooling_pair(lengths) for lengths in (three, *_one_less(three))],
        "growing": fooling_pair(GROWING),
        "formulas": compile_formulas([program(formula, "ab") for formula in (*deeper, *shallow)]),
    }


def _one_less(lengths: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*lengths[:i], length - 1, *lengths[i + 1 :]) for i, length in enumerate(lengths)]


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Only the pairs with a letter less are told apart; the formulas one deeper hold of one word of each pair."""
    bounded = Hypothesis("S >= C", cell.total >= cell.size)
    return (
        Prediction(_only_shorter(given["two"]), of="by_depth_two", dims=("pair",), hypotheses=(bounded,)),
        Prediction(_only_shorter(given["three"]), of="by_depth_three", dims=("triple",), hypotheses=(bounded,)),
        Prediction([[1, 0], [1, 0], [0, 1]], of="recognised", dims=("formula", "word")),
    )


def _only_shorter(pairs: list) -> list[int]:
    return [0] + [1] * (len(pairs) - 1)


def measure(cell: Sizes, key: jax.Array, given: dict, more: int = 0) -> xr.Dataset:
    """Whether some formula tells each pair apart, coefficients up to C + more; what the explicit formulas say of the words."""
    size, total = cell.size + more, cell.total + more
    two = [told_apart_by_depth_two(first, second, size) for first, second in given["two"]]
    three = [told_apart_by_depth_three(first, second, size, total) for first, second in given["three"]]
    return measured(
        by_depth_two=Quantity(np.array(two, int), "pair", label="told apart by some formula of depth 2"),
        by_depth_three=Quantity(np.array(three, int), "triple", label="told apart by some formula of depth 3"),
        recognised=_recognised(given, slice(0, 3)),
    )


def _recognised(given: dict, formulas: slice) -> Quantity:
    """The first formula on the first pair, the second on the first triple, the third where blocks grow: last positions."""
    words = [word for pair in (given["two"][0], given["three"][0], given["growing"]) for word in pair]
    lengths = np.array([len(word) for word in words])
    longest = -(-lengths.max() // SHARED) * SHARED
    padded = np.stack([np.pad(word, (0, longest - len(word))) for word in words])
    truth = np.asarray(given["formulas"](padded, lengths=lengths))[formulas]
    ends = truth[:, np.arange(len(words)), lengths - 1].reshape(-1, 3, 2)[np.arange(3), np.arange(3)]
    return Quantity(ends.astype(int), "formula word", label="truth at the end of a word")


def _larger_coefficients(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measure(cell, key, given, more=1)[["by_depth_two", "by_depth_three"]]


def _growing(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    first, second = given["growing"]
    found = told_apart_by_depth_three(first, second, cell.size, cell.total)
    return measured(growing=Quantity(int(found)))


def _shallow(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(recognised=_recognised(given, slice(3, 6)))


CONTROLS = (
    control("coefficients up to C + 1", "the lengths serve for larger coefficients as well", measure=_larger_coefficients),
    control(
        "growing blocks",
        "u = a^12 b^200 a^700 fools depth 3",
        measure=_growing,
        predict=lambda cell, _: Prediction(0, of="growing") if cell.multiple > 1 else None,
    ),
    control("no depth more", "formulas of depth 2 and 3 recognise one word of each pair", measure=_shallow),
)
