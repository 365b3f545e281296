"""Every construction runs what it says it runs: automata, groups, graphs and cascades, and each of its layers is needed."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.attention.lookup import look_up
from depthjax.attention.prefix import prefix_softmax
from depthjax.constructions import compile_cascade, looped_automaton, scan_automaton, walled_walk
from depthjax.constructions.doubling.automaton import states_by_layer
from depthjax.constructions.doubling.looped import reach
from depthjax.constructions.doubling.pointers import chase_pointers, cycle_labels, doubling_depth, reachable
from depthjax.constructions.towers.group import AbelianTable, group_tower, tower_numbers, tower_start
from depthjax.constructions.towers.recorder import letter_counter, recorded_words, recorder_start, word_recorder
from depthjax.scans.cascade import ADDITION, ScanCascade, Stage, folding
from depthjax.scans.counters import ROUTES, modular_sum
from depthjax.tasks.words import all_words
from depthjax.testing import traced_at_most
from tests import by_hand
from theory.automata import semiautomaton
from theory.groups import group

# automata: every construction that runs one, from its last state, on all words of five letters and what follows them

LONG = 40
AUTOMATA = {name: semiautomaton(name) for name in ("C1", "parity", "flip_flop", "C5", "D4", "gridworld4", "dyck2")}
AUTOMATA["a cycle, a swap and a reset"] = semiautomaton(np.array([[1, 1, 0], [2, 0, 0], [0, 2, 1]]))


def looped(automaton, words, state):
    return looped_automaton(automaton.table, state).states(words, doubling_depth(words.shape[1]))[-1]


CONSTRUCTIONS: dict[str, Callable[..., Callable]] = {
    "doubling": lambda automaton: lambda words, state: scan_automaton(automaton.table, words, state=state),
    "a loop": lambda automaton: partial(looped, automaton),
    **{f"a cascade by {to}": partial(lambda to, automaton: compile_cascade(automaton.holonomy(), to=to), to) for to in ROUTES},
    "a walk": lambda automaton: lambda words, state: walled_walk(words, automaton.num_states, state=state),
}
CELLS = [(name, by) for name in AUTOMATA for by in CONSTRUCTIONS if by != "a walk" or name == "gridworld4"]


def words_over(letters, length):
    """All words of five letters, each of which goes on at random; what reads a word has read its prefixes."""
    every = np.asarray(all_words(letters, 5))
    return np.concatenate([every, np.random.default_rng(0).integers(0, letters, (len(every), length - 5))], axis=1)


@pytest.mark.parametrize(("name", "by"), CELLS)
def test_every_construction_of_an_automaton_is_the_automaton(name, by):
    automaton, fixed = AUTOMATA[name], by in ("doubling", "a loop")  # their first state is part of the weights
    words, construction = words_over(automaton.num_letters, 12 if by == "a loop" else LONG), CONSTRUCTIONS[by](automaton)
    run = jax.jit(construction, static_argnums=1 if fixed else ())
    for state in sorted({0, automaton.num_states - 1}):
        found = run(jnp.asarray(words), state if fixed else jnp.asarray(state))
        np.testing.assert_array_equal(found, [by_hand.states(word, automaton.table, state) for word in words.tolist()])
    if "cascade" in by:
        assert construction.depth == automaton.holonomy().program().depth == len(construction.layers)


LARGE = {
    "abab": "abab",
    "four states": np.array([[1, 2, 3, 0], [1, 0, 2, 3], [0, 0, 1, 2]]).T,
    "a random table": np.random.default_rng(2).integers(0, 5, (5, 3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("to", ROUTES)
@pytest.mark.parametrize("name", LARGE)
def test_cascades_of_large_automata(name, to):
    automaton = semiautomaton(LARGE[name])
    compiled, words = compile_cascade(automaton.holonomy(), to=to), words_over(automaton.num_letters, 130)
    for state, chunk in ((0, None), (automaton.num_states - 1, 16)):
        truth = [by_hand.states(word, automaton.table, state) for word in words.tolist()]
        np.testing.assert_array_equal(jax.jit(partial(compiled, chunk=chunk))(words, jnp.asarray(state)), truth)


# layers: with as many as are promised nothing errs, and each of them is needed


@pytest.mark.parametrize("by", ["doubling", "a loop"])
@pytest.mark.parametrize("name", ["D4", "a cycle, a swap and a reset"])
def test_a_layer_doubles_what_a_position_knows(name, by):
    table = AUTOMATA[name].table
    words = np.random.default_rng(0).integers(0, table.shape[1], (20, 9))
    read = {"doubling": partial(states_by_layer, table), "a loop": lambda words: looped_automaton(table).states(words, 4)}[by]
    after = np.asarray(jax.jit(read)(jnp.asarray(words)))
    assert after.shape == (5, 20, 9) and doubling_depth(9) == 4
    for layer, found in enumerate(after):  # position t knows the last 2^layer letters
        known = [[by_hand.states(w[max(0, t + 1 - 2**layer) : t + 1], table)[-1] for t in range(9)] for w in words.tolist()]
        np.testing.assert_array_equal(found, known)
    assert (after[3] != after[4]).any()


def test_sym5_needs_seven_layers_at_128():
    """Two words that differ in their first letter alone: six layers see the last 64 letters and answer alike."""
    table = semiautomaton("S5").table
    words = np.concatenate([np.ones((2, 128), int), np.random.default_rng(0).integers(0, 2, (4, 128))])
    words[0, 0] = 0
    truth = np.array([by_hand.states(word, table, 2) for word in words])  # the cycle moves 2, and the swap does not
    full, six = map(np.asarray, jax.jit(lambda w: [scan_automaton(table, w, layers=k, state=2) for k in (7, 6)])(words))
    assert truth[0, -1] != truth[1, -1] and np.array_equal(full, truth)
    assert six[0, -1] == six[1, -1] and np.array_equal(six[:, :64], truth[:, :64]) and (six != truth).any()


@pytest.mark.parametrize("name", ["Q8", "a cycle, a swap and a reset"])
def test_a_layer_of_a_cascade_that_is_switched_off_is_missed(name):
    automaton = AUTOMATA.get(name) or semiautomaton(name)
    compiled = compile_cascade(automaton.holonomy(), to="recurrence")
    words = words_over(automaton.num_letters, 12)
    run, truth = jax.jit(compiled), np.array([by_hand.states(word, automaton.table) for word in words.tolist()])
    for off in range(-1, compiled.depth):
        assert (np.asarray(run(words, off=jnp.asarray(off))) == truth).all() == (off == -1)
    assert compiled.layers == ("C2 x C2", "C2") or name != "Q8"


@pytest.mark.parametrize("cells", [1, 2, 4])
def test_a_walk_needs_both_layers_from_every_cell(cells):
    words = np.asarray(all_words(3, 5))
    run = jax.jit(lambda words, state: [walled_walk(words, cells, state=state, layers=layers) for layers in (1, 2)])
    for state in range(cells):
        truth = [by_hand.states(word, semiautomaton(f"gridworld{cells}").table, state) for word in words.tolist()]
        one, two = map(np.asarray, run(words, jnp.asarray(state)))
        assert np.array_equal(two, truth) and (cells == 1 or (one != truth).any())


@pytest.mark.parametrize("to", ROUTES)
def test_a_long_idle_stretch_does_not_dilute_the_initial_state(to):
    compiled = compile_cascade(semiautomaton("flip_flop").holonomy(), to=to)
    idle = jnp.zeros((1, 10_000), int)
    assert (jax.jit(lambda words: compiled(words, 1, chunk=None if to == "attention" else 100))(idle) == 1).all()


def test_prefix_softmax_is_dense_attention():
    scores, values = jax.random.normal(jax.random.key(0), (50,)), jax.random.normal(jax.random.key(1), (50, 3))
    raised = np.tril(np.exp(np.asarray(scores))[None, :].repeat(50, axis=0))
    expected = raised @ np.asarray(values) / raised.sum(axis=1, keepdims=True)
    assert np.allclose(jax.jit(lambda s, v: prefix_softmax(s, v, block=16))(scores, values), expected, atol=1e-12)


def test_doubling_evaluates_the_whole_softmax():
    """The layers with dense attention over all positions, and maps composed by indexing."""
    table = AUTOMATA["D4"].table
    words = np.random.default_rng(0).integers(0, 2, (3, 21))
    found = np.asarray(jax.jit(lambda w: scan_automaton(table, w, layers=5))(jnp.asarray(words)))
    for word, states in zip(words, found, strict=True):
        maps = np.stack([np.eye(4), *(np.eye(4)[table[:, letter]] for letter in word)])
        position = np.arange(len(maps))
        for layer in range(5):
            target = np.maximum(position - 2**layer, 0)
            scores = 4.0 * (2 * target[:, None] * position[None, :] - position[None, :] ** 2)
            scores = np.where(position[None, :] <= position[:, None], scores, -np.inf)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            read = np.einsum("tp,pqa->tqa", weights / weights.sum(axis=1, keepdims=True), maps)
            maps = np.einsum("tqa,tac->tqc", np.clip(2 * read - 0.5, 0, 1), maps)
        assert np.array_equal(states, maps[1:, 0].argmax(axis=1))


# pointers and graphs: r layers know 2^r steps


def test_lookups_are_exact():
    values = jax.random.randint(jax.random.key(0), (300, 2), 0, 4096)
    targets = jax.random.randint(jax.random.key(1), (300,), 0, 300)
    assert (look_up(targets, values) == values[targets]).all()


def test_every_map_of_four_points_is_followed_by_its_layers():
    maps = np.array(list(itertools.product(range(4), repeat=4)))
    run = jax.jit(
        lambda maps, layers: [jax.vmap(lambda one, f=f: f(one, layers))(maps) for f in (chase_pointers, cycle_labels)]
    )
    for layers in range(4):
        ways = np.broadcast_to(np.arange(4), maps.shape)[None]
        for _ in range(2**layers):
            ways = np.concatenate([ways, np.take_along_axis(maps, ways[-1], axis=1)[None]])
        chased, labels = run(jnp.asarray(maps), jnp.asarray(layers))
        np.testing.assert_array_equal(chased, ways[-1])
        np.testing.assert_array_equal(labels, ways[:-1].min(axis=0))
    assert cycle_labels(jnp.array([3, 4, 0, 2, 1, 5]), doubling_depth(6)).tolist() == [0, 1, 0, 0, 1, 5]


@pytest.mark.parametrize("layers", range(5))
def test_squaring_finds_all_paths_of_its_length(layers):
    draw = np.random.default_rng(layers)
    run = jax.jit(partial(reachable, layers=layers))
    for density in np.linspace(0.05, 0.2, 10):
        edges = draw.random((9, 9)) < density
        expected = np.linalg.matrix_power(edges.astype(int) + np.eye(9, dtype=int), 2**layers) > 0
        np.testing.assert_array_equal(run(jnp.asarray(edges)), expected)


# groups: the tower of each, in every type that holds its factors


def tables(name):
    return [AbelianTable(np.array(s.moduli), s.increments) for s in group(name).tower.stages]


TYPES = [(jnp.int32, None), (jnp.complex64, None), (jnp.complex128, 7)]
TOWERS = [(name, *kind) for name in ("C12", "S4", "H3_3") for kind in TYPES]
TOWERS += [(name, jnp.float32, chunk) for name, chunk in (("D4", None), ("Q8", 7), ("C2xC2", None))]  # signs, of order two


@pytest.mark.parametrize(("name", "dtype", "chunk"), TOWERS)
def test_the_tower_of_a_group_tracks_its_products(name, dtype, chunk):
    g, stages = group(name), tables(name)
    words = np.random.default_rng(0).integers(0, g.order, (8, 50))
    start, cascade = tower_start(stages, 8, dtype), group_tower(stages, dtype)
    states, last = jax.jit(lambda w: [cascade.run(w, start, chunk=chunk, stream=every) for every in (True, False)])(words.T)
    assert all(state.dtype == dtype for state in states) and cascade.depth == len(stages)
    jax.tree.map(lambda every, one: np.testing.assert_allclose(every[-1], one, rtol=1e-6), states, last)
    tracked = g.tower.elements[np.asarray(tower_numbers(stages, states)).T]
    assert tracked.tolist() == [by_hand.states(word, g.table) for word in words.tolist()]
    if dtype != jnp.int32:
        assert all(np.allclose(np.abs(state), 1, atol=1e-6 if dtype != jnp.complex128 else 1e-12) for state in states)
    if dtype == jnp.float32:
        assert all((jnp.abs(state) == 1).all() for state in states)


@pytest.mark.parametrize(("letters", "length", "chunk"), [(1, 1, None), (2, 5, None), (3, 8, 3)])
def test_two_layers_give_a_word_back_and_one_keeps_the_counts_alone(letters, length, chunk):
    words = np.random.default_rng(0).integers(0, letters, (length, 6))
    start = recorder_start(letters, length + 2, 6, int)
    states = word_recorder(letters, length + 2).run(jnp.asarray(words), start, chunk=chunk)
    found = np.asarray(recorded_words(states))
    np.testing.assert_array_equal(found[:length], words)
    np.testing.assert_array_equal(found[length:], -1)
    assert states[1].shape == (length + 2, letters, 6)
    (counts,) = letter_counter(letters).run(jnp.asarray(words), (jnp.zeros((letters, 6), int),), chunk=chunk)
    np.testing.assert_array_equal(counts, [(words == letter).sum(axis=0) for letter in range(letters)])


# cascades in general


class Program(NamedTuple):
    """A cascade, its letters and first states, and the same letter by letter."""

    cascade: ScanCascade
    letters: Any
    first: Any
    states: Any


def mixed(length):
    """A sum, a counter modulo 5 moved by it, and a running maximum of both."""
    cascade = ScanCascade(
        (
            Stage(lambda x, below: x),
            Stage(lambda x, below: (x + below[0].before) % 5, modular_sum([5])),
            Stage(lambda x, below: below[0].before * below[1].before - 3 * below[1].increment, folding(jnp.maximum, -(10**6))),
        )
    )
    word = np.random.default_rng(length).integers(-9, 10, (length, 3))
    total, counter, largest = first = np.zeros(3, int), np.zeros(3, int), np.full(3, -(10**6))
    trace = []
    for x in word:
        increments = x, (x + total) % 5
        increments += (total * counter - 3 * increments[1],)
        total, counter = total + increments[0], (counter + increments[1]) % 5
        largest = np.maximum(largest, increments[2])
        trace.append((total, counter, largest))
    return Program(cascade, word, first, tuple(map(np.stack, zip(*trace, strict=True))))


def of_trees(length):
    """Letters that are trees: a sign that is flipped, and steps along it."""
    sign = Stage(lambda x, below: x["flip"], folding(jnp.multiply, 1.0))
    cascade = ScanCascade((sign, Stage(lambda x, below: x["step"] * below[0].before, ADDITION)))
    flips, steps = np.random.default_rng(length).choice([-1.0, 1.0], length), np.arange(1.0, length + 1)
    signs = np.cumprod(flips)
    states = signs, np.cumsum(steps * np.concatenate([[1.0], signs[:-1]]))
    return Program(cascade, {"flip": flips, "step": steps}, (np.array(1.0), np.array(0.0)), states)


@pytest.mark.parametrize(("length", "chunk"), [(1, None), (1, 3), (8, None), (8, 1), (8, 3), (8, 4), (8, 20)])
@pytest.mark.parametrize("make", [mixed, of_trees])
def test_a_cascade_is_its_letter_by_letter_program(make, length, chunk):
    cascade, letters, first, states = make(length)
    every, last = jax.jit(lambda x, start: [cascade.run(x, start, chunk=chunk, stream=all_) for all_ in (True, False)])(
        letters, first
    )
    for found, final, right in zip(every, last, states, strict=True):
        np.testing.assert_array_equal(found, right)
        np.testing.assert_array_equal(final, right[-1])


def test_one_compilation_serves_every_word_of_a_length():
    cascade, letters, first, _ = mixed(10)
    run = traced_at_most(1, lambda word: cascade.run(word, first, chunk=4))
    for sign in (1, -1):
        run(jnp.asarray(sign * letters))
    assert cascade.depth == 3


# what is refused

MIXED, FLIP = mixed(2).cascade, np.array([[0, 1], [1, 0]])
PARITY = compile_cascade(semiautomaton("parity").holonomy())
MACHINE = looped_automaton(np.array([[1, 0], [0, 1]]), dtype="float32")
REFUSED = [
    (lambda: MIXED.run(jnp.zeros((0, 3), int), (0, 0, 0)), "length must be at least 1"),
    (lambda: MIXED.run(jnp.zeros((2, 3), int), (jnp.zeros(3, int),)), "one state for each of the 3 stages, got 1"),
    (lambda: MIXED.run(jnp.zeros((2, 3), int), (0, 0, 0), chunk=0), "chunk must be at least 1"),
    (lambda: PARITY(jnp.array([0, 2])), "2 is out of range"),
    (lambda: PARITY(jnp.array([0, 1]), 2), "state 2 is out of range"),
    (lambda: PARITY(jnp.zeros((0,), int)), "length must be at least 1"),
    (lambda: compile_cascade(semiautomaton("parity").holonomy(), to="wheel"), "'scan', 'recurrence', 'attention'"),
    (lambda: compile_cascade(semiautomaton("S5").holonomy()), "perfect subgroup has order 60"),
    (lambda: walled_walk(jnp.zeros((1, 2), int), 3, layers=3), "layers must be 1 or 2"),
    (lambda: walled_walk(jnp.zeros((1, 2), int), 3, state=3), "state 3 is out of range: cells are 0 .. 2"),
    (lambda: scan_automaton(FLIP, jnp.zeros((1, 2), int), layers=-1), "layers must be at least 0"),
    (lambda: scan_automaton(FLIP, jnp.zeros((1, 0), int)), "length must be at least 1"),
    (lambda: states_by_layer(FLIP, jnp.zeros((1, 5000), int)), "length 5001 exceeds the limit 4096 of float32"),
    (lambda: looped_automaton(FLIP, state=2), r"state 2 is out of range: the automaton has states 0 \.\. 1"),
    (lambda: MACHINE.states(jnp.zeros((1, 27), int), 5), "26 letters apart; use a wider dtype"),
    (lambda: MACHINE.states(jnp.zeros((1, 2), int), -1), "repeats must be at least 0"),
    (lambda: group_tower(tables("S3"), jnp.float32), "only order 2"),
    (lambda: group_tower([AbelianTable(np.array([2, 2]), np.zeros((1, 4, 1), int))]), "cyclic factors"),
    (lambda: word_recorder(2, 0), "length must be at least 1"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_built_or_run(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_words_up_to_the_reach_of_the_type_are_read():
    assert reach("float32") == 26 and reach("float64") == 4096
    assert MACHINE.states(jnp.zeros((1, 26), int), 5)[-1, 0, -1] == 0
    assert MACHINE.states(jnp.zeros((1, 27), int), 5, within_reach=False).shape == (6, 1, 27)
