"""What the claim measures."""

import jax
import xarray as xr

from depthjax.verify import Cell
from experiments.attention._routes import GRIDS as GRIDS
from experiments.attention._routes import Sizes, measurement, poor_words


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, "causal")


def lookups_too_blunt(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Lookups too blunt."""
    return measurement(cell, key, "causal", sharpness=2.0)


def poor_words(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Poor words."""
    return poor_words(cell, key, "causal")
