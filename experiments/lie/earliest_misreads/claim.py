r"""The earliest misread step of a count in bfloat16 and float8 is a list; at six orders no word is ever misread.

Statement: A count modulo m is a complex number z, each letter multiplies it by a rounded m-th root, and every product and sum
    is rounded to bfloat16, or to a float8 of 3, 4 or 5 bits of significand. The first step T(m) at which some word is misread
    is the length of a listing of all states, for every order from 2 to 128. At m = 2, 3, 4, 6, 8 and 12 none is ever misread.
    $$ T(m) = \infty \iff m \in \{2, 3, 4, 6, 8, 12\} \qquad (2 \le m \le 128) $$
Hypotheses: one rounding to nearest per operation, ties to even, gradual underflow; halfway between two roots counts as misread.
Source: this project, beside `precision_horizon`, which has guarantees for every order and type.
Refuted by: an order and a type whose shortest misread word has another length, or another number of states before it.
Cost: quick 15 s on one core, full about 3 min.

The steps rise and fall with the order, by a factor of two and more between neighbours, so no law in m and the spacing is
claimed. Nor are the six orders those of every type: with 6 bits of significand words of orders 3, 6 and 12 are misread. At
order 10 in float8_e5m2 the first misread state lies halfway between two roots. The prediction lists states in float64 with a
rounding written out (`theory.lie.misread`). The measurement lists them in arithmetic of the type itself, keeps a word for each,
and has JAX read the word that is misread, letter by letter.
"""

import dataclasses
from fractions import Fraction

import mpmath
import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.lie.earliest_misreads.common import TYPES
from theory.lie.horizon import phase_horizon
from theory.lie.misread import FORMATS, listed_misreading

CLAIM = claim(Relation.EQUALS)

NEVER = 2, 3, 4, 6, 8, 12


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The order m."""

    order: int = axis(7, 8, 10, 12, 16, 128)


DOMAIN = domain(order=whole(2, 128), counts={"quick": 1})
GRIDS = {
    "test": Sizes(order=axis(10, 12, 64)),
    "quick": Sizes(),
    "full": Sizes(order=axis(*range(2, 129))),
    "paper": Sizes(order=axis(*range(2, 129))),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Steps and states by type, from exact listings; the listed orders are those that are never misread."""
    listed = [listed_misreading(cell.order, dtype) for dtype in TYPES]
    steps = [step for step, _ in listed]
    return (
        Prediction(steps, of="earliest", dims=("dtype",), formula="T(m)"),
        Prediction([states for _, states in listed], of="states", dims=("dtype",)),
        Prediction([0] * len(TYPES) if cell.order in NEVER else steps, of="witness", dims=("dtype",)),
        Prediction([0] * len(TYPES), of="witness_cut", dims=("dtype",)),
        Prediction([3, 4, 5, 8], of="bits", dims=("dtype",)),
    )


def _guarantee(cell: Sizes) -> Prediction | None:
    """The closed guarantee of bfloat16, to the next whole step, at orders at which some word is misread."""
    if cell.order in NEVER:
        return None
    steps = [step for step, _ in (listed_misreading(cell.order, dtype) for dtype in TYPES)]
    return Prediction([*steps[:-1], int(phase_horizon(cell.order, "bfloat16").at()) + 1], of="earliest", dims=("dtype",))


def _turned(cell: Sizes) -> Prediction | None:
    """Steps at which letters that turn by a fifth too much are misread: rounding aside, three fifths are more than a half."""
    if cell.order > 64:
        return None
    return Prediction([_step(cell.order, dtype, 3, Fraction(1, 5)) for dtype in TYPES], of="earliest", dims=("dtype",))


def _snapped(cell: Sizes) -> Prediction:
    """Steps if every state is a rounded root: a letter is misread, or a product of two of them, or nothing ever is."""
    return Prediction([_step(cell.order, dtype, 2) for dtype in TYPES], of="earliest", dims=("dtype",))


def _step(order: int, dtype: str, most: int, more: Fraction = Fraction(0)) -> int:
    """The first step at which a product of rounded letters is misread, 0 if none of `most` is; letters turn by `more`."""
    bits, lowest = FORMATS[dtype]

    def near(numbers: np.ndarray) -> np.ndarray:
        exponent = np.maximum(np.frexp(numbers)[1] - bits, lowest)
        return np.ldexp(np.rint(np.ldexp(numbers, -exponent)), exponent) + 0.0

    turns = [mpmath.mpf(2) * (letter + mpmath.mpf(more.numerator) / more.denominator) / order for letter in range(order)]
    cos, sin = (near(np.array([float(part(turn)) for turn in turns])) for part in (mpmath.cospi, mpmath.sinpi))
    x, y, count = np.ones(1), np.zeros(1), np.zeros(1, int)
    for step in range(1, most + 1):
        x, y = x[:, None], y[:, None]
        x, y = near(near(x * cos) - near(y * sin)).ravel(), near(near(x * sin) + near(y * cos)).ravel()
        count = (count[:, None] + np.arange(order)).ravel() % order
        ahead = np.arctan2(y, x) * order / (2 * np.pi) - count
        if (np.abs(ahead - order * np.rint(ahead / order)) >= 0.5 - 1e-9).any() or not (np.abs(x) + np.abs(y)).all():
            return step
        first = np.unique(x + 1j * y, return_index=True)[1]  # a state that is read rightly has one count
        x, y, count = x[first], y[first], count[first]
    return 0


CONTROLS = (
    control(
        "letters turned",
        "letters that turn too far are misread no earlier",
        measure="letters_turned",
        finds=_turned,
        where=lambda cell: cell.order <= 64,
        everywhere=False,
    ),
    control(
        "snapped to roots",
        "errors that do not add up are misread as early",
        measure="snapped",
        finds=_snapped,
        where=lambda cell: cell.order not in NEVER,
    ),
)

RIVALS = (
    rival(
        "the guarantee is attained",
        _guarantee,
        "some word is misread right after pi / (m arcsin gamma) steps",
        everywhere=False,
    ),
    rival(
        "every order is lost",
        lambda cell: Prediction([1] * len(TYPES), of="witness", dims=("dtype",)) if cell.order in NEVER else None,
        "no order counts for ever",
        everywhere=False,
    ),
)
