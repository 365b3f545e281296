"""Every kernel that reads words, in every integer type, as a person does; a strange letter is refused, or marked under jit."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Tracer

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
from tests import by_hand
from theory.automata import semiautomaton
from theory.logic import parse
from theory.logic.program import program

TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
KINDS = (np.uint8, np.int8, np.uint32, np.int64)  # the first cannot hold a mark
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
ATTENTION = sequence_model("transformer", letters=5, width=8, max_depth=1, classes=3)
GRID = semiautomaton("gridworld4").table
DYCK = DyckAttention(normal(8, 8), jnp.ones(4), jnp.asarray(0.5), 2)


weights = cache(lambda model: jax.jit(model.init)(KEY))


@pytest.fixture(autouse=True, scope="module")
def weights_that_no_trace_has_drawn():
    """Draw them before a program is traced, and not while tests are collected."""
    weights(MODEL), weights(ATTENTION)


def of_each(read):
    return lambda words: jax.vmap(read)(words) if isinstance(words, Tracer) else jnp.stack([read(word) for word in words])


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
    "chase_pointers": (20, 20, of_each(lambda word: pointers.chase_pointers(word, 2))),
    "cycle_labels": (200, 200, of_each(lambda word: pointers.cycle_labels(word, 2))),
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
    "sequence_model": (5, 20, lambda w: MODEL.apply(weights(MODEL), w)),
    "transformer": (5, 20, lambda w: ATTENTION.apply(weights(ATTENTION), w)),
    "attention_patterns": (5, 20, of_each(lambda word: attention_patterns(ATTENTION, weights(ATTENTION), word))),
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


def ahead(word, steps):
    """The vertices on the way from every vertex, of which each letter is the successor."""
    ways = [list(range(len(word)))]
    for _ in range(steps):
        ways.append([word[i] for i in ways[-1]])
    return ways


def sums(modulus):
    return lambda word: np.cumsum(word) % modulus


TRUTHS = {  # what a person reads off one word; scores say it by their largest entry
    "find_power": lambda word: by_hand.pointers(word, 3),
    "hop_labels": lambda word: by_hand.hops(word, 2, 5),
    "hop_table": lambda word: [by_hand.hops(word, count, 5) for count in (1, 2, 3)],
    "block_numbers": by_hand.blocks,
    "last_written": by_hand.last_written,
    "prefix_products": sums(7),
    "prefix_products of many": lambda word: by_hand.states(word, MANY.tolist()),
    "turned": lambda word: np.cumprod(1 - 2 * np.array(word))[:, None] * np.ones((1, 2)),
    "chase_pointers": lambda word: ahead(word, 4)[-1],
    "cycle_labels": lambda word: np.min(ahead(word, 3), axis=0),
    "scan_automaton": sums(7),
    "walled_walk": lambda word: by_hand.states(word, GRID),
    "compile_cascade": sums(2),
    "recorded_words": lambda word: word,
    "letter_counter": lambda word: np.bincount(word, minlength=5),
    "hop_transformer": lambda word: by_hand.hops(word, 2, 5),
    "compile_formula": lambda word: [np.cumsum(1 - 3 * np.array(word)) >= 1],
}


def words_of(seed, alphabet, length, count=3):
    return np.random.default_rng(seed).integers(0, 3 if alphabet is None else alphabet, (count, length))


def held(words, kinds):
    return {np.dtype(kind).name: jnp.asarray(words.astype(kind)) for kind in kinds if holds(words, kind)}


def holds(words, kind):
    return np.iinfo(kind).min <= words.min() and words.max() <= np.iinfo(kind).max


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("alphabet", [5, 300, None])
def test_words_of_every_type_are_widened_and_marked(alphabet, kind):
    wide = np.int64 if np.dtype(kind).itemsize == 8 else np.int32
    for letters in ([0, 4], [0, 5], [0, 300], [0, -1]):
        words = np.array(letters)
        if not holds(words, kind):
            continue
        strange = letters[1] < 0 or (alphabet is not None and letters[1] >= alphabet)
        traced = jax.jit(partial(in_alphabet, "words", alphabet=alphabet))(jnp.asarray(words.astype(kind)))
        assert traced.dtype == wide and traced.tolist() == [0, MARK if strange else letters[1]]
        for known in (words.astype(kind), jnp.asarray(words.astype(kind))):
            if strange:
                with pytest.raises(ValueError, match=f"words: {letters[1]} is out of range"):
                    in_alphabet("words", known, alphabet)
            else:
                found = in_alphabet("words", known, alphabet)
                assert found.dtype == wide and found.tolist() == letters


@pytest.mark.parametrize("name", EVERY)
def test_every_type_is_read_as_a_person_reads_it_and_a_strange_letter_marks_its_word(name):
    alphabet, length, read = EVERY[name]
    words = words_of(0, alphabet, length)
    known = jnp.asarray(words.astype(np.uint8 if holds(words, np.uint8) else np.int32))
    if name == "compile_formula":  # it chooses its type by the length, and reads concrete words alone
        run = lambda given: {kind: read(part) for kind, part in given.items()}  # noqa: E731
    else:  # one program reads the words in all types, the first of which cannot hold a mark, and words that are known
        run = jax.jit(lambda given: {kind: read(part) for kind, part in given.items()} | {"known": read(known)})
    for seed in (0, 1):
        words = words_of(seed, alphabet, length)
        found = run(given := held(words, KINDS))
        wanted = np.asarray(found["int64"])
        for kind in given:
            np.testing.assert_array_equal(found[kind], wanted, err_msg=kind)
        if name in TRUTHS:
            answers = wanted.argmax(axis=-1) if name == "hop_transformer" else wanted
            answers = np.swapaxes(answers, 0, 1) if name == "compile_formula" else answers
            np.testing.assert_array_equal(answers, [np.asarray(TRUTHS[name](word)) for word in words.tolist()])
        if seed == 0 and "known" in found:
            np.testing.assert_allclose(found["known"], wanted, rtol=1e-4, atol=1e-5)
    if name in READERS:
        for letter in (-1,) if alphabet is None else (-1, alphabet):
            spoiled = words.copy()
            spoiled[1, 0] = letter
            for kind, bad in run({**given, **held(spoiled, KINDS)}).items():
                bad, right = np.asarray(bad), wanted if kind != "known" else np.asarray(found["known"])
                np.testing.assert_array_equal(bad[[0, 2]], right[[0, 2]])
                if kind in held(spoiled, KINDS):
                    is_marked(name, bad[1])


def is_marked(name, bad):
    if name == "recorded_words":
        assert bad[0] == -2
    elif name == "dyck_stacks":
        assert (bad == -2).all()
    elif name == "signed_letters":
        assert np.isnan(bad).any()
    else:
        assert (np.isnan(bad) if np.issubdtype(bad.dtype, np.floating) else bad == MARK).all()


@pytest.mark.parametrize("name", EVERY)
def test_a_letter_out_of_range_is_refused(name):
    alphabet, length, read = EVERY[name]
    words = words_of(0, alphabet, length)
    for letter in (-1,) if alphabet is None else (-1, alphabet):
        spoiled = words.copy()
        spoiled[1, length // 2] = letter
        with pytest.raises(ValueError, match=f"{letter} is out of range"):
            read(jnp.asarray(spoiled))


def test_words_that_are_not_integers_are_refused():
    for words in (jnp.zeros((2, 3)), jnp.zeros((2, 3), bool)):
        with pytest.raises(TypeError, match=r"must be integers|Integer"):
            in_alphabet("words", words, 2)
        with pytest.raises(TypeError, match=r"must be integers|Integer"):
            jax.jit(partial(in_alphabet, "words", alphabet=2))(words)


def test_a_mutation_is_longer_than_a_byte():
    words = jnp.zeros((64, 300), jnp.uint8)
    np.testing.assert_array_equal(mutated(KEY, words, 3), mutated(KEY, words.astype(jnp.int32), 3))


def test_more_classes_than_a_label_can_hold():
    logits = jnp.zeros((1, 1, 300)).at[0, 0, 256].set(1.0)
    assert not correct(logits, jnp.zeros((1, 1), jnp.uint8), jnp.ones((1, 1))).any()
