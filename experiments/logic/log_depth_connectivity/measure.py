"""Layers of squaring until the relation of a graph is that of its components."""

from collections.abc import Callable

import jax
import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components, shortest_path

from depthjax.constructions.doubling.pointers import joined, joined_by_bits
from depthjax.verify import Cell, Quantity, measured
from experiments.logic.log_depth_connectivity.common import ALL, BITS, FAMILIES
from experiments.logic.log_depth_connectivity.graphs import all_graphs, family, random_graphs


def measure(cell: Cell, key: jax.Array, doubling: bool = True) -> xr.Dataset:
    """Diameters of the families; layers until nothing is missing: of each, of the worst of all graphs, of bits on a path.

    Args:
        cell: The number of vertices.
        key: Of the random graphs.
        doubling: False: layers read the edges of the graph, not what they know by then.
    """
    n = cell.vertices
    families = np.stack([family(name, n) for name in FAMILIES])
    random = random_graphs(key, n, cell.graphs)
    padded = np.pad(np.concatenate([families, random]), ((0, 0), (0, -n % 64), (0, -n % 64)))  # cells share their programs
    rounds = _layers(padded, _square, doubling)
    every = _layers(all_graphs(n), _square, doubling) if n <= ALL else rounds
    bits = _layers(families[:1], _square_by_bits, doubling, (n, n, n))[0] if n <= BITS else np.nan
    return measured(
        diameter=Quantity([_diameter(graph) for graph in families], "family", label="largest distance within a component"),
        rounds=Quantity(rounds[: len(FAMILIES)], "family", label="layers that settle each family"),
        worst=Quantity(max(rounds.max(), every.max()), label="layers that settle the worst of all graphs"),
        bit_layers=Quantity(bits, floor=0.0, label="layers that settle the path with one bit a token"),
    )


def _diameter(edges: np.ndarray) -> int:
    """The largest distance of two vertices of one component, by a search in breadth from every vertex."""
    distances = shortest_path(edges, directed=False, unweighted=True)
    return int(distances[np.isfinite(distances)].max())


_square = jax.jit(jax.vmap(lambda known, scratch, read: (joined(known, read), scratch)))
_square_by_bits = jax.jit(jax.vmap(joined_by_bits))


def _layers(edges: np.ndarray, layer: Callable, doubling: bool, scratch: tuple[int, ...] = ()) -> np.ndarray:
    """How many layers each graph needs until its relation is that of its components; one more than were tried if none do."""
    labels = [connected_components(graph, directed=False)[1] for graph in edges]
    components = np.stack([label[:, None] == label[None, :] for label in labels])
    known = first = edges | np.eye(edges.shape[1], dtype=bool)
    others, needed = np.zeros((len(edges), *scratch), bool), np.zeros(len(edges), int)
    unsettled = (known != components).any(axis=(1, 2))
    for _ in range(2 * edges.shape[1].bit_length()):
        if not unsettled.any():
            break
        needed += unsettled
        known, others = layer(known, others, known if doubling else first)
        unsettled = (np.asarray(known) != components).any(axis=(1, 2))
    return needed + unsettled


def no_doubling(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Layers that read the edges of the graph, in place of what they know by then."""
    return measure(cell, key, doubling=False)
