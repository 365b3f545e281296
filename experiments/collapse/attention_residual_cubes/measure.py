"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.small_residuals import after_layer, cubic_remainders, floats, operations
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The residual after the layer as it is, and after the rescaled layer minus the cubic map, for every eps."""
    common, r, layer = floats(**given)
    remainder, size = map(np.asarray, cubic_remainders(layer, common, r, jnp.asarray(_steps(cell)), _scale(cell)))
    floor = rounding_floor(operations(layer, cell.tokens), remainder.dtype, 4 * _steps(cell) ** 3 * size)
    turned = given | {"value": given["value"].swapaxes(-1, -2)}
    skipped = _residual(cell, given, "residual after one layer with a skip", skip=1.0)
    added = np.abs(skipped.values - _steps(cell) * np.linalg.norm(given["direction"].astype(float)))
    return measured(
        step=Quantity(_steps(cell), "step", label="ε"),
        residual=_residual(cell, given, "residual after one layer"),
        residual_with_skip=skipped,
        added_with_skip=Quantity(
            added, "step", floor=skipped.floor, label="what a layer with a skip changes", unit="Frobenius"
        ),
        residual_of_transposed=_residual(cell, turned, "residual after one layer, values transposed"),
        remainder=Quantity(remainder, "step", floor=floor, label="residual minus its cubic term", unit="Frobenius"),
    )


def _residual(cell: Cell, given: dict[str, np.ndarray], label: str, skip: float = 0.0) -> Quantity:
    """The residual after one layer, to which a skip connection adds this multiple of the tokens."""
    common, r, layer = floats(**given)
    values, sizes = map(np.asarray, after_layer(layer, common, r, jnp.asarray(_steps(cell)), _scale(cell), skip))
    floor = rounding_floor(operations(layer, cell.tokens), values.dtype, sizes)
    return Quantity(values, "step", floor=floor, label=label, unit="Frobenius")


def _scale(cell: Cell) -> float:
    """What the logits are multiplied by."""
    return cell.queries**-0.5


def _steps(cell: Cell) -> np.ndarray:
    return 2.0 ** (-np.arange(cell.steps) / 2 - 1)
