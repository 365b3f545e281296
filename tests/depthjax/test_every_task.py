"""Every task: labels are what a person reads off the word, draws are pure functions of the key, words have the stated law."""

import itertools
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks import alternation, automata, dyck, flip_flop, hops
from depthjax.tasks.fixed import FixedWords
from depthjax.tasks.followed import AlternationWords, AskedHopWords, AutomatonWords, DyckWords, HopWords
from depthjax.tasks.rotation import Rotations, rotation_matrices
from depthjax.tasks.short_words import short_words
from depthjax.tasks.words import GroupWords, all_words, iterated_commutators, padded_table, sticky_words, uniform_words
from tests import by_hand
from theory.automata import semiautomaton
from theory.groups import group, rotation

S3 = np.asarray(group("S3").table)
RESET = np.array([[0, 1, 1], [1, 0, 1]])  # parity with a letter that sets it
A5 = group("A5")
TURNS = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
LETTERS = next((A5.index(pair.three), A5.index(pair.five)) for pair in rotation.assignments() if pair.extends)
MATRICES = rotation_matrices(A5.table, LETTERS, TURNS, mode="faithful")


def innermost(word, types):
    return [stack[-1] if stack else types for stack in by_hand.stacks(word, types)]


def in_blocks(word, blocks):
    return [int(word[0] == 0 and number == blocks) for number in by_hand.blocks(word)]


START = np.full(3, 3**-0.5)
# name: the sampler with its further fields, what a person reads off a word, the label before the first letter, letters, outputs
SAMPLERS = {
    "group": (partial(GroupWords, S3), lambda word: by_hand.states(word, S3), 0, (6, 6)),
    "automaton": (partial(AutomatonWords, RESET), lambda word: by_hand.states(word, RESET), 0, (3, 2)),
    "dyck": (partial(DyckWords, 2, 3), lambda word: innermost(word, 2), 2, (4, 3)),
    "one bracket": (partial(DyckWords, 1, 2), lambda word: innermost(word, 1), 1, (2, 2)),
    "hops": (partial(HopWords, 2, 3), lambda word: by_hand.hops(word, 2, 3), 3, (3, 4)),
    "alternation": (partial(AlternationWords, 3), lambda word: in_blocks(word, 3), 0, (2, 2)),
    "rotation": (partial(Rotations, MATRICES), lambda word: by_hand.turned(word, MATRICES, START), START, (60, 3)),
}
BEGUN = {  # the first token says what is asked
    "asked hops": (AskedHopWords(3, 4), lambda word: [4, *by_hand.hops(word[1:], word[0] - 4, 4)]),
    "a fixed set": (FixedWords(GroupWords(S3), jax.random.key(5), 4), lambda word: [0, *by_hand.states(word[1:], S3)]),
}
EVERY = {name: make() for name, (make, *_) in SAMPLERS.items()} | {name: task for name, (task, _) in BEGUN.items()}
drawn = jax.jit(lambda task, key, batch, length: EVERY[task].sample(key, batch, length), static_argnums=(0, 2, 3))


def check(task, batch, labels, length):
    words, said, weights = map(np.asarray, batch)
    assert words.shape == weights.shape == said.shape[:2] == (20, length) and (weights == 1).all()
    assert words.dtype == np.int32 and 0 <= words.min() and words.max() < getattr(task, "task", task).letters
    np.testing.assert_allclose(said, [labels(word) for word in words.tolist()], atol=1e-13)
    if said.ndim == 2:
        assert said.dtype == np.int32 and 0 <= said.min() and said.max() < getattr(task, "task", task).classes
    else:
        assert said.shape[2] == task.coordinates and abs((said**2).mean() - 1 / 3) < 1e-12


@pytest.mark.parametrize("name", SAMPLERS)
def test_labels_are_those_of_a_person(key, name):
    make, labels, first, sizes = SAMPLERS[name]
    bare, begun = make(bos=False), make()
    batch, more = bare.sample(key, 20, 12), drawn(name, key, 20, 12)
    check(bare, batch, labels, 12)
    assert (bare.letters, begun.letters) == (sizes[0], sizes[0] + 1)
    assert getattr(bare, "classes", 3) == sizes[1]
    for after, plain, token in zip(more[:2], batch[:2], (bare.letters, first), strict=True):
        np.testing.assert_array_equal(after[:, 1:], plain)
        assert (np.asarray(after[:, 0]) == token).all() and after.dtype == plain.dtype
    assert more.weights.shape == (20, 13) and (more.weights == 1).all()


@pytest.mark.parametrize("name", BEGUN)
def test_labels_after_an_asking_token_are_those_of_a_person(key, name):
    task, labels = BEGUN[name]
    batch = drawn(name, key, 20, 12)
    check(task, batch, labels, 13)
    # every question occurs, and a fixed set has no more words than it says
    assert len({tuple(row) for row in batch.tokens[:, : None if "fixed" in name else 1].tolist()}) == 4


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_is_a_function_of_its_key(key, name):
    first, again = drawn(name, key, 20, 12), EVERY[name].sample(key, 20, 12)
    jax.tree.map(np.testing.assert_array_equal, first, again)
    other = drawn(name, jax.random.key(1), 20, 12)
    assert (first.tokens != other.tokens).any()
    keys = jnp.stack([key, jax.random.key(1)])
    both = jax.vmap(lambda one: EVERY[name].sample(one, 20, 12))(keys)
    for place, alone in enumerate((first, other)):
        jax.tree.map(np.testing.assert_array_equal, jax.tree.map(lambda part, place=place: part[place], both), alone)


@pytest.mark.parametrize("name", EVERY)
def test_the_smallest_batch_is_one(key, name):
    length = 3 if name == "alternation" else 1
    words, labels, weights = jax.eval_shape(lambda key: EVERY[name].sample(key, 1, length), key)
    assert words.shape == weights.shape == labels.shape[:2] == (1, length + 1)


@pytest.mark.parametrize("name", ["group", "rotation"])
def test_mixed_lengths_are_masked_at_their_ends(key, name):
    task = SAMPLERS[name][0](shortest=3)
    weights = task.sample(key, 50, 6).weights
    assert (jnp.sort(weights, axis=1)[:, ::-1] == weights).all() and set(weights.sum(axis=1).tolist()) == {4, 5, 6, 7}
    with pytest.raises(ValueError, match="length must be at least 3, got 2"):
        task.sample(key, 1, 2)


# laws of the draws: what is counted, and the probability of each kind


def of_lengths(key):
    return GroupWords(S3, shortest=3).sample(key, 4000, 6).weights.sum(axis=1), {n: 1 / 4 for n in (4, 5, 6, 7)}


def of_blocks(key):
    words = alternation.alternation_words(key, 3, jnp.full(4000, 6), 8)
    assert np.asarray(alternation.may_end(words, 3))[:, 5].all()
    assert (np.asarray(alternation.block_numbers(words))[:, -1] == 3).all()
    every = [w for w in itertools.product(range(2), repeat=6) if in_blocks(w, 3)[-1]]
    assert len(every) == math.comb(5, 2)
    return np.asarray(words) @ 2 ** np.arange(8), {sum(x << i for i, x in enumerate((*w, w[-1], w[-1]))): 1 / 10 for w in every}


def of_instructions(key):
    words, law = flip_flop.flip_flop_words(key, 0.8, 200, 32), {"w": 0.1, "r": 0.1, "i": 0.8}
    return words.tokens[:, 2:-2:2], {flip_flop.VOCABULARY.index(kind): share for kind, share in law.items()}


def of_readings(key):
    words = automata.readings(key, jnp.asarray(RESET), jnp.array([3.0, 0.0, 1.0]), 300, 20, jnp.array([0.0, 1.0, 0.0])).words
    assert (np.asarray(words[:, 0]) == 1).all()
    return words[:, 1:], {0: 3 / 4, 2: 1 / 4}


def of_brackets(key):
    words = np.asarray(dyck.dyck_words(key, 2, 3, 300, 20))
    open_ones = np.array([[0, *map(len, by_hand.stacks(word, 2))][:-1] for word in words.tolist()])
    free = words[(open_ones > 0) & (open_ones < 3)]  # here opening and closing are both possible
    return np.where(free < 2, free, 2), {0: 1 / 4, 1: 1 / 4, 2: 1 / 2}


def of_a_fixed_set(key):
    numbers = jax.jit(lambda keys: jax.vmap(lambda one: GroupWords(S3).sample(one, 1, 4).tokens[0, 1:])(keys))
    every = np.asarray(numbers(jax.vmap(lambda number: jax.random.fold_in(key, number))(jnp.arange(4))))
    words = FixedWords(GroupWords(S3), key, 4).sample(jax.random.key(1), 4000, 4).tokens[:, 1:]
    return np.asarray(words) @ 6 ** np.arange(4), {int(word): 1 / 4 for word in every @ 6 ** np.arange(4)}


LAWS = {
    "mixed lengths": of_lengths,
    "words of so many blocks": of_blocks,
    "instructions of a flip-flop": of_instructions,
    "letters of an automaton": of_readings,
    "brackets": of_brackets,
    "uniform letters": lambda key: (uniform_words(key, 4, 64, 100), {x: 1 / 4 for x in range(4)}),
    "fresh letters": lambda key: (sticky_words(key, 4, 64, 100, 100), {x: 1 / 4 for x in range(4)}),
    "letters of hops": lambda key: (hops.hop_words(key, 4, 64, 100)[:, ::9], {x: 1 / 4 for x in range(4)}),
    "steps of hops": lambda key: (jnp.diff(hops.hop_words(key, 4, 64, 100)) % 4, {x: 1 / 3 for x in (1, 2, 3)}),
    "independent letters of hops": lambda key: (
        jnp.diff(hops.hop_words(key, 4, 64, 100, equal_neighbours=True)[:, ::2]) % 4,
        {x: 1 / 4 for x in range(4)},
    ),
    "questions": lambda key: (AskedHopWords(3, 4).sample(key, 4000, 2).tokens[:, 0], {x: 1 / 4 for x in (4, 5, 6, 7)}),
    "a fixed set": of_a_fixed_set,
}


@pytest.mark.parametrize("name", LAWS)
def test_draws_have_their_law(key, name):
    found, law = LAWS[name](key)
    found = np.ravel(found)
    assert set(found.tolist()) == set(law)
    for kind, share in law.items():  # six standard deviations
        assert abs((found == kind).mean() - share) < 6 * (share * (1 - share) / found.size) ** 0.5, kind


# words that carry more than labels


def test_flip_flop_words_read_back_what_was_written(key):
    words = jax.jit(flip_flop.flip_flop_words, static_argnums=(2, 3))(key, flip_flop.SPLITS["in distribution"], 50, 32)
    for tokens, reads, memory in zip(*map(np.asarray, words), strict=True):
        text, written = [flip_flop.VOCABULARY[t] for t in tokens], 0
        assert text[0] == "w" and text[-2] == "r"
        for i in range(0, len(text), 2):
            bit = int(text[i + 1])
            assert reads[i] == (text[i] == "r") and not reads[i + 1] and memory[i] == written
            written = bit if text[i] == "w" else written
            assert memory[i + 1] == written and (text[i] != "r" or bit == written)
    assert flip_flop.SPLITS == {"in distribution": 0.8, "sparse": 0.98, "dense": 0.1}


def test_readings_follow_the_table(key):
    automaton = semiautomaton("gridworld4")
    words, after = automata.readings(key, jnp.asarray(automaton.table), jnp.ones(3), 5, 20)
    assert [automaton.run(word, 0) for word in words.tolist()] == list(map(tuple, after.tolist()))


def test_prefixes_are_all_that_nest(key):
    nested = [word for word in itertools.product(range(4), repeat=5) if by_hand.stacks(word, 2) is not None]
    assert set(map(tuple, dyck.dyck_prefixes(2, 2, 5).tolist())) == {
        w for w in nested if max(map(len, by_hand.stacks(w, 2))) <= 2
    }
    words = dyck.dyck_words(key, 2, 3, 8, 20)
    for word, found in zip(words.tolist(), dyck.dyck_stacks(words, 2, 3).tolist(), strict=True):
        assert [[kind for kind in row if kind >= 0] for row in found] == by_hand.stacks(word, 2)


def test_batches_of_many_answers_are_those_of_one(key):
    batch = hops.hop_batch(key, 4, 64, 20, 3)
    expected = [hops.hop_labels(batch.tokens, 4, jnp.asarray(count)) for count in (1, 2, 3)]
    assert np.array_equal(np.asarray(batch.labels).reshape(64, 20, 3), np.stack(expected, axis=-1))
    batch = alternation.alternation_batch(key, 3, jnp.full(5, 6), 8)
    np.testing.assert_array_equal(batch.weights, [[0, 1, 1, 1, 1, 1, 1, 0, 0]] * 5)
    for word, labels in zip(batch.tokens[:, 1:].tolist(), batch.labels[:, 1:].tolist(), strict=True):
        assert labels == in_blocks(word, 3) and labels[5]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_hops_follow_their_definition_where_neighbours_are_equal(key, count):
    words = hops.hop_words(key, 3, 40, 24, equal_neighbours=True)
    assert hops.hop_labels(words, 3, jnp.asarray(count)).tolist() == [by_hand.hops(word, count, 3) for word in words.tolist()]
    if count:
        assert np.array_equal(hops.hop_table(words, 3, 6)[count - 1], hops.hop_labels(words, 3, count))
    assert hops.find_power(jnp.array([[1, 1, 0, 1]]), 2, 1).tolist() == [[0, 2, 0, 3]]


def test_words_of_the_certificates_ask_for_their_bit():
    bits, index = jnp.array([[0, 1, 1, 0, 1]] * 5), jnp.arange(5)
    assert hops.hop_labels(hops.index_words(bits, index), 3, 1)[:, -1].tolist() == [0, 1, 1, 0, 1]
    assert hops.hop_labels(hops.keyed_words(bits, index), 7, 1)[:, -1].tolist() == [0, 1, 1, 0, 1]


def test_every_word_is_there_once_behind_no_longer_one():
    words, lengths = short_words(3, 4)
    found = [tuple(word[:length].tolist()) for word, length in zip(words, lengths, strict=True)]
    every = [word for length in range(1, 5) for word in itertools.product(range(3), repeat=length)]
    assert found == every and list(map(tuple, all_words(3, 4).tolist())) == every[-81:]
    assert not words[np.arange(4)[None, :] >= lengths[:, None]].any()


def test_padding_adds_states_and_letters_that_lead_nowhere():
    table = padded_table(semiautomaton("parity").table, 4, 3)
    assert table.tolist() == [[0, 1, 0], [1, 0, 1], [2, 2, 2], [3, 3, 3]]


def test_iterated_commutators_die_in_a_solvable_group_only(key):
    for name, alive in (("S4", [True, True, True, False]), ("A5", [True] * 4)):
        table = jnp.asarray(group(name).table)
        values = iterated_commutators(key, table, len(table), 2000, 4)
        assert [bool((v != 0).any()) for v in values] == alive


def test_matrices_of_the_two_modes():
    np.testing.assert_allclose(MATRICES.mean(axis=0), 0, atol=1e-14)
    published = tuple(A5.index(p) for p in rotation.PUBLISHED)
    with pytest.raises(ValueError, match="2831 of 3600 products"):
        rotation_matrices(A5.table, published, TURNS, mode="faithful")
    assert rotation_matrices(A5.table, published, TURNS, mode="as published").shape == (60, 3, 3)


LOOP = np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]])
REFUSED = [
    (lambda: AutomatonWords(np.array([[0, 2], [1, 0]])), "is a state"),
    (lambda: AutomatonWords(np.zeros((0, 2), int)), "is a state"),
    (lambda: DyckWords(0), "types must be at least 1"),
    (lambda: DyckWords(1, 0), "nesting must be at least 1"),
    (lambda: HopWords(0), "hops must be at least 1"),
    (lambda: HopWords(1, 1), "alphabet must be at least 2"),
    (lambda: AskedHopWords(0), "largest must be at least 1"),
    (lambda: AskedHopWords(1, 1), "alphabet must be at least 2"),
    (lambda: hops.hop_words(jax.random.key(0), 1, 2, 8), "alphabet must be at least 2"),
    (lambda: AlternationWords(0), "blocks must be at least 1"),
    (lambda: AlternationWords(5).sample(jax.random.key(0), 2, 4), "length must be at least 5"),
    (lambda: FixedWords(HopWords(1, 4), jax.random.key(0), 0), "samples must be at least 1"),
    (lambda: GroupWords(S3, shortest=0), "shortest must be at least 1"),
    (lambda: GroupWords(S3[:5]), "must be square"),
    (lambda: GroupWords(S3 + 1), "entries from 1 to 6"),
    (lambda: GroupWords(S3[[1, 0, 2, 3, 4, 5]]), "row 0 or column 0"),
    (lambda: GroupWords(np.where(np.arange(36).reshape(6, 6) == 14, S3[2, 3], S3)), "repeats an element"),
    (lambda: GroupWords(LOOP), "differs from"),
    (lambda: rotation_matrices(A5.table, LETTERS, TURNS, mode="released"), "'faithful' or 'as published'"),
    (lambda: rotation_matrices(A5.table, LETTERS[:1], TURNS[:1], mode="faithful"), "reach 3 of 60 elements"),
    (lambda: flip_flop.flip_flop_words(jax.random.key(0), 0.5, 2, 1), "the first writes and the last reads"),
]


@pytest.mark.parametrize(("make", "words"), REFUSED, ids=range(len(REFUSED)))
def test_sizes_without_words_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
