"""What the claim measures."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.collapse import Tokens, Weights, collapse, masked_collapse
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.collapse.causal_collapse_halves.common import MOST, SCALE, padded, scaled_start


def measure(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Masked softmax attention, the distance to token 1 rescaled in every layer."""
    return _measured(cell, key, given)


def _measured(cell: Cell, key: jax.Array, given: dict[str, np.ndarray], mask: str = "", stretch: float = 1.0) -> xr.Dataset:
    """The same under another mask, or with values that stretch."""
    end, factor = map(
        np.asarray, jax.tree.leaves(masked_collapse(*_drawn(cell, key, given, stretch), SCALE, mask or cell.mask))[1:4:2]
    )
    lengths = padded(np.linalg.norm(end, axis=1))
    # factors are quotients of numbers of order one; under the window a direction carries its roundings along
    floor = rounding_floor(10 * cell.tokens * cell.width * cell.tokens, factor.dtype, float(cell.tokens))
    at = 2 ** np.arange(3, int(np.log2(cell.layers)) + 1)
    return measured(
        layer=np.arange(1, cell.early + 1),
        token=np.arange(1, MOST + 1),
        step=Quantity(1.0 / at, "step", label="1/layer"),
        factor=Quantity(factor[: cell.early], "layer", floor=floor, label="distance to token 1, after / before"),
        excess=Quantity(factor[at - 1] - 0.5, "step", floor=floor * np.sqrt(at), label="factor of a layer minus 1/2"),
        layers_run=Quantity(factor.size, label="layers behind the last factor"),
        last_factor=Quantity(factor[-1], floor=floor, label="factor of the last layer"),
        profile=Quantity(lengths, "token", floor=floor, label="distance to token 1, normalised"),
    )


def _drawn(cell: Cell, key: jax.Array, given: dict[str, np.ndarray], stretch: float) -> tuple[Weights, Tokens]:
    """Every layer's weights, and the tokens as their distances to token 1."""
    start = jnp.asarray(scaled_start(given["profile"], cell.start))
    size = jnp.linalg.norm(start)
    common = jnp.asarray(given["offset"].astype(float))
    return _weights(key, jnp.asarray(stretch), cell.layers, cell.width), Tokens(common, start / size, jnp.log(size))


@partial(jax.jit, static_argnums=(2, 3))
def _weights(key: jax.Array, stretch: jax.Array, layers: int, width: int) -> Weights:
    """Values that are reflections; query-key matrices between two reflections, with singular values up to 1."""
    normal = jax.random.normal(key, (3, layers, 1, width))
    normal = normal / jnp.linalg.norm(normal, axis=-1, keepdims=True)
    left, right, value = jnp.eye(width)[None, None, None] - 2 * normal[..., :, None] * normal[..., None, :]
    singular = jax.random.uniform(jax.random.fold_in(key, 1), (layers, 1, 1, width))
    return Weights(jnp.matmul(left * singular, right), stretch * value)


def without_mask(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The factor of the last of four layers of attention without a mask, whose weights are identities; all four residuals."""
    state = _drawn(cell.replace(layers=4), key, given, 1.0)[1]
    identities = jnp.broadcast_to(jnp.eye(cell.width), (4, 1, cell.width, cell.width))
    mean = state.direction.mean(axis=0)
    start = state._replace(common=state.common + jnp.exp(state.log_size) * mean, direction=state.direction - mean[None])
    logs = np.asarray(collapse(Weights(identities, identities), start, SCALE)[1].log_frobenius)
    floor = rounding_floor(10 * cell.tokens * cell.width, logs.dtype, float(np.abs(logs[-1])))
    last = Quantity(np.exp(logs[-1] - logs[-2]), floor=floor)
    return measured(last_factor=last, decay=Quantity(-logs, "cubed", floor=floor, label="-log(residual) by layer"))


def other_mask(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The factors under the other of the two masks."""
    return _measured(cell, key, given, mask="window" if cell.mask == "causal" else "causal")


def w_v_not_orthogonal(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The factors where values stretch by 9/8."""
    return _measured(cell, key, given, stretch=9 / 8)
