"""What the claim measures."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.collapse import collapse, concentrated_attention
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.collapse.collapse_doubly_exponential.common import BESIDE, KEYS, KNOWN, LOGITS, START, VALUES
from experiments.collapse.collapse_doubly_exponential.residual_sizes import (
    generic_layers,
    logarithm_drift,
    orthogonal_growth,
    residual_sizes,
)
from experiments.collapse.collapse_doubly_exponential.worst_collapse import most_kept, sized


def measure(cell: Cell, key: jax.Array, given: list[dict[str, np.ndarray]], skip: float = 0.0) -> xr.Dataset:
    """Ascent for one layer; the layer that it finds, repeated; the Frobenius residual of generic layers."""
    search = {"heads": cell.heads, "tokens": cell.searched, "starts": cell.starts}
    scale = cell.queries**-0.5
    most, found = most_kept(key, *map(jnp.asarray, (LOGITS, scale, skip)), **search)
    # the layer that keeps most at the smallest logits, repeated
    best = jax.tree.map(lambda part: part[0], found)

    def deep(values: float) -> np.ndarray:
        layer, start = sized(best, KEYS, values, START, scale)
        layers = jax.tree.map(lambda part: jnp.broadcast_to(part, (cell.deep, *part.shape)), layer)
        return residual_sizes(layers, start, scale, skip > 0)[1]

    sizes = deep(VALUES)
    beside = _values_beside(cell.heads, cell.queries)
    shrinks = [int(deep(values)[0] < math.log(START)) for values in beside]
    lengths = np.stack([residual_sizes(*generic_layers(one, math.log(cell.start)), scale, skip > 0)[0] for one in given])
    power, decade = 3.0 ** np.arange(1, cell.layers + 1), math.log(10)
    drift = logarithm_drift(cell.heads * (4 * cell.tokens + 6 * cell.width), cell.layers, lengths.dtype)
    return measured(
        logit=Quantity(LOGITS, "logit", label="largest logit |A|₁|E|²/√d that the input may have"),
        layer=np.arange(1, cell.deep + 1),
        offset=[0, 1],
        depth=np.arange(1, cell.layers + 1),
        kept=_kept(cell, most.attention, "size after / (H beta size³/√d), the most found"),
        kept_mapped=_kept(cell, most.mapped, "the same behind a map of rows, over lambda"),
        kept_over_gamma=_kept(cell, most.over_gamma, "the same without it, over gamma"),
        kept_concentrated=_concentrated(),
        beside=Quantity(
            beside, "values", floor=rounding_floor(8, np.dtype(float), beside), label="sizes of values beside the border"
        ),
        shrinks=Quantity(shrinks, "values", label="the worst layer shrinks its residual beside the border"),
        decades=Quantity(-sizes / decade, "layer", floor=(drift * power)[: cell.deep] / decade, label="decades under 1"),
        law=Quantity(-lengths / power, "offset depth", floor=drift, label="-log(residual) / 3^layer"),
        gamma=_entry_factors(cell, given, scale),
    )


def _values_beside(heads: int, queries: int) -> np.ndarray:
    """Sizes of values at which kappa beta H |E_0|^2 is each share of sqrt(d), for the kappa of small logits, 1/sqrt(2)."""
    return np.array(BESIDE) * (2 * queries) ** 0.5 / (heads * KEYS * START**2)


def _entry_factors(cell: Cell, given: list[dict[str, np.ndarray]], scale: float) -> Quantity:
    """The entry factor gamma of the first generic layer, at a residual of size one, without and with a row that all share."""
    reports = [collapse(*generic_layers(one, 0.0), scale)[1] for one in given]
    gamma = np.array([math.sqrt(report.largest_share[0] * report.spread[0]) for report in reports])
    rounding = rounding_floor(2 * cell.tokens * cell.width, gamma.dtype, gamma)
    return Quantity(gamma, "offset", floor=rounding, label="entry factor of a generic layer")


def _kept(cell: Cell, found: jax.Array, label: str) -> Quantity:
    values = np.asarray(found)
    return Quantity(values, "logit", floor=rounding_floor(10 * cell.heads * cell.searched, values.dtype, values), label=label)


def _concentrated() -> Quantity:
    """What one layer keeps where one token holds most of the attention."""
    value = concentrated_attention(*KNOWN)
    return Quantity(value, floor=rounding_floor(4 * KNOWN[0], value.dtype, float(value)), label="kept in the known worst case")


def orthogonal(cell: Cell, key: jax.Array, given: list[dict[str, np.ndarray]]) -> xr.Dataset:
    """How much orthogonal maps of 2, 4, 8 and 16 rows enlarge the residual."""
    growth = np.array([orthogonal_growth(width) for width in (2, 4, 8, 16)])
    return measured(mapped_growth=Quantity(growth, "size", floor=rounding_floor(16, growth.dtype, growth)))


def skip_connection_on(cell: Cell, key: jax.Array, given: list[dict[str, np.ndarray]]) -> xr.Dataset:
    """The measurement with a skip connection around every layer."""
    return measure(cell, key, given, skip=1.0)


def constant_1_for_any_logits(cell: Cell, key: jax.Array, given: list[dict[str, np.ndarray]]) -> xr.Dataset:
    """Constant 1 for any logits, and what is kept at this one, at half of it and at a quarter."""
    tokens, share, logit = KNOWN
    kept = np.array([concentrated_attention(tokens, share, logit / part) for part in (1, 2, 4)])
    by_logit = Quantity(kept, "concentrated", floor=rounding_floor(4 * tokens, kept.dtype, kept))
    return measured(kept_concentrated=_concentrated(), kept_by_logit=by_logit)
