"""Squared norms of residual streams with random weights, layer by layer, for many seeds."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.width.residual_second_moment.common import FEW, RULES, STRONG
from experiments.width.residual_second_moment.growth import attention_growth, stream_growth


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Growth for every seed; of the mean token and of the deviations from it; growth in few numbers."""
    return _growth(cell, key)


def tied_and_fresh_exchanged(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Growth in few numbers where the same weights are taken for fresh ones, and fresh ones for the same."""
    return _few_numbers(cell, key, swapped=True)


def causal_mask(cell: Cell, key: jax.Array) -> xr.Dataset:
    """All growth, with a causal mask in place of uniform attention over all tokens."""
    return _growth(cell, key, causal=True)


def _growth(cell: Cell, key: jax.Array, causal: bool = False) -> xr.Dataset:
    keys, scales = jax.random.split(key, 3), jnp.asarray(cell.scales)
    fresh = stream_growth(keys[0], scales, width=cell.width, seeds=cell.seeds, depth=cell.depth, tied=False)
    tied = stream_growth(keys[1], scales, width=cell.tied_width, seeds=cell.tied_seeds, depth=cell.depth, tied=True)
    sizes = {"width": cell.width // 4, "seeds": cell.seeds, "depth": cell.depth, "tokens": cell.tokens}
    mean, rest = attention_growth(keys[2], scales[1], **sizes, causal=causal)
    floor = rounding_floor(cell.depth * cell.width, rest.dtype, 4.0)
    label = "squared norm over the first, {} weights".format
    many = measured(
        depth=np.arange(1, cell.depth + 1),
        early=np.arange(1, cell.tied_depth + 1),
        scale=list(RULES),
        fresh=Quantity(fresh, "depth seed scale", label=label("fresh")),
        tied=Quantity(tied, "depth tied_seed scale", label=label("tied")),
        tied_early=Quantity(tied[: cell.tied_depth], "early tied_seed scale", label=label("tied")),
        tied_root=Quantity(tied[-1, :, 1], "tied_seed", label="the same at the last depth, alpha = 1/sqrt(L)"),
        mean_token=Quantity(mean, "depth seed", label="squared norm of the mean token"),
        deviations=Quantity(rest, "depth seed", floor=floor, label="squared deviations from the mean token"),
    )
    return many.merge(_few_numbers(cell, key))


def _few_numbers(cell: Cell, key: jax.Array, swapped: bool = False) -> xr.Dataset:
    """Growth in a narrow stream for many seeds, or with tied and fresh weights exchanged."""
    first, second = jax.random.split(jax.random.fold_in(key, 1))
    grown = partial(stream_growth, scales=jnp.asarray(STRONG), width=cell.narrow, seeds=cell.many, depth=FEW[-1])
    tied, fresh = (each[FEW[0] - 1 :] for each in (grown(first, tied=not swapped), grown(second, tied=swapped)))
    return measured(
        few=list(FEW),
        strong=list(STRONG),
        tied_narrow=Quantity(tied, "few many strong", label="squared norm over the first, tied weights, few numbers"),
        fresh_narrow=Quantity(fresh, "few many strong", label="the same with fresh weights"),
    )
