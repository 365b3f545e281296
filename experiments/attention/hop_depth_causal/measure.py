"""Wrong positions of the causal route to k hops, after every layer and for every k."""

import jax
import xarray as xr

from depthjax.verify import Cell
from experiments.attention._hop_steps import measurement, on_poor_words


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, "causal")


def lookups_too_blunt(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Lookups of sharpness 2, in place of one at which no input can err."""
    return measurement(cell, key, "causal", sharpness=2.0)


def poor_words(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Words over one letter, and words of `largest` letters, in place of rich ones."""
    return on_poor_words(cell, key, "causal")
