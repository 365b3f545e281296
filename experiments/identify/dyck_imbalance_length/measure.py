"""The number of closed pairs at which a layer with one violation first misreads an open bracket."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.dyck import DyckAttention
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.dyck_imbalance_length.closed_pairs import FAMILIES, first_failure, latest_failure, read_right, word


def measure(cell: Cell, key: jax.Array, tables: dict) -> xr.Dataset:
    """The layer run on an opener and m closed pairs, for all m up to beyond the first failure."""
    broken, harmless = (_layer(cell, tables, name) for name in ("broken", "harmless"))
    right = [read_right(broken, cell.longest, family) for family in FAMILIES]
    sums = [int(word(broken, cell.longest, family).sum()) for family in FAMILIES]
    unbroken = read_right(harmless, cell.longest)
    first = [first_failure(one) for one in right]
    best = latest_failure(broken, cell.longest, float(np.exp(2 * float(cell.delta))))
    late = sum(int(one[pairs:].sum()) for one, pairs in zip(right, first, strict=True) if pairs)
    elsewhere = int((~unbroken).sum()) + late
    return measured(
        symbols=Quantity(sums, "family", label="sum of the symbols of a word"),
        read=Quantity(
            [*(int(one.sum()) for one in right), int(unbroken.sum())], "reading", label="prefixes that are read right"
        ),
        first_failure=Quantity(first, "family", label="closed pairs at the first failure"),
        best_failure=Quantity(best, label="closed pairs at the first failure, best value of the closer"),
        harmless_failures=Quantity(elsewhere, label="failures elsewhere, and successes later"),
    )


def _layer(cell: Cell, tables: dict, scores: str) -> DyckAttention:
    return DyckAttention(*(jnp.asarray(tables[name]) for name in (scores, "ratios", "tolerance")), types=cell.types)
