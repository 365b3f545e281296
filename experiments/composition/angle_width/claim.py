r"""Three squares compose each pair of linear characters, and one more each pair that is doubled: eight units for C5.

Statement: Let the irreps of a code be the linear characters of a group: s signs, r conjugate pairs and the trivial one, where d
    pairs are the double of another pair, and c times two pairs of order 5 are doubled to each other and no other pair to them.
    Explicit weights of one hidden layer of z^2 map the codes of two elements to the code of their product, exactly for every
    pair of elements, with s + 3 r + d - c units and one for all constants. Each unit is needed: if it alone is switched off,
    some pair is wrong, and none can go even if the others write anew.
    $$ H = s + 3 r + d - c + 1 $$
Hypotheses: no coefficient of these characters is zero, nor is the trivial one, so that units read a constant.
Source: this project, for the task of Marchetti, Kunin, Myers, Acosta, Miolane, arXiv 2602.03655.
Refuted by: a pair that these weights compose wrongly, a network of another width, a unit that no pair misses, a smaller rank of
    the units, or an exact network below the lower bound.
Cost: quick 4 s on one core, full 20 s.

Derivation in `theory.composition.angles`, which also makes the units; what they write is found by least squares, on all pairs.
C5 takes 8 units, C8 takes 12, C10 takes 16 and C6 x C2 takes 17, where four squares for each pair would take 9, 13, 18 and 19.
C3 alone takes three, without a constant (`theory.composition.sufficient`); these are four. From below 6 are known for C5 and 11
for C8 (`theory.composition.least_units`).
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival
from experiments.groups import NUMBERINGS, group_of, groups
from theory.composition import least_units, spectrum
from theory.composition.angles import angle_squares, angle_units
from theory.composition.encodings import generic_task, part_in

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "width"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, and the numbering of their elements."""

    group: str = axis("C5", "C8", "C9", "C10", "C6xC2")
    numbering: int = 0


DOMAIN = domain(group=groups(40, quick=24), numbering=NUMBERINGS)
GRIDS = {
    "test": Sizes(group=axis("C5", "C8", "C9")),
    "quick": Sizes(),
    "full": Sizes(group=axis("C5", "C8", "C10", "C6xC2", "C7", "C9", "C12", "C16", "C5xC5", "C4xC8", "D5xC3", "Q8xC5")),
    "paper": Sizes(group=axis("C5", "C8", "C9", "C10", "C6xC2", "C31", "C32", "C10xC4")),
}


def objects(cell: Sizes) -> dict:
    """A generic encoding with its mean and the irreps that are kept, and what the units read of both elements."""
    group = group_of(cell)
    task = generic_task(group, centred=False)
    task["irreps"] = tuple((irrep.kind, np.asarray(irrep.matrices)) for irrep in group.irreps if irrep.dimension == 1)
    return {"task": task, "units": angle_units(group)}


def _signs_and_pairs(cell: Sizes) -> tuple[int, int]:
    linear = [irrep for irrep in group_of(cell).irreps[1:] if irrep.dimension == 1]
    signs = sum(irrep.kind == "real" for irrep in linear)
    return signs, (len(linear) - signs) // 2


def _pairs_of_order(cell: Sizes, *orders: int) -> int:
    """How many pairs of characters have one of these orders."""
    values = [np.unique(np.round(irrep.matrices, 6)) for irrep in group_of(cell).irreps[1:] if irrep.dimension == 1]
    return sum(len(value) in orders for value in values) // 2


def _doubled(cell: Sizes) -> int:
    """How many pairs are the square of a character of another pair."""
    values = [np.asarray(irrep.matrices)[:, 0, 0] for irrep in group_of(cell).irreps[1:] if irrep.dimension == 1]
    squares = [value**2 for value in values if np.abs(value**3 - 1).max() > 1e-6]  # of order 3 they are of the same pair
    complex_ones = [value for value in values if np.abs(np.imag(value)).max() > 1e-6]
    return sum(any(np.abs(value - square).max() < 1e-6 for square in squares) for value in complex_ones) // 2


def _formula(cell: Sizes) -> int:
    """The units of the statement, counted from the values of the characters."""
    (signs, pairs), fives = _signs_and_pairs(cell), _pairs_of_order(cell, 5)
    circles = 0 if _pairs_of_order(cell, 10) else fives // 2
    return signs + 3 * pairs + _doubled(cell) - circles + 1


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error on any pair; as many units as the formula says, all of them needed and independent; and the bound."""
    group = group_of(cell)
    parts = zip(spectrum(group, given["task"]["encoding"]), group.irreps, strict=True)
    kept = all(part.norm != 0 for part, irrep in parts if irrep.dimension == 1)
    met = (Hypothesis("no coefficient that is kept is zero", kept),)
    width, counted = angle_squares(group) + 1, _formula(cell)
    least = least_units([irrep for irrep in group.irreps[1:] if irrep.dimension == 1], 2)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(width, of="width", hypotheses=met, formula="s + 3 r + d - c + 1"),
        Prediction(counted, of="needed", hypotheses=met),
        Prediction(counted, of="independent", hypotheses=met),
        Prediction(group.order**2, of="pairs", hypotheses=met),
        Prediction(least, of="suffices", relation=Relation.AT_LEAST, resolution=UNSHARP),
    )


def _four_each(cell: Sizes, given: dict) -> Prediction | None:
    """Four squares for each pair of order 5 or more, as without the squares that pairs share."""
    signs, pairs = _signs_and_pairs(cell)
    few = _pairs_of_order(cell, 3, 4)
    width = signs + 4 * pairs - few + 1
    return Prediction(width, of="width") if width != angle_squares(group_of(cell)) + 1 else None


def _three_each(cell: Sizes, given: dict) -> Prediction | None:
    """Three squares for each pair, whatever is doubled."""
    signs, pairs = _signs_and_pairs(cell)
    width = signs + 3 * pairs + 1
    return Prediction(width, of="width") if width != angle_squares(group_of(cell)) + 1 else None


def _no_circle(cell: Sizes, given: dict) -> Prediction | None:
    """Eight squares for two pairs of order 5 that are doubled to each other."""
    circles = 0 if _pairs_of_order(cell, 10) else _pairs_of_order(cell, 5) // 2
    return Prediction(angle_squares(group_of(cell)) + 1 + circles, of="width") if circles else None


def _a_constant_each(cell: Sizes, given: dict) -> Prediction | None:
    """A unit for the constant of each sign and each pair."""
    characters = sum(_signs_and_pairs(cell))
    return Prediction(angle_squares(group_of(cell)) + characters, of="width") if characters > 1 else None


def _encoding(cell: Sizes, given: dict) -> np.ndarray:
    """The encoding with its linear characters alone, in units of its largest entry."""
    group = group_of(cell)
    kept = part_in(group, given["task"]["encoding"], [irrep.dimension == 1 for irrep in group.irreps])
    return kept / np.abs(kept).max()


def _without(cell: Sizes, given: dict, unit: int) -> tuple[Prediction, ...]:
    """A unit less, and the largest error of the other squares as functions of both elements, by least squares."""
    table, units = np.asarray(given["task"]["table"]), np.delete(given["units"], unit, axis=0)
    first, second = np.indices(table.shape).reshape(2, -1)
    squares = (units[:, 0, first] + units[:, 1, second]).T ** 2
    codes = _encoding(cell, given)[table[table[first, second]]]
    left = codes - squares @ (np.linalg.pinv(squares, rcond=1e-9) @ codes)
    return Prediction(float(np.abs(left).max()), of="error"), Prediction(_formula(cell) - 1, of="width")


def _inverted(cell: Sizes, given: dict) -> Prediction:
    """What is read is the product, and the right answer that with the inverse."""
    table, code = np.asarray(given["task"]["table"]), _encoding(cell, given)
    inverse = np.argwhere(table == 0)[:, 1]
    return Prediction(float(np.abs(code[table[table]] - code[table[table[:, inverse]]]).max()), of="error")


def _mean(cell: Sizes, given: dict) -> Prediction:
    """Given the first element the product is uniform, so that its mean code is the best answer."""
    code = _encoding(cell, given)
    return Prediction(float(np.abs(code - code.mean()).max()), of="error")


CONTROLS = (
    control(
        "a square fewer",
        "the last square that reads both elements is idle",
        measure="one_square_fewer",
        finds=lambda cell, given: _without(cell, given, -2),
    ),
    control(
        "the constant left",
        "the unit of the constants is idle",
        measure="without_constant",
        finds=lambda cell, given: _without(cell, given, -1),
    ),
    control(
        "the inverse of the second",
        "the second element may be read by its inverse",
        measure="inverted_second",
        finds=_inverted,
        where=lambda cell, given: _signs_and_pairs(cell)[1] > 0,  # signs do not tell an element from its inverse
    ),
    control("one element alone", "the squares read the first element alone", measure="first_alone", finds=_mean),
)


RIVALS = (
    rival("four for each pair", _four_each, "no square serves two pairs", everywhere=False),
    rival("three for each pair", _three_each, "the doubled angles are written for nothing", everywhere=False),
    rival("no circle", _no_circle, "two pairs of order 5 take four squares for their other parts", everywhere=False),
    rival("a constant for each", _a_constant_each, "no two characters share the unit of their constants", everywhere=False),
    rival(
        "a constant for nothing",
        lambda cell, given: Prediction(_formula(cell) - 1, of="needed"),
        "no unit is spent on constants",
    ),
    rival(
        "a unit that can go",
        lambda cell, given: Prediction(_formula(cell) - 1, of="independent"),
        "the units are linearly dependent",
    ),
)
