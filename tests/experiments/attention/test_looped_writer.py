"""A looped network that writes, against letters read one by one and against writing pass after pass."""

import jax.numpy as jnp
import numpy as np
import pytest

from experiments.attention.loops_against_writing.looped_writer import looped_writer
from experiments.attention.steps_for_depth.writing import write

FLIPS = np.array([[0, 1], [1, 0]])
TURNS = np.array([[1, 1, 0], [2, 0, 1], [0, 2, 2]])  # a cycle, an exchange, and their product


@pytest.mark.parametrize(("loops", "tokens"), [(0, 4), (1, 2), (2, 1), (3, 0), (2, 3)])
def test_what_is_written_pass_after_pass_is_read_letter_by_letter(loops, tokens):
    words = np.random.default_rng(loops).integers(0, 3, (8, 5))
    model, weights = looped_writer(TURNS, 5, loops, tokens)
    found = np.asarray(write(model, weights, jnp.asarray(words), tokens, 3)).argmax(axis=-1)
    states = np.zeros((6, 8), int)
    for place, letters in enumerate(words.T):
        states[place + 1] = TURNS[states[place], letters]
    for token in range(tokens + 1):
        assert np.array_equal(found[token], states[max(5 - (tokens - token) * 2**loops, 0)])


def test_every_word_of_parity():
    words = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    model, weights = looped_writer(FLIPS, 6, 1, 2, rows=9)
    found = np.asarray(write(model, weights, jnp.asarray(words), 2, 2))[-1].argmax(axis=-1)
    assert np.array_equal(found, words.sum(axis=1) % 2)


def test_a_token_fewer_leaves_letters_unread():
    word = jnp.array([[1, 0, 0, 0, 0]])
    for tokens, answer in ((3, 0), (4, 1)):
        model, weights = looped_writer(FLIPS, 5, 0, tokens)
        assert write(model, weights, word, tokens, 2)[-1, 0].argmax() == answer


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"length": 0, "loops": 1, "tokens": 1}, "length"),
        ({"length": 3, "loops": -1, "tokens": 1}, "loops"),
        ({"length": 3, "loops": 1, "tokens": -1}, "tokens"),
        ({"length": 3, "loops": 1, "tokens": 2, "rows": 4}, "rows"),
        ({"length": 5000, "loops": 1, "tokens": 2}, "limit 4096"),
    ],
)
def test_bad_sizes_are_named(sizes, words):
    with pytest.raises(ValueError, match=words):
        looped_writer(FLIPS, **sizes)
