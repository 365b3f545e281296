import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions import scan_automaton
from depthjax.tasks.automata import readings
from depthjax.tasks.flip_flop import SPLITS, VOCABULARY, flip_flop_words, last_written
from depthjax.tasks.words import padded_table
from experiments.automata.flip_flop_glitches.flip_flop import overruled_word, recall
from theory.automata import semiautomaton


def test_flip_flop_words_read_back_what_was_written(key):
    words = jax.jit(flip_flop_words, static_argnums=(2, 3))(key, SPLITS["in distribution"], 200, 32)
    kinds = np.zeros(5, int)
    for tokens, reads, memory in zip(*(np.asarray(part) for part in words), strict=True):
        text, written = [VOCABULARY[t] for t in tokens], 0
        assert text[0] == "w" and text[-2] == "r"
        for i in range(0, len(text), 2):
            bit = int(text[i + 1])
            assert reads[i] == (text[i] == "r") and not reads[i + 1]
            assert memory[i] == written
            if text[i] == "w":
                written = bit
            if text[i] == "r":
                assert bit == written
            assert memory[i + 1] == written
            if 0 < i < len(text) - 2:
                kinds[VOCABULARY.index(text[i])] += 1
    share = kinds / kinds.sum()
    # 6000 draws: six standard deviations
    assert abs(share[4] - 0.8) < 6 * (0.16 / 6000) ** 0.5
    assert abs(share[2] - 0.1) < 6 * (0.09 / 6000) ** 0.5


def test_published_splits():
    assert SPLITS == {"in distribution": 0.8, "sparse": 0.98, "dense": 0.1}


def test_words_need_a_write_and_a_read(key):
    with pytest.raises(ValueError, match="the first writes and the last reads"):
        flip_flop_words(key, 0.5, 2, 1)


def test_readings_follow_the_table_and_the_law(key):
    table = semiautomaton("gridworld4").table
    law, first = jnp.array([0.5, 0.0, 0.5]), jnp.array([0.0, 1.0, 0.0])
    words, states = jax.jit(readings, static_argnums=(3, 4))(key, jnp.asarray(table), law, 300, 20, first)
    words, states = np.asarray(words), np.asarray(states)
    assert (words[:, 0] == 1).all() and not (words[:, 1:] == 1).any()
    assert abs(float((words[:, 1:] == 0).mean()) - 0.5) < 6 * (0.25 / 5700) ** 0.5
    for word, after in zip(words[:5], states, strict=False):
        assert semiautomaton("gridworld4").run(word.tolist(), 0) == tuple(after.tolist())


def test_padding_adds_states_and_letters_that_lead_nowhere():
    table = padded_table(semiautomaton("parity").table, 4, 3)
    assert table.tolist() == [[0, 1, 0], [1, 0, 1], [2, 2, 2], [3, 3, 3]]


def test_recall_is_the_softmax_written_out():
    letters = jnp.array([[1, 0, 2, 2, 0, 1, 0], [2, 0, 0, 0, 0, 0, 0]])
    found = np.asarray(jax.jit(recall)(letters, jnp.asarray(0.7)))
    for word, weights in zip(np.asarray(letters), found, strict=True):
        scores = {j: np.exp(0.7 * j) for j, letter in enumerate(word) if letter}
        total = sum(scores.values())
        idle = (len(word) - len(scores)) * np.exp(-0.7 * len(word))
        for value in (0, 1):
            mine = sum(score for j, score in scores.items() if word[j] == 1 + value)
            assert np.isclose(weights[value], mine / (total + idle), rtol=1e-12)


def test_the_overruled_word_is_the_worst_of_all():
    words = np.array([(a, *rest, 0) for a in (1, 2) for rest in itertools.product(range(3), repeat=5)])
    last = [max(np.flatnonzero(word)) for word in words]
    weights = np.asarray(jax.jit(recall)(jnp.asarray(words), jnp.asarray(1.0)))
    wrong = weights[np.arange(486), 2 - words[np.arange(486), last]]
    assert np.array_equal(jax.jit(last_written)(jnp.asarray(words))[:, -1], words[np.arange(486), last] - 1)
    hardest = np.flatnonzero((words == np.asarray(overruled_word(7))).all(axis=1))
    assert np.isclose(wrong.max(), wrong[hardest[0]], rtol=1e-12)


def test_doubling_evaluates_the_whole_softmax():
    """The layers with dense attention over all positions, and maps composed by indexing."""
    automaton = semiautomaton("D4")
    words = np.random.default_rng(0).integers(0, 2, (3, 21))
    found = np.asarray(jax.jit(lambda w: scan_automaton(automaton.table, w, layers=5))(jnp.asarray(words)))
    for word, states in zip(words, found, strict=True):
        maps = np.stack([np.eye(4), *(np.eye(4)[automaton.table[:, letter]] for letter in word)])
        position = np.arange(len(maps))
        for layer in range(5):
            target = np.maximum(position - 2**layer, 0)
            scores = 4.0 * (2 * target[:, None] * position[None, :] - position[None, :] ** 2)
            scores = np.where(position[None, :] <= position[:, None], scores, -np.inf)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            read = np.einsum("tp,pqa->tqa", weights / weights.sum(axis=1, keepdims=True), maps)
            maps = np.einsum("tqa,tac->tqc", np.clip(2 * read - 0.5, 0, 1), maps)
        assert np.array_equal(states, maps[1:, 0].argmax(axis=1))


def test_sym5_by_the_scan_needs_seven_layers_at_128():
    """Two words that differ in their first letter alone: six layers see the last 64 letters and answer alike."""
    automaton = semiautomaton("S5")
    words = np.ones((2, 128), int)
    words[0, 0] = 0
    expected = [automaton.run(word.tolist(), 2) for word in words]  # 2 is moved by the cycle and left alone by the swap
    run = jax.jit(lambda layers: scan_automaton(automaton.table, jnp.asarray(words), layers=layers, state=2), static_argnums=0)
    assert expected[0][-1] != expected[1][-1]
    assert np.array_equal(run(7), expected)
    six = np.asarray(run(6))
    assert six[0, -1] == six[1, -1]
