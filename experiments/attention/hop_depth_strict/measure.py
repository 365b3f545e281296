"""Wrong positions of the strict route to k hops, after every layer and for every k."""

import jax
import xarray as xr

from depthjax.verify import Cell
from experiments.attention._hop_steps import measurement, on_one_letter


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, "strict")


def one_letter(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Words over one letter, in place of rich ones."""
    return on_one_letter(cell, "strict")
