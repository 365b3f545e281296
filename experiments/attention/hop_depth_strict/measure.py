"""What the claim measures."""

import jax
import xarray as xr

from depthjax.verify import Cell
from experiments.attention._routes import GRIDS as GRIDS
from experiments.attention._routes import Sizes, measurement, poor_words


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, "strict")


def the_mask_not_strict(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The mask not strict."""
    return measurement(cell, key, "strict", mask="causal")


def lookups_too_blunt(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Lookups too blunt."""
    return measurement(cell, key, "strict", sharpness=2.0)


def poor_words(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Poor words."""
    return poor_words(cell, key, "strict")
