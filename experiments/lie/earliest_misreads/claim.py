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

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.lie.earliest_misreads.common import TYPES
from theory.lie.horizon import phase_horizon
from theory.lie.misread import listed_misreading

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


CONTROLS = (
    control(
        "letters turned",
        "letters that turn too far are misread no earlier",
        measure="letters_turned",
        where=lambda cell: cell.order <= 64,
        everywhere=False,
    ),
    control(
        "snapped to roots",
        "errors that do not add up are misread as early",
        measure="snapped",
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
