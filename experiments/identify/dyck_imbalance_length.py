r"""A violation delta of the balance condition is seen first at a predicted length, about 1/delta, and in all longer words.

Statement: Add delta to one score of a balanced table: that of an opener, for the query that closes it. The stack is read
    correctly up to a number of closed pairs that is known exactly, about tolerance / delta, and not beyond, in every word that
    closes so many of them. No value of the closer makes the table read all lengths: the best one reads as many pairs as the
    lengths for the two closer queries add up to. The same violation at an opener query is harmless at every length.
    $$ m^* = \Bigl\lfloor \sum_q \mathrm{tol}\; e^{W_{\mathrm{outer},q}-W_q}/(e^\delta-1) \Bigr\rfloor + 1 $$
Hypotheses: the table is balanced but for one score; entries below the tolerance, relative to the largest, are not read.
Source: Wen, Li, Liu, Risteski, “(Un)interpretability of transformers: a case study with bounded Dyck grammars”, arXiv
    2312.01429, the balance condition; the length is derived here.
Refuted by: a first failure at another length, a value that reads further, or a failure at an opener query.
Cost: quick 7 s on one core, full about a minute.

Derivation: `theory.attention.dyck`. Over a bracket that stays open, m closed pairs leave m exp(W) (exp(delta) - 1) where
nothing should be left. The sum has one query, that of the pairs, for the table's own values, and both closer queries for the
best value, which a bisection finds. So balance is not only sufficient for all lengths but necessary.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.dyck import DyckAttention
from depthjax.figures.pens import law, pen
from depthjax.probe.closed_pairs import FAMILIES, first_failure, latest_failure, read_right
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory.attention.dyck import ScoreTable

CLAIM = claim(Relation.EQUALS, needs_float64=True)

DEFINITIONS = {"tolerance": "the read-out is part of the construction: below this share of the largest entry nothing is read"}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """delta = 2^-bits, by table; table 0 is uniform attention, the others are random tables, projected."""

    table: int = axis(0, 1, 2)
    bits: int = axis(4, 6, 8, 10)
    types: int = 2
    depth: int = 2
    longest: int = 4096

    @property
    def delta(self) -> Fraction:
        """The violation."""
        return Fraction(1, 2**self.bits)

    @property
    def opener(self) -> int:
        """The symbol of an opener of type 1 at depth 2."""
        return self.types + 1

    @property
    def closer(self) -> int:
        """The symbol that closes it."""
        return self.types * self.depth + self.opener


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
        "ratios": np.exp(table.log_ratios().astype(float)),
        "tolerance": table.tolerance(),
    }


def _exchanged(cell: Sizes) -> dict:
    tables = objects(cell)
    return tables | {"broken": tables["harmless"], "harmless": tables["broken"]}


def _table(cell: Sizes) -> ScoreTable:
    raw = ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)
    return raw.balanced()


def predict(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """The first failure with delta where it hurts, in every family of words and with the best value; none elsewhere."""
    return (
        Prediction(_first_failure(cell, cell.delta), of="first_failure"),
        Prediction(_first_failure(cell, cell.delta, best_value=True), of="best_failure"),
        Prediction(0, of="harmless_failures"),
    )


def _first_failure(cell: Sizes, delta: Fraction, *, best_value: bool = False) -> int:
    table = _table(cell)
    return table.first_failure(delta, table.tolerance(), best_value=best_value)


def measure(cell: Sizes, key: jax.Array, tables: dict) -> xr.Dataset:
    """The layer run on an opener and m closed pairs, for all m up to beyond the first failure."""
    broken, harmless = (_layer(cell, tables, name) for name in ("broken", "harmless"))
    right = [read_right(broken, cell.longest, family) for family in FAMILIES]
    first = [first_failure(one) for one in right]
    best = latest_failure(broken, cell.longest, float(np.exp(2 * float(cell.delta))))
    late = sum(int(one[pairs:].sum()) for one, pairs in zip(right, first, strict=True) if pairs)
    elsewhere = int((~read_right(harmless, cell.longest)).sum()) + late
    return measured(
        first_failure=Quantity(first, "family", label="closed pairs at the first failure"),
        best_failure=Quantity(best, label="closed pairs at the first failure, best value of the closer"),
        harmless_failures=Quantity(elsewhere, label="failures elsewhere, and successes later"),
    )


def _layer(cell: Sizes, tables: dict, scores: str) -> DyckAttention:
    return DyckAttention(*(jnp.asarray(tables[name]) for name in (scores, "ratios", "tolerance")), types=cell.types)


def _inverse_square(cell: Sizes, tables: dict) -> Prediction | None:
    """Nothing where the first pair already fails by either law."""
    linear, square = (_first_failure(cell, cell.delta**power) for power in (1, 2))
    return None if linear == square else Prediction(square, of="first_failure")


def _own_value(cell: Sizes, tables: dict) -> Prediction:
    return Prediction(_first_failure(cell, cell.delta), of="best_failure")


CONTROLS = (
    control("queries exchanged", "delta is harmless at the closer query and hurts at the opener query", objects=_exchanged),
)
RIVALS = (
    rival("inverse square", _inverse_square, "the length grows like the square of 1/delta"),
    rival("values do not matter", _own_value, "the table's own values are the best", everywhere=False),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Length of the first misread prefix against the violation.

    Points: measured, a marker a table. Line: the law 1/delta. The uniform table lies on it, and other tables run parallel
    below.
    """
    axes, deltas = figure.subplots(), 2.0 ** -dataset["bits"].to_numpy()
    for number, table in enumerate(np.unique(dataset["table"])):
        colour, marker = pen(number)
        found = np.flatnonzero(dataset["table"] == table)
        label = f"random table {table}" if table else "uniform"
        axes.loglog(deltas[found], 2 * dataset["first_failure"].to_numpy()[found, 0] + 1, marker, color=colour, label=label)
    axes.loglog(np.unique(deltas), 1 / np.unique(deltas), **law(label="1/delta"))
    axes.set(xlabel="violation delta of the balance condition", ylabel="length of the first misread prefix")
    axes.legend()


PICTURES = (Picture(2.8, _draw),)
