"""Transformers that write before they answer, against pass after pass on longer words and against plain loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.directions.hop import hop_family
from depthjax.tasks.hops import find_power, hop_table, hop_words
from experiments.attention.steps_for_depth.state_writer import state_writer
from experiments.attention.steps_for_depth.writing import write
from experiments.attention.steps_for_depth.written import right_hops

ALPHABET, LENGTH, STEPS = 3, 30, 2


@pytest.fixture(scope="module")
def words():
    return hop_words(jax.random.key(5), ALPHABET, 6, LENGTH)


@pytest.fixture(scope="module")
def model():
    return hop_family(range(1, 4), LENGTH, ALPHABET, written=STEPS + 1)


def test_a_token_is_what_the_pass_before_it_names(model, words):
    found = write(model[0], model[1], words, STEPS, ALPHABET)
    longer = words
    for step in range(STEPS + 1):
        logits = model[0].apply(model[1], longer)[:, -1]
        assert np.array_equal(logits, found[step])
        pointer = logits[:, -LENGTH - 1 :].argmax(axis=-1)
        # the first pass ends 2^(L-1) hops back, and each later one 2^(L-1) - 1 hops further
        assert np.array_equal(pointer, find_power(words, ALPHABET, 4 + 3 * step)[:, -1])
        longer = jnp.concatenate([longer, (ALPHABET + pointer[:, None]).astype(longer.dtype)], axis=1)


def test_the_answers_after_each_token_are_the_hops_of_one_pass_more(model, words):
    found = np.asarray(write(model[0], model[1], words, STEPS, ALPHABET))[..., : 3 * (ALPHABET + 1)]
    answers = found.reshape(STEPS + 1, len(words), 3, ALPHABET + 1).argmax(axis=-1)
    table = np.asarray(hop_table(words, ALPHABET, 9))[:, :, -1].reshape(STEPS + 1, 3, len(words))
    assert np.array_equal(answers, table.swapaxes(1, 2))
    assert (right_hops(words, ALPHABET, 3, 9, STEPS, hidden=True)[1:] < len(words)).all()


def test_the_letters_that_nobody_writes_change_nothing(words):
    plain, written = (hop_family((1, 3), LENGTH, ALPHABET, written=count) for count in (0, 2))
    logits = [model.apply(weights, words)[..., : 2 * (ALPHABET + 1)] for model, weights in (plain, written)]
    assert np.array_equal(logits[0].argmax(axis=-1), logits[1].argmax(axis=-1))
    assert np.array_equal(logits[0].reshape(-1, 4).argmax(axis=-1), logits[1].reshape(-1, 4).argmax(axis=-1))


def test_one_layer_writes_the_states_of_any_machine():
    draw = np.random.default_rng(3)
    table = draw.integers(0, 5, size=(5, 3))
    words = draw.integers(0, 3, size=(7, 9))
    model, weights = state_writer(table, 9, initial=2)
    found = np.asarray(write(model, weights, jnp.asarray(words), 8, 3)).argmax(axis=-1)
    for word, states in zip(words, found.T, strict=True):
        state = 2
        for letter, said in zip(word, states, strict=True):
            state = table[state, letter]
            assert said == state
    assert model.depth == 1


@pytest.mark.parametrize(
    ("steps", "letter", "message"),
    [
        (STEPS + 9, ALPHABET, "length of the model must be at least"),
        (-1, ALPHABET, "steps must be at least"),
        (STEPS, 99, "alphabet of the model must be at least"),
    ],
)
def test_what_cannot_be_written_is_refused(model, words, steps, letter, message):
    with pytest.raises(ValueError, match=message):
        write(model[0], model[1], words, steps, letter)


def test_a_machine_has_states_and_a_negative_number_of_tokens_is_none():
    with pytest.raises(ValueError, match="length"):
        state_writer(np.zeros((2, 2), int), 0)
    with pytest.raises(ValueError, match="written must be at least"):
        hop_family((1,), 4, 2, written=-1)
