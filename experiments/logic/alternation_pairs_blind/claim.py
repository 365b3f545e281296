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

The two words have equal length, letter counts and last letter. Nothing is sampled: `counting` decides for all
formulas within the bounds at once whether one of them tells a pair apart, at depth 2 by the (2C + 1)^3 tests of depth 1, at
depth 3 by all weights that a test of depth 2 can give to their classes. The derivation of the lengths is in
`theory.logic.counting`. Random formulas hardly ever tell apart what some formula does; a^12 b^200 a^700 is told apart by one
explicit formula of depth 3. Trained networks have no bounded coefficients and are not spoken of.
"""

import dataclasses

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, whole
from experiments.logic._programs import programs
from theory.logic.counting import blind_lengths, crossing, fooling_pair, recogniser

CLAIM = claim(Relation.EQUALS)

GROWING = (12, 200, 700)
FAR_TWO, FAR_THREE = (4, 7, 10), ((4, 4), (6, 6))  # C, and C with S, of the pairs beyond the cells


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

DOMAIN = domain(size=whole(1, 5, quick=3), multiple=whole(1, 4))
GRIDS = {"test": Sizes(size=axis(1)), "quick": Sizes(), "full": FULL, "paper": FULL}


def objects(cell: Sizes) -> dict:
    """Pairs of words with the least lengths, and with a letter less in each block; formulas one deeper, and shallow ones."""
    deeper, shallow = (recogniser(3), recogniser(4), crossing()), (recogniser(3, 2), recogniser(4, 3), recogniser(4, 2))
    return {
        "two": _pairs(cell.size),
        "three": _pairs(cell.size, cell.total),
        "far_two": [_pairs(size) for size in FAR_TWO],
        "far_three": [_pairs(*sizes) for sizes in FAR_THREE],
        "growing": [fooling_pair(lengths) for lengths in (GROWING, *_longer(cell))],
        "formulas": programs((*deeper, *shallow), "ab"),
    }


def _longer(cell: Sizes) -> list[tuple[int, ...]]:
    """Lengths beyond the least: a first block of one letter more, a third of two more; the second as the statement asks.

    Then the second with one letter less; and with the second as it was, the third as the statement asks, and one letter less.
    """
    c, s, p = cell.size, cell.total, cell.size + 2
    e = c * (p + 1)
    least = (s - 1) * (p + e + 1) + 1
    r = least + 2
    q = max(c * (p + r + 3) + 1, (s - 1) * (r + p + e + 3) + e + 2)
    return [(p, q, r), (p, q - 1, r), (p, q, least), (p, q, least - 1)]


def _pairs(*sizes: int) -> list:
    """The pair of the least lengths, and those with one letter less in a block."""
    lengths = blind_lengths(*sizes)
    return [fooling_pair(found) for found in (lengths, *_one_less(lengths))]


def _one_less(lengths: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*lengths[:i], length - 1, *lengths[i + 1 :]) for i, length in enumerate(lengths)]


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Only the pairs with a letter less are told apart; the formulas one deeper hold of one word of each pair."""
    bounded = Hypothesis("S >= C", cell.total >= cell.size)
    return (
        Prediction(_only_shorter(given["two"]), of="by_depth_two", dims=("pair",), hypotheses=(bounded,)),
        Prediction(_only_shorter(given["three"]), of="by_depth_three", dims=("triple",), hypotheses=(bounded,)),
        Prediction([_only_shorter(pairs) for pairs in given["far_two"]], of="far_by_depth_two", dims=("far_two", "pair")),
        Prediction([_only_shorter(t) for t in given["far_three"]], of="far_by_depth_three", dims=("far_three", "triple")),
        Prediction([[1, 0], [1, 0], [0, 1]], of="recognised", dims=("formula", "word")),
        # every word has a pattern of so few blocks that starts with b
        Prediction([[0, 0]] * 3, of="recognised_by_shallow", dims=("formula", "word")),
        Prediction([1] * 3, of="larger_by_depth_two", dims=("pair",)),
        Prediction([1] * 4, of="larger_by_depth_three", dims=("triple",)),
        Prediction([1, 0, 1, 0, 1], of="growing", dims=("grown",)),
    )


def _only_shorter(pairs: list) -> list[int]:
    return [0] + [1] * (len(pairs) - 1)


CONTROLS = (
    control(
        "coefficients up to C + 1",
        "the lengths serve for larger coefficients as well",
        instead={"by_depth_two": "larger_by_depth_two", "by_depth_three": "larger_by_depth_three"},
    ),
    control(
        "growing blocks",
        "u = a^12 b^200 a^700 fools depth 3",
        predict=lambda cell, _: Prediction([0, 0, 1, 0, 1], of="growing", dims=("grown",)),
    ),
    control(
        "no depth more",
        "formulas of depth 2 and 3 recognise one word of each pair",
        instead={"recognised": "recognised_by_shallow"},
    ),
)
