"""Undirected graphs as adjacency matrices: families with a known diameter, all graphs, random trees and random graphs."""

import itertools

import jax
import numpy as np
from jaxtyping import Array, Bool, Key

from depthjax.checks import at_least
from experiments.logic.log_depth_connectivity.common import FAMILIES

__all__ = ["all_graphs", "family", "random_graphs"]

Graph = Bool[np.ndarray, "vertices vertices"]


def family(name: str, vertices: int) -> Graph:
    """Return a member of one of `FAMILIES`.

    The lollipop is a clique whose last vertex carries a tail of half of the vertices, rounded down. The binary tree is a heap.

    Raises:
        ValueError: The family is unknown, or there are fewer than three vertices.
    """
    at_least("vertices", vertices, 3)
    edges = np.zeros((vertices, vertices), bool)
    here = np.arange(1, vertices)
    match name:
        case "path" | "cycle":
            edges[here - 1, here] = True
            edges[-1, 0] = name == "cycle"
        case "lollipop":
            clique = vertices - vertices // 2
            edges[:clique, :clique] = ~np.eye(clique, dtype=bool)
            edges[here - 1, here] = True
        case "star":
            edges[0, 1:] = True
        case "binary tree":
            edges[(here - 1) // 2, here] = True
        case _:
            raise ValueError(f"no family {name!r}: expected one of {', '.join(FAMILIES)}")
    return edges | edges.T


def all_graphs(vertices: int) -> Bool[np.ndarray, "graphs vertices vertices"]:
    """Return all 2^(n (n - 1) / 2) graphs with these vertices."""
    pairs = list(itertools.combinations(range(at_least("vertices", vertices, 1)), 2))
    chosen = np.indices((2,) * len(pairs)).reshape(len(pairs), -1).T.astype(bool)
    edges = np.zeros((len(chosen), vertices, vertices), bool)
    for index, (i, j) in enumerate(pairs):
        edges[:, i, j] = edges[:, j, i] = chosen[:, index]
    return edges


def random_graphs(key: Key[Array, ""], vertices: int, number: int) -> Bool[np.ndarray, "graphs vertices vertices"]:
    """Return random trees, then as many random graphs of 1.2 edges a vertex, where components are large and sparse.

    Half of the trees attach each vertex to any earlier one, half to one of the last three, so that they are long.
    """
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    trees = np.zeros((number, vertices, vertices), bool)
    for index, tree in enumerate(trees):
        for vertex in range(1, vertices):
            tree[vertex, draw.integers(max(vertex - 3, 0) if index % 2 else 0, vertex)] = True
    sparse = np.triu(draw.random((number, vertices, vertices)) < 1.2 / vertices, 1)
    edges = np.concatenate([trees, sparse])
    return edges | edges.transpose(0, 2, 1)
