"""Ranks modulo a prime of a deep network, of a wide one and of one that is a unit narrower, on pairs of templates."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import residue_rank
from depthjax.verify import Cell, Quantity, measured
from experiments.rank.width_for_depth.common import NETWORKS


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Ranks modulo a prime, and whether they reach the deep network's; ranks by depth at the deep network's width."""
    ranks = np.array([_rank(given[name]) for name in NETWORKS])
    by_depth = [_rank(given[f"depth {layers}"]) for layers in cell.depths]
    return measured(
        network=list(NETWORKS),
        layer=Quantity(list(cell.depths), "layer", label="layers"),
        rank=Quantity(ranks, "network", label="rank modulo a prime"),
        reaches=Quantity((ranks >= ranks[0]).astype(int), "network", label="has the deep network's rank"),
        by_depth=Quantity(by_depth, "layer", label="separation rank of the deep network's width"),
    )


def _rank(found: dict) -> int:
    return residue_rank(LinearWeights(**found["network"]), found["left"], found["right"], found["primes"][0])


def equal_parameters(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether a network of equal parameters, in place of the wide one, reaches the deep network's rank."""
    return measured(equal_reaches=Quantity(int(_rank(given["equal"]) >= _rank(given["deep"]))))
