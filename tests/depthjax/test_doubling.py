"""Doubling by attention against scans and searches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.constructions.doubling import chase_pointers, cycle_labels, doubling_depth, look_up, prefix_products, reachable

# left zeros, a reset semigroup; Z3; a semigroup without identity: multiplication of 2 x 2 matrix units and zero
LEFT_ZERO = np.arange(3)[:, None] + np.zeros((3, 3), int)
CYCLIC = np.add.outer(np.arange(3), np.arange(3)) % 3
UNITS = np.full((5, 5), 4)
for a, b, c in np.ndindex(2, 2, 2):
    UNITS[2 * a + b, 2 * b + c] = 2 * a + c


@pytest.mark.parametrize("table", [LEFT_ZERO, CYCLIC, UNITS], ids=["left zero", "cyclic", "matrix units"])
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_prefix_products_of_any_semigroup(table, data):
    word = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=21, max_size=21))
    expected = [word[0]]
    for letter in word[1:]:
        expected.append(int(table[expected[-1], letter]))
    assert prefix_products(jnp.asarray(table), jnp.array(word)).tolist() == expected


def test_a_layer_fewer_forgets_the_first_letter():
    word = jnp.zeros(17, int).at[0].set(1)
    table = jnp.asarray(CYCLIC)
    assert prefix_products(table, word)[-1] == 1
    assert prefix_products(table, word, doubling_depth(17) - 1)[-1] == 0


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
