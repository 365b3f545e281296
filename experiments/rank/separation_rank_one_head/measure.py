"""What the claim measures."""

import jax
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import normal_rank, residue_outputs, residue_rank
from depthjax.verify import Cell, Quantity, measured
from experiments.rank.separation_rank_one_head.common import FLOAT_LAYERS, SHOWN


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes, and in float64; the first outputs."""
    network, left, right, primes = given.values()
    weights = LinearWeights(**vars(network))
    rank, gap = normal_rank(key, weights, cell.templates) if cell.layers <= FLOAT_LAYERS else (0, 0.0)
    ranks = [residue_rank(weights, left, right, prime) for prime in primes]
    return measured(
        prime=list(primes),
        rank=Quantity(ranks, "prime", label="rank modulo a prime"),
        outputs=_first_outputs(weights, given),
        float_rank=Quantity(rank, label="singular values before the widest gap"),
        float_gap=Quantity(gap, label="that gap", unit="decades"),
    )


def _first_outputs(weights: LinearWeights, given: dict) -> Quantity:
    left, right = (given[half][:SHOWN] for half in ("left", "right"))
    return Quantity(
        residue_outputs(weights, left, right, given["primes"][0]), "left right", label="output modulo the first prime"
    )


def exchanged(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Queries in place of keys: the rank is the same, the outputs are not."""
    weights = LinearWeights(**vars(given["network"]))
    return measured(outputs=_first_outputs(weights._replace(query=weights.key, key=weights.query), given))
