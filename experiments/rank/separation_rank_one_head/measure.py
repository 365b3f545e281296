"""The rank of linearised attention on pairs of random templates, modulo primes and in float64, and its first outputs."""

import jax
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import normal_rank, residue_outputs, residue_rank
from depthjax.verify import Cell, Quantity, measured
from experiments.rank.separation_rank_one_head.common import FLOAT_LAYERS, SHOWN


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes, and in float64; the first outputs."""
    weights = LinearWeights(**given["network"])
    rank, gap = normal_rank(key, weights, cell.templates) if cell.layers <= FLOAT_LAYERS else (0, 0.0)
    ranks = [residue_rank(weights, given["left"], given["right"], prime) for prime in given["primes"]]
    return measured(
        prime=list(given["primes"]),
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
    """The first outputs with queries in place of keys, and keys in place of queries; the rank is the same."""
    weights = LinearWeights(**given["network"])
    return measured(outputs=_first_outputs(weights._replace(query=weights.key, key=weights.query), given))
