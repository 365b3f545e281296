r"""Every balanced attention table solves a bounded Dyck language at every length, and uniform attention is balanced.

Statement: two layers, the first leaving the type, side and depth of each bracket. If for every pair of an opener and its
closer the difference of their scores is the same number lambda for all closer queries, then with values +e and -exp(lambda) e
the stack can be read off the output at every length. The zero table (uniform attention) is such a table; any table becomes one
by projection.

Derivation: `theory.attention.dyck`: what was closed cancels, whatever the length. Source: Wen, Li, Liu, Risteski for the condition; the
constructions are derived here. Refuted by: a prefix whose stack is misread. Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.dyck import DyckAttention, wrong_prefixes
from depthjax.tasks.dyck import dyck_prefixes, dyck_stacks, dyck_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory.attention.dyck import ScoreTable

SOURCE = Source(
    "Wen, Li, Liu, Risteski",
    "(Un)interpretability of transformers: a case study with bounded Dyck grammars",
    "arXiv 2312.01429",
    "the balance condition; constructions derived here",
)

CLAIM = Claim(
    slug="dyck_balance_sufficient",
    title="Any balanced attention table solves a bounded Dyck language at all lengths, the uniform one included",
    statement=(
        "If the scores of an opener and of its closer differ by the same number for all closer queries, two attention layers "
        "read the stack of every prefix of a bounded Dyck language, at every length."
    ),
    latex=r"\bigl(e(\tau_{2i-1,d})-e(\tau_{2i,d-1})\bigr)^{\!\top} W_K^\top W_Q\,\bigl(e(q)-e(q')\bigr) = 0",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=(
        "the table is balanced, checked in exact arithmetic",
        "the first layer leaves type, side and depth of each bracket",
    ),
    refuted_by="a prefix whose open brackets the two layers misread",
    cost="10 s on a CPU",
    needs_float64=True,
)


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
    "quick": Sizes(),
    "full": Sizes(table=axis(0, 1, 2, 3, 4, 5, 6, 7), exhaustive=14, length=1024, words=64),
    "paper": Sizes(table=axis(0, 1, 2, 3), types=8, depth=10, exhaustive=5, length=1024, words=64),
}


def setting(cell: Sizes) -> dict:
    """The table as it was, projected, and projected for opener queries only, each with its values as arrays."""
    raw = ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)
    tables = {"raw": raw, "balanced": raw.balanced(), "openers": raw.balanced(raw.openers())}
    return {"tables": tables} | {name: arrays(table) for name, table in tables.items()}


def arrays(table: ScoreTable) -> tuple[np.ndarray, np.ndarray, float]:
    """Scores, ratios of values and the read-out's tolerance."""
    return table.scores.astype(float), np.exp(table.log_ratios().astype(float)), table.tolerance()


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Nothing is wrong, because the table is balanced."""
    return _nothing_wrong(given["tables"]["balanced"])


def _nothing_wrong(table: ScoreTable) -> tuple[Prediction, ...]:
    met = (Hypothesis("the scores of every pair differ by one number for all closers", table.imbalance() == 0),)
    return tuple(Prediction(0, of=name, hypotheses=met) for name in ("wrong_depths", "wrong_short", "wrong_long"))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong stacks over every short prefix, and over random long ones."""
    return _wrong(cell, key, given["balanced"])


def _wrong(cell: Sizes, key: jax.Array, numbers: tuple) -> xr.Dataset:
    model = DyckAttention(*(jnp.asarray(part) for part in numbers), types=cell.types)
    short = jnp.asarray(dyck_prefixes(cell.types, cell.depth, cell.exhaustive))
    long = dyck_words(key, cell.types, cell.depth, cell.words, cell.length)
    counts = [wrong_prefixes(model, words, dyck_stacks(words, cell.types, cell.depth), cell.depth) for words in (short, long)]
    return xr.Dataset(
        {
            "wrong_depths": ((), int(counts[0][0] + counts[1][0]), {"long_name": "prefixes of wrong depth"}),
            "wrong_short": ((), int(counts[0][1]), {"long_name": "wrong stacks, all prefixes"}),
            "wrong_long": ((), int(counts[1][1]), {"long_name": "wrong stacks, long words"}),
        }
    )


def _false(cell: Sizes, given: dict) -> tuple[Prediction, ...] | None:
    return tuple(Prediction(0, of=name) for name in ("wrong_short", "wrong_long")) if cell.table else None


CONTROLS = (
    Control("not projected", "the random table itself does", _false, lambda cell, key, given: _wrong(cell, key, given["raw"])),
    Control(
        "openers only",
        "it is enough to balance the table for opener queries",
        _false,
        lambda cell, key, given: _wrong(cell, key, given["openers"]),
    ),
)
