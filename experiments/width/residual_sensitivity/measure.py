"""How far weight noise moves residual streams with three placements of the norm, layer by layer, for many seeds."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.width.residual_sensitivity.common import FEW, LAYERS, LINEAR, NORMS
from experiments.width.residual_sensitivity.noise import fourth_powers, noise_agreement, noise_distance


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """1 - cos for every seed; the same in a narrow stream, and distances in the narrowest one, for many seeds."""
    keys, admin = jax.random.split(key), np.sqrt(np.arange(1, cell.depth + 1))
    found = _wide(cell, keys[0], admin).merge(_distances(cell, jax.random.fold_in(key, 2)))
    if not cell.narrow:
        return found
    sizes = {"width": cell.narrow, "seeds": cell.many, "depth": FEW[-1]}
    narrow = _moved(keys[1], _correlation(cell.strong), admin, **sizes)[np.array(FEW) - 1]
    few = Quantity(narrow, "few many norm", label="1 - cos between the runs, few numbers")
    return found.merge(measured(few=list(FEW), norm=list(NORMS), moved_narrow=few))


def admin_as_post_norm(cell: Cell, key: jax.Array) -> xr.Dataset:
    """1 - cos with the weight 1 for ADMIN in every layer, in place of sqrt(l + 1)."""
    return _wide(cell, key, np.ones(cell.depth))


def tied_layers(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Distances and balance where all layers share their weights, in place of weights of their own."""
    found = _distances(cell, key, tied=True)
    two, opposite = (
        Quantity(found[name].to_numpy()[:2], "two many linear", label="square distance over 2n after one layer and two")
        for name in ("distance", "distance_opposite")
    )
    return found.merge(measured(distance_of_two=two, distance_of_two_opposite=opposite))


def _distances(cell: Cell, key: jax.Array, tied: bool = False) -> xr.Dataset:
    """Distances of the streams that divide by their growth, and the balance of pre-norm."""
    ones, rho = np.ones(LAYERS), _correlation(cell.noise)
    weights = jnp.asarray(np.stack([ones, np.sqrt(np.cumsum(ones)), ones]))  # post-norm, ADMIN, pre-norm
    sizes = {"width": cell.narrowest, "seeds": cell.many, "depth": len(ones), "tied": tied}
    linear = jnp.array([1.0, 1.0, 0.0])
    apart, cosines = map(np.asarray, noise_distance(key, jnp.asarray(rho), weights, linear, **sizes))
    fourth = np.asarray(fourth_powers(key, jnp.asarray(rho), width=cell.narrowest, seeds=cell.many))
    against = np.asarray(noise_distance(jax.random.fold_in(key, 1), jnp.asarray(-rho), weights, linear, **sizes)[0])
    balance = apart[..., 2] + rho * np.cumsum(cosines[..., 2], axis=0)
    return measured(
        layer=np.arange(1, len(ones) + 1),
        linear=list(LINEAR),
        distance=Quantity(apart[..., :2], "layer many linear", label="square distance over 2n of the divided streams"),
        distance_opposite=Quantity(
            against[..., :2], "layer many linear", label="the same of weights with the correlation -rho"
        ),
        fourth_power=Quantity(fourth, "many run", label="fourth power of a weight", unit="squared variance"),
        balance=Quantity(balance, "layer many", label="square distance over 2n and rho times the cosines so far, pre-norm"),
    )


def _wide(cell: Cell, key: jax.Array, admin: np.ndarray) -> xr.Dataset:
    rho = _correlation(cell.noise)
    moved = _moved(key, rho, admin, width=cell.width, seeds=cell.seeds, depth=cell.depth)
    return measured(
        depth=np.arange(1, cell.depth + 1),
        norm=list(NORMS),
        moved=Quantity(moved, "depth seed norm", label="1 - cos between the runs"),
        correlation=Quantity(rho),
    )


def _correlation(noise: float) -> float:
    """Of the weights W of one run with (W + noise G) / hypot(1, noise), which have the variance of W."""
    return float(1 / np.hypot(1.0, noise))


def _moved(key: jax.Array, rho: float, admin: np.ndarray, *, width: int, seeds: int, depth: int) -> np.ndarray:
    """1 - cos at this correlation, with these weights of the stream for ADMIN; the others add to the stream as it is."""
    weights = jnp.asarray(np.stack([np.ones(depth), np.ones(depth), admin[:depth]]))
    normalise = jnp.array([0.0 if norm == "pre" else 1.0 for norm in NORMS])
    sizes = {"width": width, "seeds": seeds, "depth": depth}
    return 1 - np.asarray(noise_agreement(key, jnp.asarray(rho), weights, normalise, **sizes))
