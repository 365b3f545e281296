"""Ranks modulo a prime of a deep network, of a wide one and of one that is a unit narrower; degrees of small networks."""

import math

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.separation import LinearWeights
from depthjax.instruments.template_rank import residue_outputs, residue_rank
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.rank.width_for_depth.common import NETWORKS, WIDTHS


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Ranks modulo a prime, and whether they reach the deep network's; ranks by depth and the turn by width."""
    ranks = np.array([_rank(given[name]) for name in NETWORKS])
    by_depth = [_rank(given[f"depth {layers}"]) for layers in cell.depths]
    turns = np.array([_turn(given[f"width {width}"]) for width in WIDTHS])
    return measured(
        network=list(NETWORKS),
        tried=Quantity(list(WIDTHS), "tried", label="width"),
        layer=Quantity(list(cell.depths), "layer", label="layers"),
        rank=Quantity(ranks, "network", label="rank modulo a prime"),
        reaches=Quantity((ranks >= ranks[0]).astype(int), "network", label="has the deep network's rank"),
        by_depth=Quantity(by_depth, "layer", label="separation rank of the deep network's width"),
        turn=Quantity(turns, "tried", floor=rounding_floor(8, turns.dtype, turns), label="depth at which width begins to pay"),
    )


def _rank(found: dict) -> int:
    return residue_rank(LinearWeights(**found["network"]), found["left"], found["right"], found["primes"][0])


def _turn(found: dict) -> float:
    """The depth at which the degree in the token sums, which grows by one factor a layer, equals the number of variables."""
    layers, prime = len(found["network"]["query"]), found["primes"][0]
    # the sums are symmetric matrices, and the output is linear in one token beside them: it has degree 2 n + 1 in the tokens
    sums = np.einsum("tja,tjb->tab", *[found["left"] / prime] * 2).reshape(len(found["left"]), -1)
    variables = int(np.linalg.matrix_rank(sums))
    return layers * math.log(2 * variables + 1) / math.log(_degree(found, prime))


def _degree(found: dict, prime: int) -> int:
    """The degree of the output in the tokens: the power of two by which it grows where all tokens are doubled."""
    once, twice = (
        int(residue_outputs(LinearWeights(**found["network"]), times * found["left"], times * found["right"], prime)[0, 0])
        for times in (1, 2)
    )
    return next(degree for degree in range(1, prime) if pow(2, degree, prime) * once % prime == twice)


def equal_parameters(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether a network of equal parameters, in place of the wide one, reaches the deep network's rank; both ranks."""
    ranks = [_rank(given[name]) for name in ("equal", "deep")]
    return measured(
        equal_reaches=Quantity(int(ranks[0] >= ranks[1])),
        compared=Quantity(ranks, "of", label="rank modulo a prime, of equal parameters and of the deep network"),
    )
