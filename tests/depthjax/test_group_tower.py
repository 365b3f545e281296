"""The tower of a group as a cascade of phases, signs or integers, against products in the Cayley table."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.towers.group import AbelianTable, group_tower, tower_numbers, tower_start
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, uniform_words
from theory.groups import group


def tables(name):
    return [AbelianTable(np.array(s.moduli), s.increments) for s in group(name).tower.stages]


def run(stages, words, dtype, **options):
    start = tower_start(stages, len(words), dtype)
    return jax.jit(lambda letters: group_tower(stages, dtype).run(letters, start, **options))(words.T)


@pytest.mark.parametrize("name", ["C12", "S4", "H3_3"])
@pytest.mark.parametrize(("dtype", "chunk"), [(jnp.int32, None), (jnp.complex64, None), (jnp.complex128, 7)])
def test_states_of_every_type_track_the_product(name, dtype, chunk):
    g, stages = group(name), tables(name)
    words = uniform_words(jax.random.key(0), g.order, 3, 50)
    states = run(stages, words, dtype, chunk=chunk, stream=True)
    assert all(state.dtype == dtype for state in states)
    tracked = g.tower.elements[np.asarray(tower_numbers(stages, states)).T]
    assert (tracked == np.asarray(prefix_products(jnp.asarray(g.table), words))).all()


@pytest.mark.parametrize("name", ["D4", "Q8", "C2xC2"])
def test_signs_suffice_where_every_factor_has_order_two(name):
    g, stages = group(name), tables(name)
    words = uniform_words(jax.random.key(1), g.order, 2, 40)
    states = run(stages, words, jnp.float32)
    assert all((jnp.abs(state) == 1).all() for state in states)
    tracked = g.tower.elements[np.asarray(tower_numbers(stages, states))]
    assert (tracked == np.asarray(prefix_products(jnp.asarray(g.table), words))[:, -1]).all()


def test_phases_have_modulus_one():
    stages = tables("S4")
    words = uniform_words(jax.random.key(2), 24, 2, 500)
    states = run(stages, words, jnp.complex128)
    assert all(np.allclose(np.abs(state), 1, atol=1e-12) for state in states)


def test_signs_are_refused_for_other_orders():
    with pytest.raises(ValueError, match="only order 2"):
        group_tower(tables("S3"), jnp.float32)


def test_a_table_must_fit_its_moduli():
    with pytest.raises(ValueError, match="cyclic factors"):
        group_tower([AbelianTable(np.array([2, 2]), np.zeros((1, 4, 1), int))])


def test_iterated_commutators_die_in_a_solvable_group_only():
    for name, alive in (("S4", [True, True, True, False]), ("A5", [True] * 4)):
        table = jnp.asarray(group(name).table)
        values = iterated_commutators(jax.random.key(0), table, len(table), 2000, 4)
        assert [bool((v != 0).any()) for v in values] == alive
