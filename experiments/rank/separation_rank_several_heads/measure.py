"""What the claim measures."""

import jax
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import residue_rank
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes."""
    network, left, right, primes = given.values()
    ranks = [residue_rank(LinearWeights(**vars(network)), left, right, prime) for prime in primes]
    return measured(prime=list(primes), rank=Quantity(ranks, "prime", label="rank modulo a prime"))
