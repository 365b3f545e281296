r"""A violation delta of the balance condition is seen first at a predicted length, about 1/delta, and in all longer words.

Statement: Add delta to one score of a balanced table: that of an opener, for the query that closes it. The stack is read
    correctly up to a number of closed pairs that is known exactly, about tolerance / delta, and not beyond, in every word that
    closes so many of them. No value of the closer makes the table read all lengths: the best one reads as many pairs as the
    lengths for the two closer queries add up to. The same violation at an opener query is harmless at every length.
    $$ m^* = \Bigl\lfloor \sum_q \mathrm{tol}\; e^{W_{\mathrm{outer},q}-W_q}/(e^\delta-1) \Bigr\rfloor + 1 $$
Hypotheses: the table is balanced but for one score; entries below the tolerance, relative to the largest, are not read;
    two to six types nested two to six deep (at `paper` eight and ten), and delta any multiple of 2^-10 below 1.
Source: Wen, Li, Liu, Risteski, “(Un)interpretability of transformers: a case study with bounded Dyck grammars”, arXiv
    2312.01429, the balance condition; the length is derived here.
Refuted by: a first failure at another length, a value that reads further, or a failure at an opener query.
Cost: quick 9 s on one core, full about two minutes.

Derivation: `theory.attention.dyck`. Over a bracket that stays open, m closed pairs leave m exp(W) (exp(delta) - 1) where
nothing should be left. The sum has one query, that of the pairs, for the table's own values, and both closer queries for the
best value, which a bisection finds. So balance is not only sufficient for all lengths but necessary.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from theory.attention.dyck import ScoreTable

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "first_failure"


DEFINITIONS = {"tolerance": "the read-out is part of the construction: below this share of the largest entry nothing is read"}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """delta = times 2^-bits, by table; table 0 is uniform attention, the others are random tables, projected."""

    table: int = axis(0, 1)
    bits: int = axis(4, 6, 8, 10)
    types: int = 3
    depth: int = 2
    times: int = 1
    longest: int = 4096

    @property
    def delta(self) -> Fraction:
        """The violation."""
        return Fraction(self.times, 2**self.bits)

    @property
    def opener(self) -> int:
        """The symbol of an opener of type 1 at depth 2."""
        return self.types + 1

    @property
    def closer(self) -> int:
        """The symbol that closes it."""
        return self.types * self.depth + self.opener


DOMAIN = domain(
    table=whole(1, 9999),
    bits=whole(4, 10),
    times=whole(1, 15),
    types=whole(2, 6, quick=4),
    depth=whole(2, 6, quick=4),
    counts={"quick": 1},
)
GRIDS = {
    "test": Sizes(table=axis(0), bits=axis(8), longest=256),
    "quick": Sizes(),
    "full": Sizes(table=axis(0, 1, 2, 3, 4, 5), bits=axis(2, 4, 6, 8, 10, 12, 14), longest=1 << 15),
    "paper": Sizes(table=axis(0, 1, 2, 3, 4, 5), bits=axis(4, 8, 12, 16), types=8, depth=10, longest=1 << 17),
}


def objects(cell: Sizes) -> dict:
    """A balanced table with delta at the closer query, and with delta at the opener query."""
    table = _table(cell)
    return {
        "broken": table.shifted(cell.opener, cell.closer, cell.delta).scores.astype(float),
        "harmless": table.shifted(cell.opener, cell.opener, cell.delta).scores.astype(float),
        "ratios": np.exp(table.log_ratios.astype(float)),
        "tolerance": table.tolerance(),
    }


def _exchanged(cell: Sizes) -> dict:
    tables = objects(cell)
    return tables | {"broken": tables["harmless"], "harmless": tables["broken"]}


def _table(cell: Sizes) -> ScoreTable:
    raw = ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)
    return raw.balanced()


def predict(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """The first failure with delta where it hurts, in every family of words and with the best value; none elsewhere.

    Until then all prefixes are read right, in the three families, and without end where delta is harmless.
    """
    first, pair, longest = _first_failure(cell, cell.delta), cell.opener + cell.closer, cell.longest
    closed = 1 + (cell.opener - 1) + (cell.closer - 1) + (1 + cell.types * cell.depth)
    return (
        Prediction(first, of="first_failure"),
        Prediction([longest * pair, longest * (2 * pair - 2), longest * pair + closed], of="symbols", dims=("family",)),
        Prediction([first - 1, first - 1, first - 1, longest], of="read", dims=("reading",)),
        Prediction(_first_failure(cell, cell.delta, best_value=True), of="best_failure"),
        Prediction(0, of="harmless_failures"),
    )


def _first_failure(cell: Sizes, delta: Fraction, *, best_value: bool = False) -> int:
    table = _table(cell)
    return table.first_failure(delta, table.tolerance(), best_value=best_value)


def _harmless_first(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """With the tables exchanged nothing fails in any family, and all from the first failure on where nothing should.

    A query that reads all words counts as one pair more than the longest word.
    """
    first, longest = _first_failure(cell, cell.delta), cell.longest
    return (
        *(said for said in predict(cell, tables) if said.of == "symbols"),
        Prediction(0, of="first_failure"),
        Prediction([longest, longest, longest, first - 1], of="read", dims=("reading",)),
        Prediction(longest + 1, of="best_failure"),
        Prediction(longest - first + 1, of="harmless_failures"),
    )


def _inverse_square(cell: Sizes, tables: dict) -> Prediction | None:
    """Nothing where the first pair already fails by either law."""
    linear, square = (_first_failure(cell, cell.delta**power) for power in (1, 2))
    return None if linear == square else Prediction(square, of="first_failure")


def _own_value(cell: Sizes, tables: dict) -> Prediction:
    return Prediction(_first_failure(cell, cell.delta), of="best_failure")


CONTROLS = (
    control(
        "queries exchanged",
        "delta is harmless at the closer query and hurts at the opener query",
        objects=_exchanged,
        finds=_harmless_first,
    ),
)


RIVALS = (
    rival("inverse square", _inverse_square, "the length grows like the square of 1/delta"),
    rival("values do not matter", _own_value, "the table's own values are the best", everywhere=False),
)
