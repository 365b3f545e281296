r"""Any balanced attention table solves a bounded Dyck language at all lengths, the uniform one included.

Statement: If the scores of an opener and of its closer differ by the same number lambda for all closer queries, two attention
    layers read the stack of every prefix of a bounded Dyck language, at every length. The values are +e for an opener and
    -exp(lambda) e for its closer.
    $$ \bigl(e(\tau_{2i-1,d})-e(\tau_{2i,d-1})\bigr)^{\!\top} W_K^\top W_Q\,\bigl(e(q)-e(q')\bigr) = 0 $$
Hypotheses: the table is balanced, checked in exact arithmetic; the first layer leaves type, side and depth of each bracket.
Source: Wen, Li, Liu, Risteski, “(Un)interpretability of transformers: a case study with bounded Dyck grammars”, arXiv
    2312.01429, the balance condition; constructions are derived here.
Refuted by: a prefix whose open brackets the two layers misread.
Cost: 10 s on a CPU.

Derivation: `theory.attention.dyck`. What was closed cancels, whatever the length. The zero table (uniform attention) is
balanced, and any table becomes balanced by projection.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.dyck import DyckAttention, wrong_prefixes
from depthjax.tasks.dyck import dyck_prefixes, dyck_stacks, dyck_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured
from theory.attention.dyck import ScoreTable

CLAIM = claim(Relation.EQUALS, needs_float64=True)

DEFINITIONS = {"tolerance": "the read-out is part of the construction: below this share of the largest entry nothing is read"}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Table 0 is uniform attention, the others are random tables, projected."""

    table: int = axis(0, 1, 2)
    types: int = 2
    depth: int = 3
    exhaustive: int = 11
    length: int = 256
    words: int = 32


GRIDS = {
    "test": Sizes(table=axis(0, 1), exhaustive=7, length=64, words=8),
    "quick": Sizes(),
    "full": Sizes(table=axis(0, 1, 2, 3, 4, 5, 6, 7), exhaustive=14, length=1024, words=64),
    "paper": Sizes(table=axis(0, 1, 2, 3), types=8, depth=10, exhaustive=5, length=1024, words=64),
}


def objects(cell: Sizes) -> dict:
    """The balanced table."""
    return _arrays(_table(cell).balanced())


def _table(cell: Sizes) -> ScoreTable:
    """The table before it is projected."""
    return ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)


def _arrays(table: ScoreTable) -> dict:
    """Scores, ratios of the values of closers and openers, and the tolerance of the read-out."""
    ratios = np.exp(table.log_ratios().astype(float))
    return {"scores": table.scores.astype(float), "ratios": ratios, "tolerance": table.tolerance()}


def predict(cell: Sizes, table: dict) -> tuple[Prediction, ...]:
    """Nothing is wrong, because the table is balanced."""
    balanced = _table(cell).balanced().imbalance() == 0
    met = (Hypothesis("the scores of every pair differ by one number for all closers", balanced),)
    return tuple(Prediction(0, of=name, hypotheses=met) for name in ("wrong_depths", "wrong_short", "wrong_long"))


def measure(cell: Sizes, key: jax.Array, table: dict) -> xr.Dataset:
    """Wrong stacks over every short prefix, and over random long ones."""
    model = DyckAttention(*(jnp.asarray(table[name]) for name in ("scores", "ratios", "tolerance")), types=cell.types)
    short = jnp.asarray(dyck_prefixes(cell.types, cell.depth, cell.exhaustive))
    long = dyck_words(key, cell.types, cell.depth, cell.words, cell.length)
    counts = [wrong_prefixes(model, words, dyck_stacks(words, cell.types, cell.depth), cell.depth) for words in (short, long)]
    return measured(
        wrong_depths=Quantity(int(counts[0][0] + counts[1][0]), label="prefixes of wrong depth"),
        wrong_short=Quantity(int(counts[0][1]), label="wrong stacks, all short prefixes"),
        wrong_long=Quantity(int(counts[1][1]), label="wrong stacks, prefixes of long words"),
    )


def _stacks_right(cell: Sizes, table: dict) -> tuple[Prediction, ...] | None:
    """Nothing is said of the uniform table, which is balanced as it is."""
    return tuple(Prediction(0, of=name) for name in ("wrong_short", "wrong_long")) if cell.table else None


def _for_openers(cell: Sizes) -> dict:
    return _arrays(_table(cell).balanced(_table(cell).openers()))


CONTROLS = (
    control(
        "not projected",
        "the random table itself reads every stack",
        objects=lambda cell: _arrays(_table(cell)),
        predict=_stacks_right,
    ),
    control(
        "openers only",
        "it is enough to balance the table for opener queries",
        objects=_for_openers,
        predict=_stacks_right,
    ),
)
