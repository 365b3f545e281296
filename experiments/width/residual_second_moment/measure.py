"""Squared norms of residual streams with random weights, layer by layer, for many seeds."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.width.residual_second_moment.common import FEW, RULES
from experiments.width.residual_second_moment.growth import attention_growth, mean_growth, stream_growth

FEWER = 8  # times as few pairs of fresh weights: their law has no term that hides in another


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Growth for every seed; of the mean token and of the deviations from it; growth in few numbers."""
    return _growth(cell, key)


def tied_and_fresh_exchanged(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Growth in few numbers where the same weights are taken for fresh ones, and fresh ones for the same."""
    return _few_numbers(cell, key, swapped=True)


def causal_mask(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The mean token and the deviations with a causal mask in place of uniform attention over all tokens."""
    return _attention(cell, key, causal=True)


def _growth(cell: Cell, key: jax.Array) -> xr.Dataset:
    keys, scales = jax.random.split(key, 3), jnp.asarray(cell.scales)
    fresh = stream_growth(keys[0], scales, width=cell.width, seeds=cell.seeds, depth=cell.depth, tied=False)
    tied = stream_growth(keys[1], scales, width=cell.tied_width, seeds=cell.tied_seeds, depth=cell.depth, tied=True)
    label = "squared norm over the first, {} weights".format
    many = measured(
        depth=np.arange(1, cell.depth + 1),
        early=np.arange(1, cell.tied_depth + 1),
        scale=list(RULES),
        fresh=Quantity(fresh, "depth seed scale", label=label("fresh")),
        tied=Quantity(tied, "depth tied_seed scale", label=label("tied")),
        tied_early=Quantity(tied[: cell.tied_depth], "early tied_seed scale", label=label("tied")),
        tied_root=Quantity(tied[-1, :, 1], "tied_seed", label="the same at the last depth, alpha = 1/sqrt(L)"),
    )
    found = many.merge(_attention(cell, keys[2])).merge(_few_numbers(cell, key))
    kinds = (
        ("fresh", "seed"),
        ("tied", "tied_seed"),
        ("mean_token", "seed"),
        ("tied_narrow", "tied_pair"),
        ("fresh_narrow", "pair"),
    )
    counts = [_different(found[name], dim) for name, dim in kinds]
    return found.merge(
        measured(
            streams=Quantity(counts, "kind", label="different draws of streams, by kind"),
            depths=Quantity(list(FEW), "few", label="layers of the streams in few numbers"),
        )
    )


def _different(growth: xr.DataArray, dim: str) -> int:
    """How many draws differ in their growth over all layers."""
    return len(np.unique(growth.transpose(dim, ...).values.reshape(growth.sizes[dim], -1), axis=0))


def _attention(cell: Cell, key: jax.Array, causal: bool = False) -> xr.Dataset:
    sizes = {"width": cell.width // 4, "seeds": cell.seeds, "depth": cell.depth, "tokens": cell.tokens}
    mean, rest = attention_growth(key, jnp.asarray(cell.scales[1]), **sizes, causal=causal)
    floor = rounding_floor(cell.depth * cell.width, rest.dtype, 4.0)
    return measured(
        depth=np.arange(1, cell.depth + 1),
        mean_token=Quantity(mean, "depth seed", label="squared norm of the mean token"),
        deviations=Quantity(rest, "depth seed", floor=floor, label="squared deviations from the mean token"),
    )


def _few_numbers(cell: Cell, key: jax.Array, swapped: bool = False) -> xr.Dataset:
    """Growth in a narrow stream for many pairs of weights, or with tied and fresh weights exchanged."""
    first, second = jax.random.split(jax.random.fold_in(key, 1))
    grown = partial(mean_growth, scales=jnp.asarray(cell.strong), width=cell.narrow, depth=FEW[-1])
    sizes = {"tied": cell.pairs, "fresh": cell.pairs // FEWER}
    tied, fresh = (
        grown(own, pairs=sizes[name], tied=(name == "tied") is not swapped)[FEW[0] - 1 :]
        for name, own in (("tied", first), ("fresh", second))
    )
    return measured(
        few=list(FEW),
        strong=list(cell.strong),
        tied_narrow=Quantity(tied, "few tied_pair strong", label="mean square over all starts, tied weights, few numbers"),
        fresh_narrow=Quantity(fresh, "few pair strong", label="the same with fresh weights"),
    )
