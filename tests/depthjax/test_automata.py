import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.attention.prefix import prefix_softmax
from depthjax.constructions import compile_cascade, scan_automaton, walled_walk
from depthjax.constructions.doubling.automaton import states_by_layer
from depthjax.scans.counters import last_write, modular_sum
from depthjax.tasks.words import all_words
from theory.automata import semiautomaton


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
    run = jax.jit(compiled)
    for state in (0, automaton.num_states - 1):
        assert np.array_equal(run(words, jnp.asarray(state)), states_of(automaton, words, state))
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
    run = jax.jit(compile_cascade(automaton.holonomy(), to="recurrence"))
    assert np.array_equal(run(words, jnp.asarray(1)), states_of(automaton, words, 1))


@pytest.mark.slow
def test_chunks_do_not_change_the_states():
    automaton = semiautomaton("abab")
    compiled = compile_cascade(automaton.holonomy())
    words = words_of(automaton, 2, 45)
    assert np.array_equal(jax.jit(lambda words: compiled(words, chunk=16))(words), states_of(automaton, words, 0))


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
    with pytest.raises(ValueError, match="2 is out of range"):
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
    raised = np.tril(np.exp(np.asarray(scores))[None, :].repeat(50, axis=0))
    expected = raised @ np.asarray(values) / raised.sum(axis=1, keepdims=True)
    assert np.allclose(jax.jit(lambda s, v: prefix_softmax(s, v, block=16))(scores, values), expected, atol=1e-12)


@pytest.mark.parametrize("to", ["recurrence", "attention"])
def test_accumulations_agree_with_the_scan(to):
    rng = np.random.default_rng(0)
    moduli = np.array([2, 5])
    steps = rng.integers(0, moduli, (40, 2)).astype(np.int32)
    rows = (rng.integers(0, 9, (40, 2)) * (rng.random(40) < 0.2)[:, None]).astype(np.int32)
    rows[:, 0] = np.minimum(rows[:, 0], 1)
    start, first = np.array([1, 3], np.int32), np.array([1, 7], np.int32)

    @jax.jit
    def both(start, steps, first, rows):
        sums = [modular_sum(moduli, route).before(start, steps) for route in (to, "scan")]
        return sums, [last_write(9, route).before(first, rows) for route in (to, "scan")]

    for found, expected in both(start, steps, first, rows):
        assert np.array_equal(found, expected)


def test_doubling_needs_every_layer():
    automaton = semiautomaton("S5")
    words = words_of(automaton, 4, 128)
    expected = states_of(automaton, words, 2)

    @jax.jit
    def both(words):
        return [scan_automaton(automaton.table, words, layers=layers, state=2) for layers in (7, 6)]

    full, fewer = map(np.asarray, both(words))
    assert np.array_equal(full, expected)
    assert np.array_equal(fewer[:, :64], expected[:, :64]) and (fewer != expected).any()


@pytest.mark.parametrize("cells", [1, 2, 4])
def test_walled_walk_on_every_word(cells):
    automaton, words = semiautomaton(f"gridworld{cells}"), np.asarray(all_words(3, 5))

    @jax.jit
    def by_layers(words, state):
        return [walled_walk(words, cells, state=state, layers=layers) for layers in (1, 2)]

    for state in range(cells):
        expected = states_of(automaton, words, state)
        one, two = map(np.asarray, by_layers(words, jnp.asarray(state)))
        assert np.array_equal(two, expected)
        assert cells == 1 or (one != expected).any()
    with pytest.raises(ValueError, match="layers must be 1 or 2"):
        walled_walk(jnp.asarray(words), cells, layers=3)


def test_every_layer_of_the_doubling_answers():
    automaton = semiautomaton("D4")
    words = words_of(automaton, 3, 9)
    after = np.asarray(jax.jit(lambda words: states_by_layer(automaton.table, words))(jnp.asarray(words)))
    assert after.shape == (5, 3, 9)
    for layer, states in enumerate(after):  # position t knows the last 2^layer letters
        for t in range(9):
            known = words[:, max(0, t + 1 - 2**layer) : t + 1]
            assert np.array_equal(states[:, t], states_of(automaton, known, 0)[:, -1])
    with pytest.raises(ValueError, match="length 5001 exceeds the limit 4096 of float32"):
        states_by_layer(automaton.table, jnp.zeros((1, 5000), int))
