"""Tables of next states: every reader checks that they lead to states, in every integer type."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.checks import next_states
from depthjax.constructions import looped_automaton, scan_automaton
from depthjax.scans.tables import prefix_products
from depthjax.tasks.followed import AutomatonWords
from experiments.attention.steps_for_depth.state_writer import state_writer

BAD_TABLES = [
    ([[0, 7], [1, 0]], ValueError, r"table\[0, 1\] = 7 is not a state: every entry is a state, 0 \.\. 1"),
    ([[0, 1], [-1, 0]], ValueError, r"table\[1, 0\] = -1 is not a state"),
    ([[0.0, 1.0], [1.0, 0.0]], TypeError, "must hold integers, got float"),
    ([[True, False], [False, True]], TypeError, "must hold integers, got bool"),
    ([0, 1], ValueError, r"expected \(states, letters\)"),
    ([[]], ValueError, r"expected \(states, letters\)"),
]


@pytest.mark.parametrize(("table", "kind", "said"), BAD_TABLES, ids=range(len(BAD_TABLES)))
def test_what_is_no_table_is_refused_with_the_reason(table, kind, said):
    for wrap in (np.array, jnp.asarray):
        with pytest.raises(kind, match=said):
            next_states("table", wrap(table))


@pytest.mark.parametrize(("table", "kind", "said"), BAD_TABLES[:2], ids=["7", "-1"])
def test_every_reader_of_tables_refuses_tables_that_lead_nowhere(table, kind, said):
    words, plain = jnp.zeros((1, 3), int), np.array(table)
    for read in (
        lambda: prefix_products(plain, words),
        lambda: prefix_products(jnp.asarray(plain), words),
        lambda: scan_automaton(plain, words),
        lambda: scan_automaton(jnp.asarray(plain), words),
        lambda: looped_automaton(plain),
        lambda: state_writer(plain, 3),
        lambda: AutomatonWords(plain),
    ):
        with pytest.raises(kind, match=said):
            read()


def test_tables_of_every_integer_type_are_read_also_under_jit():
    words = jnp.array([[1, 1, 0, 1]])
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64):
        table = np.array([[0, 1], [1, 0]], kind)
        assert prefix_products(table, words).tolist() == scan_automaton(table, words).tolist() == [[1, 0, 0, 1]]
    assert jax.jit(prefix_products)(jnp.array([[0, 1], [1, 0]]), words).tolist() == [[1, 0, 0, 1]]


@pytest.mark.parametrize("state", [-1, 2])
def test_a_first_state_that_is_none_is_refused(state):
    table = np.array([[0, 1], [1, 0]])
    for read in (
        lambda: scan_automaton(table, jnp.zeros((1, 3), int), state=state),
        lambda: looped_automaton(table, state),
        lambda: state_writer(table, 3, state),
    ):
        with pytest.raises(ValueError, match=rf"state {state} is out of range: .* 0 \.\. 1"):
            read()
