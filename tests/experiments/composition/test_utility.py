"""The utility of a neuron by brute force, and its largest value."""

import importlib.util
import itertools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.tasks.composition import codes, isotypic_part
from experiments.composition.utility_maximum.utility import largest_utility, quotient_table, utility

_SPEC = importlib.util.spec_from_file_location("groups_by_hand", pathlib.Path(__file__).parents[2] / "groups_by_hand.py")
groups_by_hand = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(groups_by_hand)


def test_utility_is_the_mean_over_words():
    table, _ = groups_by_hand.triangle()
    vectors = np.asarray(codes(jax.random.normal(jax.random.key(0), (6,), jnp.float64), jnp.asarray(table)))
    blocks = np.random.default_rng(0).normal(size=(4, 6))
    total = 0.0
    for word in itertools.product(range(6), repeat=3):
        end = table[table[word[0], word[1]], word[2]]
        total += blocks[3] @ vectors[end] * np.prod([blocks[j] @ vectors[g] for j, g in enumerate(word)])
    found = utility(jnp.asarray(blocks), jnp.asarray(vectors), quotient_table(jnp.asarray(table)))
    assert abs(float(found) - total / 6**3) < 1e-12


def test_the_largest_utility_of_a_real_character():
    """|x^|^(k+1) / |G|^((k+1)/2), and no start passes it."""
    table, irreps = groups_by_hand.triangle()
    part = isotypic_part(np.random.default_rng(2).normal(size=6), *irreps[1])
    vectors = codes(jnp.asarray(part), jnp.asarray(table))[None]
    value, gained = largest_utility(jax.random.key(0), vectors, jnp.asarray(table), 2, starts=4, sweeps=40)
    wide = np.tile(np.arange(9), (9, 1))
    wide[:6, :6] = table
    padded = jnp.pad(vectors, ((0, 0), (0, 3), (0, 3)))
    again, _ = largest_utility(jax.random.key(0), padded, jnp.asarray(wide), 3, starts=4, sweeps=40, order=6)
    once, _ = largest_utility(jax.random.key(1), vectors, jnp.asarray(table), 3, starts=4, sweeps=40)
    assert abs(again[0] - once[0]) < 1e-12
    coefficient = abs((part * irreps[1][1][:, 0, 0]).sum())
    assert abs(value[0] - coefficient**3 / 6**1.5) < 1e-12 and abs(gained[0]) < 1e-12
