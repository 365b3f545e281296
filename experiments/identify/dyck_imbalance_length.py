r"""A violation delta of the balance condition is first seen at a predicted length, about 1/delta, and breaks all longer words.

Statement: add delta to one score of a balanced table, that of an opener for the query that closes it. Over a bracket that stays
open, m closed pairs leave m exp(W) (exp(delta) - 1) where nothing should be left: the stack is read correctly for

    m <= tolerance exp(W_outer - W) / (exp(delta) - 1)

and never again after. The same violation at an opener query is harmless at every length.

Derivation: `theory.attention.dyck`. Refuted by: another first failure, or a failure by an opener query. Cost: 5 s on a CPU.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.dyck import DyckAttention
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, axis
from experiments.identify.dyck_balance_sufficient import SOURCE, arrays
from theory.attention.dyck import ScoreTable

CLAIM = Claim(
    slug="dyck_imbalance_length",
    title="A violation delta of the balance condition is seen first at the predicted length, about 1/delta",
    statement=(
        "A balanced table with delta added to one score reads the stack correctly up to a number of closed pairs that is "
        "known exactly, about tolerance / delta, and not beyond; at an opener query the violation does nothing."
    ),
    latex=r"m^* = \Bigl\lfloor \mathrm{tol}\; e^{W_{\mathrm{outer}}-W}/(e^\delta-1) \Bigr\rfloor + 1",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=("the table is balanced but for one score", "entries below the tolerance, relative to the largest, are not read"),
    refuted_by="a first failure at another length",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """delta = 2^-bits, by table."""

    table: int = axis(0, 1, 2)
    bits: int = axis(4, 6, 8, 10)
    types: int = 2
    depth: int = 2
    longest: int = 1024


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(table=axis(0, 1, 2, 3, 4, 5), bits=axis(2, 4, 6, 8, 10, 12, 14), longest=1 << 15),
    "paper": Sizes(table=axis(0, 1, 2, 3, 4, 5), bits=axis(4, 8, 12, 16), types=8, depth=10, longest=1 << 17),
}


def setting(cell: Sizes) -> dict:
    """The balanced table; the same with delta at the closer query, and at the opener query."""
    raw = ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)
    table, amount = raw.balanced(), Fraction(1, 2**cell.bits)
    _, ratios, tolerance = arrays(table)
    opener = cell.types + 1
    broken = {
        "broken": table.shifted(opener, table.pairs + opener, amount),
        "harmless": table.shifted(opener, opener, amount),
    }
    numbers = {name: (changed.scores.astype(float), ratios, tolerance) for name, changed in broken.items()}
    return {"table": table, "delta": amount, "tolerance": tolerance} | numbers


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The first failure with delta where it hurts; none where it does not."""
    first = given["table"].first_failure(given["delta"], given["tolerance"])
    return Prediction(first, of="first_failure"), Prediction(0, of="harmless_failures")


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The layer run on an opener and m closed pairs, for all m up to beyond the first failure."""
    right = _read(cell, given["broken"])
    first = int(np.argmin(right)) + 1 if not right.all() else 0
    late = int(right[first:].sum()) if first else 0
    harmless = _read(cell, given["harmless"])
    return xr.Dataset(
        {
            "first_failure": ((), first, {"long_name": "closed pairs at the first failure"}),
            "harmless_failures": ((), int((~harmless).sum()) + late, {"long_name": "failures elsewhere, and successes later"}),
        }
    )


def _read(cell: Sizes, numbers: tuple) -> np.ndarray:
    """Whether the stack is read correctly after 1, 2, ..., `longest` closed pairs."""
    model = DyckAttention(*(jnp.asarray(part) for part in numbers), types=cell.types)
    opener = cell.types + 1
    closer = model.ratios.shape[0] + opener
    symbols = jnp.concatenate([jnp.zeros(1, int), jnp.tile(jnp.array([opener, closer]), cell.longest)])
    stacks = np.asarray(_stacks_for(model, symbols, closer))[2::2]
    return (stacks == np.eye(stacks.shape[1], dtype=bool)[0]).all(axis=1)


_stacks_for = jax.jit(DyckAttention.stacks_for)


def _draw(place, dataset: xr.Dataset) -> None:
    """Length of the first misread prefix by violation, with the law."""
    axis = place.subplots()
    cells = [dict(part.split("=") for part in str(name).split(",")) for name in dataset["cell"].to_numpy()]
    for table, marker in zip(sorted({cell["table"] for cell in cells}), "osD^vP" * 2, strict=False):
        index = [i for i, cell in enumerate(cells) if cell["table"] == table]
        deltas = np.array([2.0 ** -int(cells[i]["bits"]) for i in index])
        label = "uniform" if table == "0" else f"random table {table}"
        axis.loglog(deltas, 2 * dataset["first_failure"].to_numpy()[index] + 1, marker, label=label)
    axis.loglog(deltas, 2 * 0.5 / deltas, color="#8a8a8a", lw=1, label="1/delta")
    axis.set(xlabel="violation delta of the balance condition", ylabel="length of the first misread prefix")
    axis.legend()


PICTURES = (Picture(2.8, _draw),)


def _inverse_square(cell: Sizes, given: dict) -> Prediction | None:
    """Nothing where the first pair already fails by either law."""
    linear, square = (given["table"].first_failure(given["delta"] ** power, given["tolerance"]) for power in (1, 2))
    return None if linear == square else Prediction(square, of="first_failure")


CONTROLS = (
    Control("harmless", "a small violation is seen at no length", lambda cell, given: Prediction(0, of="first_failure")),
    Control(
        "inverse square",
        "the length grows like the square of 1/delta",
        _inverse_square,
    ),
)
