import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions import compile_cascade, scan_automaton, walled_walk
from depthjax.constructions.accumulations import last_write, modular_sum, prefix_softmax
from depthjax.scans import table_composition
from depthjax.tasks.words import all_words
from theory.automata import semiautomaton

jax.config.update("jax_enable_x64", True)


def words_of(automaton, batch, length, seed=0):
    return np.random.default_rng(seed).integers(0, automaton.num_letters, (batch, length))


def states_of(automaton, words, state):
    return np.array([automaton.run(word.tolist(), state) for word in words])


@pytest.mark.parametrize("to", ["scan", "recurrence", "attention"])
@pytest.mark.parametrize("name", ["D4", pytest.param("abab", marks=pytest.mark.slow)])
def test_compiled_cascade_gives_the_tables_states(name, to):
    automaton = semiautomaton(name)
    compiled = compile_cascade(automaton.holonomy(), to=to)
    words = words_of(automaton, 3, 130)
    for state in (0, automaton.num_states - 1):
        found = jax.jit(lambda w, q: compiled(w, q))(jnp.asarray(words), jnp.asarray(state))
        assert np.array_equal(found, states_of(automaton, words, state))
    assert compiled.depth == automaton.holonomy().program().depth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_automata_compile(seed):
    rng = np.random.default_rng(seed)
    n = 3 + seed
    cycle, swap, collapse = [(q + 1) % n for q in range(n)], [1, 0, *range(2, n)], [0, *range(n - 1)]
    table = np.array([cycle, swap, collapse]).T if n < 5 else rng.integers(0, n, (n, 3))
    automaton = semiautomaton(table)
    words = words_of(automaton, 4, 60, seed)
    found = compile_cascade(automaton.holonomy(), to="recurrence")(jnp.asarray(words), 1)
    assert np.array_equal(found, states_of(automaton, words, 1))


@pytest.mark.slow
def test_chunks_do_not_change_the_states():
    automaton = semiautomaton("abab")
    compiled = compile_cascade(automaton.holonomy())
    words = words_of(automaton, 2, 45)
    assert np.array_equal(compiled(jnp.asarray(words), chunk=16), states_of(automaton, words, 0))


def test_a_layer_switched_off_is_missed():
    automaton = semiautomaton("Q8")
    compiled = compile_cascade(automaton.holonomy(), to="recurrence")
    words = words_of(automaton, 2, 50)
    states = jax.jit(compiled)
    assert np.array_equal(states(jnp.asarray(words), off=jnp.asarray(-1)), states_of(automaton, words, 0))
    assert (np.asarray(states(jnp.asarray(words), off=jnp.asarray(1))) != states_of(automaton, words, 0)).any()
    assert compiled.layers == ("C2 x C2", "C2")


@pytest.mark.parametrize("to", ["scan", "recurrence", "attention"])
def test_a_long_idle_stretch_does_not_dilute_the_initial_state(to):
    compiled = compile_cascade(semiautomaton("flip_flop").holonomy(), to=to)
    idle = jnp.zeros((1, 10_000), int)
    assert (jax.jit(lambda words: compiled(words, 1, chunk=None if to == "attention" else 100))(idle) == 1).all()


def test_bad_input_is_refused():
    compiled = compile_cascade(semiautomaton("parity").holonomy())
    with pytest.raises(ValueError, match="letter 2 is out of range"):
        compiled(jnp.array([0, 2]))
    with pytest.raises(ValueError, match="state 2 is out of range"):
        compiled(jnp.array([0, 1]), 2)
    with pytest.raises(ValueError, match="length must be at least 1"):
        compiled(jnp.zeros((0,), int))
    with pytest.raises(ValueError, match="'scan', 'recurrence', 'attention'"):
        compile_cascade(semiautomaton("parity").holonomy(), to="wheel")
    with pytest.raises(ValueError, match="perfect subgroup has order 60"):
        compile_cascade(semiautomaton("S5").holonomy())


def test_one_state_never_moves():
    assert compile_cascade(semiautomaton("C1").holonomy())(jnp.array([0, 1, 0])).tolist() == [0, 0, 0]


def test_prefix_softmax_is_dense_attention():
    scores = jax.random.normal(jax.random.key(0), (50,))
    values = jax.random.normal(jax.random.key(1), (50, 3))
    logits = jnp.where(jnp.tril(jnp.ones((50, 50), bool)), scores[None, :], -jnp.inf)
    assert np.allclose(prefix_softmax(scores, values, block=16), jax.nn.softmax(logits, axis=1) @ values, atol=1e-12)


@pytest.mark.parametrize("to", ["recurrence", "attention"])
def test_accumulations_agree_with_the_scan(to):
    rng = np.random.default_rng(0)
    moduli = np.array([2, 5])
    steps = jnp.asarray(rng.integers(0, moduli, (40, 2)), jnp.int32)
    start = jnp.array([1, 3], jnp.int32)
    assert np.array_equal(modular_sum(moduli, to).before(start, steps), modular_sum(moduli).before(start, steps))
    rows = jnp.asarray(rng.integers(0, 9, (40, 2)), jnp.int32).at[:, 0].set(jnp.asarray(rng.random(40) < 0.2, jnp.int32))
    rows = rows * rows[:, :1]
    first = jnp.array([1, 7], jnp.int32)
    assert np.array_equal(last_write(9, to).before(first, rows), last_write(9).before(first, rows))


def test_table_composition_is_the_word_map():
    tables = np.random.default_rng(0).integers(0, 5, (20, 5))
    found, state = np.asarray(table_composition(jnp.asarray(tables))), np.arange(5)
    for t, table in enumerate(tables):
        state = table[state]
        assert np.array_equal(found[t], state)


def test_doubling_needs_every_layer():
    automaton = semiautomaton("S5")
    words = words_of(automaton, 4, 128)
    expected = states_of(automaton, words, 2)
    assert np.array_equal(scan_automaton(automaton.table, jnp.asarray(words), state=2), expected)
    fewer = np.asarray(scan_automaton(automaton.table, jnp.asarray(words), layers=6, state=2))
    assert np.array_equal(fewer[:, :64], expected[:, :64]) and (fewer != expected).any()


@pytest.mark.parametrize("cells", [1, 2, 4])
def test_walled_walk_on_every_word(cells):
    automaton, words = semiautomaton(f"gridworld{cells}"), all_words(3, 5)
    for state in range(cells):
        expected = states_of(automaton, np.asarray(words), state)
        assert np.array_equal(walled_walk(words, cells, state=state), expected)
        if cells > 1:
            assert (np.asarray(walled_walk(words, cells, state=state, layers=1)) != expected).any()
    with pytest.raises(ValueError, match="layers must be 1 or 2"):
        walled_walk(words, cells, layers=3)
