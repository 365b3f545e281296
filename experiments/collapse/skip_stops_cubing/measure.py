"""What the claim measures."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.collapse import Weights, attend, centred
from depthjax.instruments.small_residuals import after_layer, floats, operations
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

SIGNS = (-1, 1)  # of the values W = -I and W = I
SCALE = 0.5  # of the logits


def measure(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer with a skip at every eps; thousands of layers on the tokens +-e_i."""
    depths = np.round(_steps(cell) ** -2).astype(int)
    falling, kept = (np.asarray(_many_layers(cell.width, int(depths[-1]), cell.early, sign)) for sign in SIGNS)
    count = operations(floats(**given)[2], cell.tokens)
    # the roundings of single layers add up, and the law pulls them in again
    drift = rounding_floor(count, falling.dtype, np.sqrt(depths))
    most = rounding_floor(float(count * depths[-1]), kept.dtype, float(kept[0]))
    both = np.stack([falling, kept])
    early = both[:, : cell.early]
    least = both.min(axis=1)
    few = rounding_floor(count * cell.early, kept.dtype, early)
    return _change(cell, given).merge(
        measured(
            sign=list(SIGNS),
            layer=np.arange(1, cell.early + 1),
            early=Quantity(early, "sign layer", floor=few, label="residual of the tokens ±e_i after the first layers"),
            early_turned=Quantity(early[::-1], "sign layer", floor=few[::-1], label="the same with the other values"),
            rising=Quantity(kept[depths - 1], "step", floor=drift, label="residual at depth 1/step², W = I"),
            falling=Quantity(falling[depths - 1], "step", floor=drift, label="residual at depth 1/step², W = -I"),
            kept=Quantity(least[1], floor=most, label="smallest residual, W = I"),
            fallen=Quantity(least[0], floor=most, label="smallest residual, W = -I"),
            falls=Quantity((np.diff(both) < 0).sum(axis=1), "sign", label="layers after the first that let the residual fall"),
        )
    )


def _change(cell: Cell, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The relative change of the residual in a layer with a skip and in one without; the share that is left in the second."""
    common, r, layer = floats(**given)
    before = _steps(cell) * float(jnp.linalg.norm(r))
    (after, sizes), (alone, few) = (
        map(np.asarray, after_layer(layer, common, r, jnp.asarray(_steps(cell)), SCALE, skip)) for skip in (1.0, 0.0)
    )
    floor, least = (rounding_floor(operations(layer, cell.tokens), after.dtype, size / before) for size in (sizes, few))
    without = np.abs(alone / before - 1)
    return measured(
        change_without=Quantity(without, "step", floor=least, label="the same without a skip"),
        left=Quantity(1 - without, "step", floor=least, label="share of the residual that a layer without a skip leaves"),
        step=Quantity(_steps(cell), "step", label="ε, or 1/√depth"),
        change=Quantity(np.abs(after / before - 1), "step", floor=floor, label="relative change of the residual in a layer"),
    )


@partial(jax.jit, static_argnums=(0, 1, 2))
def _many_layers(width: int, depth: int, early: int, sign: int) -> jax.Array:
    """Residual after each layer with a skip, A = I and W = sign I, from the tokens +-e_i.

    After the early layers it is stopped before it grows beyond 8.
    """
    eye = jnp.eye(width)
    layer = Weights(eye[None], sign * eye[None])

    def step(tokens: jax.Array, number: jax.Array) -> tuple[jax.Array, jax.Array]:
        moved = tokens + attend(tokens, layer, SCALE)
        moved = jnp.where((number < early) | (jnp.linalg.norm(moved) < 8), moved, tokens)
        return moved, jnp.linalg.norm(centred(moved))

    return jax.lax.scan(step, jnp.concatenate([eye, -eye]), jnp.arange(depth))[1]


def _steps(cell: Cell) -> np.ndarray:
    return 2.0 ** (-np.arange(cell.steps) / 2 - 1)
