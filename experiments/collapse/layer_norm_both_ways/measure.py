"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.collapse import Weights, layer_norm
from depthjax.instruments.small_residuals import after_layer, after_norm, floats, operations
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.collapse.layer_norm_both_ways.common import SCALE
from experiments.collapse.layer_norm_both_ways.normed_attention import normed_stack, residuals


def measure(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer and a norm at every eps; antipodal tokens through a few layers, 2d symmetric ones through many."""
    common, r, layers = floats(**given)
    steps, first = 2.0 ** (-np.arange(cell.steps) / 2 - 2), jax.tree.map(lambda w: w[0], layers)
    generic, least = map(np.asarray, after_norm(first, common, r, jnp.asarray(steps), float(SCALE)))
    antipodal, moved = residuals(layers, layer_norm(jnp.concatenate([r, -r])), float(SCALE))
    identity = jnp.broadcast_to(jnp.eye(cell.width), (cell.deep, 1, cell.width, cell.width))
    # sharp attention: each token sees almost itself alone, so roundings of the mean do not grow
    rank = _rank(cell, Weights(4 * identity, identity))
    floor = rounding_floor(operations(first, cell.tokens) + 2 * cell.heads * cell.width, generic.dtype) * np.sqrt(r.size)
    return measured(
        step=Quantity(steps, "step", label="ε"),
        generic=Quantity(generic, "step", floor=floor / least, label="residual after attention and LayerNorm"),
        antipodal=Quantity(antipodal, "layer", floor=moved, label="residual of antipodal tokens"),
        rank=rank,
        depths=Quantity([len(antipodal), np.size(rank.values)], "network", label="layers of the two antipodal networks"),
    )


def _rank(cell: Cell, layers: Weights) -> Quantity:
    """Rank of the tokens +-(e_i - 1/d) after each layer."""
    corners = jnp.eye(cell.width) - 1 / cell.width
    residual = normed_stack(layers, layer_norm(jnp.concatenate([corners, -corners])), float(SCALE))
    values = np.linalg.svd(np.asarray(residual), compute_uv=False)
    return Quantity((values > values[:, :1] / 2).sum(axis=1), "depth", label="singular values above half of the largest")


def unpaired(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The stack on pairs of tokens that a common part moves away from opposite signs."""
    common, r, layers = floats(**given)
    residual, moved = residuals(layers, layer_norm(jnp.concatenate([r, r + common[None]])), float(SCALE))
    return measured(antipodal=Quantity(residual, "layer", floor=moved))


def without_norm(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer without a norm, at every distance."""
    common, r, layers = floats(**given)
    steps, first = 2.0 ** (-np.arange(cell.steps) / 2 - 2), jax.tree.map(lambda w: w[0], layers)
    values, sizes = map(np.asarray, after_layer(first, common, r, jnp.asarray(steps), float(SCALE), 0.0))
    floor = rounding_floor(operations(first, cell.tokens), values.dtype, sizes)
    return measured(step=steps, generic=Quantity(values, "step", floor=floor))


def drawn_weights(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The rank after layers whose weights are drawn, in place of the constructed ones, with values of rank one."""
    keys, left, right = jax.random.normal(key, (3, cell.deep, 1, cell.width, cell.width))
    rank = _rank(cell, Weights(keys, left[..., :1] * right[..., :1, :]))
    return measured(rank=rank, layers_of_rank=Quantity(np.size(rank.values), label="layers with drawn weights"))
