"""Every kernel that reads words: any integer type gives one answer; a letter out of range is refused, or marked under jit."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.checks import in_alphabet
from depthjax.constructions import (
    compile_cascade,
    compile_formula,
    hop_transformer,
    looped_automaton,
    scan_automaton,
    walled_walk,
)
from depthjax.constructions.directions.dyck import DyckAttention
from depthjax.constructions.doubling import pointers
from depthjax.constructions.towers.group import AbelianTable, group_tower, tower_numbers, tower_start
from depthjax.constructions.towers.linear import signed_letters
from depthjax.constructions.towers.recorder import letter_counter, recorded_words, recorder_start, word_recorder
from depthjax.instruments.evolutionary_search import mutated
from depthjax.lie.products import word_excess
from depthjax.models import polynomial, sequence_model
from depthjax.scans.tables import prefix_products
from depthjax.tasks import alternation, dyck, flip_flop, hops, rotation
from depthjax.training.losses import correct
from experiments.attention.hop_training_depth.patterns import attention_patterns
from experiments.automata.flip_flop_glitches.flip_flop import recall
from experiments.lie.lie_and_group_depth_differ.affine import reached_maps
from experiments.lie.precision_horizon.phases import angle_failures, unitary_failures
from experiments.training.expressible_not_learned import phase_network
from theory.automata import semiautomaton
from theory.logic import parse
from theory.logic.program import program

TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
MARK = -1
TABLE = jnp.asarray((np.arange(7)[:, None] + np.arange(7)) % 7)
MANY = jnp.asarray((np.arange(300)[:, None] + np.arange(7)) % 300)  # more states than a byte tells apart
SIGNS = np.stack([np.eye(2), -np.eye(2)])
KEY = jax.random.key(0)


def normal(*shape):
    return jnp.asarray(np.random.default_rng(0).normal(size=shape))


def recorded(words):
    cascade, (count, length) = word_recorder(5, 20), words.shape
    start = recorder_start(5, length, count, in_alphabet("words", words, None).dtype)
    return recorded_words(cascade.run(words.T, start)).T


def counted(words):
    dtype = in_alphabet("words", words, None).dtype
    return letter_counter(5).run(words.T, (jnp.zeros((5, len(words)), dtype),))[0].T


STAGES = [AbelianTable(np.array([3]), np.arange(3).reshape(1, 3, 1)), AbelianTable(np.array([2]), np.ones((3, 3, 1), int))]


def tower(words, dtype):
    states = group_tower(STAGES, dtype).run(words.T, tower_start(STAGES, len(words), dtype), stream=True)
    return tower_numbers(STAGES, states).T


HOP, HOP_WEIGHTS = hop_transformer(2, 20, 5)
MODEL = sequence_model("gla", letters=5, width=8, max_depth=1, classes=3)
WEIGHTS = MODEL.init(KEY)
ATTENTION = sequence_model("transformer", letters=5, width=8, max_depth=1, classes=3)
ATTENTION_WEIGHTS = ATTENTION.init(KEY)
DYCK = DyckAttention(normal(8, 8), jnp.ones(4), jnp.asarray(0.5), 2)

# name: alphabet, length, what reads words of shape (batch, length) and answers with the batch in front
READERS = {
    "find_power": (5, 300, lambda w: hops.find_power(w, 5, 3)),
    "hop_labels": (5, 300, lambda w: hops.hop_labels(w, 5, 2)),
    "hop_table": (5, 300, lambda w: jnp.swapaxes(hops.hop_table(w, 5, 3), 0, 1)),
    "index_words": (2, 300, lambda w: hops.index_words(w, w[:, 0] * 0 + 7)),
    "keyed_words": (2, 300, lambda w: hops.keyed_words(w, w[:, 0] * 0 + 7)),
    "block_numbers": (2, 300, alternation.block_numbers),
    "last_written": (None, 300, flip_flop.last_written),
    "dyck_stacks": (4, 300, lambda w: dyck.dyck_stacks(w, 2, 3)),
    "prefix_products": (7, 300, lambda w: prefix_products(TABLE, w)),
    "prefix_products of many": (7, 300, lambda w: prefix_products(MANY, w)),
    "turned": (2, 300, lambda w: rotation.turned(jnp.asarray(SIGNS), w, jnp.ones((len(w), 2)))),
    "chase_pointers": (20, 20, lambda w: jnp.stack([pointers.chase_pointers(word, 2) for word in w])),
    "cycle_labels": (200, 200, lambda w: jnp.stack([pointers.cycle_labels(word, 2) for word in w])),
    "scan_automaton": (7, 20, lambda w: scan_automaton(TABLE, w)),
    "looped_automaton": (2, 6, lambda w: jnp.swapaxes(looped_automaton(np.array([[1, 0], [0, 1]])).states(w, 2), 0, 1)),
    "walled_walk": (3, 20, lambda w: walled_walk(w, 4)),
    "compile_cascade": (2, 20, compile_cascade(semiautomaton("parity").holonomy())),
    "recall": (3, 300, lambda w: recall(w, jnp.asarray(0.5))),
    "signed_letters": (4, 20, lambda w: jnp.moveaxis(signed_letters(w.T, 2), 2, 0)),
    "phase_network": (3, 20, lambda w: phase_network.logits(phase_network.initial(KEY, STAGES, 3, 6), STAGES, w)),
    "symbols": (4, 20, DYCK.symbols),
    "recorded_words": (5, 20, recorded),
    "integer tower": (3, 20, lambda w: tower(w, jnp.int32)),
    "phase tower": (3, 20, lambda w: tower(w, jnp.complex64)),
    "hop_transformer": (5, 20, lambda w: HOP.apply(HOP_WEIGHTS, w)),
    "sequence_model": (5, 20, lambda w: MODEL.apply(WEIGHTS, w)),
    "transformer": (5, 20, lambda w: ATTENTION.apply(ATTENTION_WEIGHTS, w)),
    "attention_patterns": (5, 20, lambda w: jnp.stack([attention_patterns(ATTENTION, ATTENTION_WEIGHTS, x) for x in w])),
    "two_layer": (5, 3, lambda w: polynomial.two_layer(polynomial.TwoLayer(normal(3, 5, 4), normal(5, 4)), normal(5, 5), w)),
    "recurrent": (
        5,
        6,
        lambda w: polynomial.recurrent(
            polynomial.Recurrent(normal(5, 4), normal(5, 4), normal(4, 4) / 9, normal(5, 4)), normal(5, 5), w
        ),
    ),
    "word_excess": (2, 20, lambda w: jnp.swapaxes(word_excess(w, normal(2, 3, 3), jnp.ones(1)), 0, 1)),
    "unitary_failures": (7, 300, lambda w: unitary_failures(w.T, 7, jnp.dtype("float16"))),
    "angle_failures": (7, 300, lambda w: angle_failures(w.T, 7, jnp.dtype("float16"))),
    "reached_maps": (2, 20, lambda w: jnp.concatenate([reached_maps(jnp.asarray(SIGNS, int)[None], word) for word in w])),
}
REFUSED_ONLY = {"compile_formula": (2, 20, compile_formula(program(parse("#[a] - 2 #[b] >= 1"), "ab")))}
COUNTS = {"letter_counter": (5, 20, counted)}
EVERY = READERS | REFUSED_ONLY | COUNTS
few = settings(max_examples=2)
# one program reads the words in all types
traced = {name: jax.jit(lambda given, read=read: [read(words) for words in given]) for name, (_, _, read) in READERS.items()}


def words_of(seed, alphabet, length, count=3):
    return np.random.default_rng(seed).integers(0, 3 if alphabet is None else alphabet, (count, length))


@pytest.mark.parametrize("name", EVERY)
@given(st.integers(0, 2**16))
@few
def test_any_integer_type_gives_the_same_answer(name, seed):
    alphabet, length, read = EVERY[name]
    words = words_of(seed, alphabet, length)
    if name == "compile_formula":
        words = words[:, :20]
    given = [jnp.asarray(words.astype(kind)) for kind in TYPES if words.max() <= np.iinfo(kind).max]
    every = traced[name](given) if name in READERS else list(map(read, given))
    for word, found in zip(given, every, strict=True):
        np.testing.assert_array_equal(found, every[-1], err_msg=str(word.dtype))
    op_by_op = read(jnp.asarray(words.astype(np.uint8)))  # the type that cannot hold a mark
    np.testing.assert_allclose(op_by_op, every[-1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", EVERY)
def test_a_letter_out_of_range_is_refused(name):
    alphabet, length, read = EVERY[name]
    words = words_of(0, alphabet, length)
    for letter in (-1,) if alphabet is None else (-1, alphabet):
        spoiled = words.copy()
        spoiled[1, length // 2] = letter
        with pytest.raises(ValueError, match=f"{letter} is out of range"):
            read(jnp.asarray(spoiled))


@pytest.mark.parametrize("name", READERS)
def test_a_letter_out_of_range_is_marked_where_it_is_not_known(name):
    alphabet, length, read = READERS[name]
    words = words_of(0, alphabet, length)
    run = jax.jit(read)
    expected = np.asarray(run(jnp.asarray(words)))
    for letter in (-1,) if alphabet is None else (-1, alphabet):
        spoiled = words.copy()
        spoiled[1, 0] = letter
        found = np.asarray(run(jnp.asarray(spoiled)))
        np.testing.assert_array_equal(found[[0, 2]], expected[[0, 2]])
        bad = found[1]
        if name == "recorded_words":
            assert bad[0] == -2
        elif name == "dyck_stacks":
            assert (bad == -2).all()
        elif name == "signed_letters":
            assert np.isnan(bad).any()
        else:
            assert (np.isnan(bad) if np.issubdtype(bad.dtype, np.floating) else bad == MARK).all()


def test_words_that_are_not_integers_are_refused():
    for words in (jnp.zeros((2, 3)), jnp.zeros((2, 3), bool)):
        with pytest.raises(TypeError, match=r"must be integers|Integer"):
            in_alphabet("words", words, 2)
        with pytest.raises(TypeError, match=r"must be integers|Integer"):
            jax.jit(partial(in_alphabet, "words", alphabet=2))(words)


def test_the_depth_of_a_model_is_one_at_least():
    words = jnp.zeros((1, 4), int)
    for depth in (0, -1, 2, jnp.asarray(0), jnp.asarray(2)):
        with pytest.raises(ValueError, match="depth"):
            MODEL.apply(WEIGHTS, words, depth)
    run = jax.jit(lambda depth: MODEL.apply(WEIGHTS, words, depth))
    assert np.isnan(run(0)).all() and np.isnan(run(2)).all() and np.isfinite(run(1)).all()


def test_a_mutation_is_longer_than_a_byte():
    words = jnp.zeros((64, 300), jnp.uint8)
    np.testing.assert_array_equal(mutated(KEY, words, 3), mutated(KEY, words.astype(jnp.int32), 3))


def test_more_classes_than_a_label_can_hold():
    logits = jnp.zeros((1, 1, 300)).at[0, 0, 256].set(1.0)
    assert not correct(logits, jnp.zeros((1, 1), jnp.uint8), jnp.ones((1, 1))).any()
