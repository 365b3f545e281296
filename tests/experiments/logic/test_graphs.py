"""Graphs of the claim about connectivity: what they are, their diameters, and what one bit a token squares."""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.constructions.doubling.pointers import joined_by_bits, reachable
from experiments.logic.log_depth_connectivity.common import FAMILIES
from experiments.logic.log_depth_connectivity.graphs import all_graphs, family, random_graphs
from theory.logic.log_depth import diameter


def test_diameters_are_the_largest_distances():
    """The twin takes powers of the adjacency matrix, one edge at a time."""
    for name in FAMILIES:
        for vertices in range(3, 20):
            edges = family(name, vertices) | np.eye(vertices, dtype=bool)
            reached, steps = np.eye(vertices, dtype=bool), 0
            while not reached.all():
                reached, steps = reached @ edges, steps + 1
            assert diameter(name, vertices) == steps, (name, vertices)


def test_all_graphs_and_random_graphs_are_undirected_without_loops():
    every = all_graphs(4)
    assert len(np.unique(every.reshape(64, -1), axis=0)) == 64
    for graphs in (every, random_graphs(jax.random.key(0), 12, 3)):
        assert (graphs == graphs.transpose(0, 2, 1)).all() and not graphs[:, np.arange(4), np.arange(4)].any()
    trees = random_graphs(jax.random.key(1), 12, 3)[:3]
    assert (trees.sum(axis=(1, 2)) == 22).all()


def test_two_layers_with_one_bit_a_token_square_once():
    for edges in random_graphs(jax.random.key(2), 5, 2):
        pairs, triples = jnp.asarray(edges | np.eye(5, dtype=bool)), jnp.zeros((5, 5, 5), bool)
        for layers in range(1, 5):
            pairs, triples = joined_by_bits(pairs, triples, pairs)
            assert (pairs == reachable(jnp.asarray(edges), layers // 2)).all()
