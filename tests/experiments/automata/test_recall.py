"""A memory read by one softmax: its weights written out, and the word that overrules it most."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.tasks.flip_flop import last_written
from experiments.automata.flip_flop_glitches.flip_flop import overruled_word, recall


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
