"""Doubling by attention against scans and searches."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.attention.lookup import look_up
from depthjax.constructions.doubling import chase_pointers, cycle_labels, doubling_depth, reachable


def test_lookups_are_exact():
    values = jax.random.randint(jax.random.key(0), (300, 2), 0, 4096)
    targets = jax.random.randint(jax.random.key(1), (300,), 0, 300)
    assert (look_up(targets, values) == values[targets]).all()


def test_pointers_and_labels():
    successor = np.array([3, 4, 0, 2, 1, 5])
    eight = np.arange(6)
    for _ in range(8):
        eight = successor[eight]
    assert chase_pointers(jnp.asarray(successor), 3).tolist() == eight.tolist()
    assert cycle_labels(jnp.asarray(successor), doubling_depth(6)).tolist() == [0, 1, 0, 0, 1, 5]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_squaring_finds_all_paths(seed):
    edges = np.random.default_rng(seed).random((9, 9)) < 0.12
    expected = np.linalg.matrix_power(edges.astype(int) + np.eye(9, dtype=int), 9) > 0
    assert (np.asarray(reachable(jnp.asarray(edges), 4)) == expected).all()
