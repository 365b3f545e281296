"""The rank of linearised attention with several heads on pairs of random templates, modulo primes."""

import jax
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import residue_rank
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes."""
    weights = LinearWeights(**given["network"])
    ranks = [residue_rank(weights, given["left"], given["right"], prime) for prime in given["primes"]]
    return measured(prime=list(given["primes"]), rank=Quantity(ranks, "prime", label="rank modulo a prime"))
