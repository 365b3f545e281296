"""The rank of linearised attention with several heads on pairs of random templates, modulo primes."""

import jax
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import residue_outputs, residue_rank
from depthjax.verify import Cell, Quantity, measured

SHOWN = 4  # templates of each half whose outputs are compared


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes, also where all heads are the first; the first outputs."""
    weights, sides = LinearWeights(**given["network"]), (given["left"], given["right"])
    few = residue_outputs(weights, *(side[:SHOWN] for side in sides), given["primes"][0])  # type: ignore[call-arg]
    ranks, equal = (
        [residue_rank(network, *sides, prime) for prime in given["primes"]]
        for network in (weights, LinearWeights(**given["equal"]))
    )
    return measured(
        prime=list(given["primes"]),
        rank=Quantity(ranks, "prime", label="rank modulo a prime"),
        rank_of_equal=Quantity(equal, "prime", label="rank modulo a prime, all heads equal to the first"),
        outputs=Quantity(few, "left right", label="output modulo the first prime"),
    )
