"""A looped network that writes, against letters read one by one and against writing pass after pass."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.verify import Cell
from experiments.attention.loops_against_writing import claim, measure
from experiments.attention.loops_against_writing.looped_writer import looped_writer
from experiments.attention.loops_against_writing.one_pointer import letters_read
from experiments.attention.steps_for_depth.writing import write
from theory.bounds import tokens_after_loops

FLIPS = np.array([[0, 1], [1, 0]])
TURNS = np.array([[1, 1, 0], [2, 0, 1], [0, 2, 2]])  # a cycle, an exchange, and their product
RESETS = np.array([[0, 1, 0], [0, 1, 2], [0, 1, 1]])  # two letters that forget, and an exchange


def states_after(table, words, first):
    after = [np.asarray(first)]
    for letters in words.T:
        after.append(table[after[-1], letters])
    return np.array(after)


@pytest.mark.parametrize("table", [TURNS, RESETS])
@pytest.mark.parametrize(("loops", "tokens"), [(1, 4), (2, 1), (3, 0), (2, 3), (1, 6), (4, 2)])
def test_what_is_written_pass_after_pass_is_read_letter_by_letter(table, loops, tokens):
    source = np.random.default_rng(loops)
    words, first = source.integers(0, 3, (8, 5)), source.integers(0, 3, 8)
    model, weights = looped_writer(table, 5, loops, tokens)
    shown = np.concatenate([words, 3 + first[:, None]], axis=1)
    found = np.asarray(write(model, weights, jnp.asarray(shown), tokens, 3)).argmax(axis=-1)
    states = states_after(table, words, first)
    for token in range(tokens + 1):
        assert np.array_equal(found[token], states[max(5 - (tokens - token) * (2**loops - 1), 0)])


@pytest.mark.parametrize(("loops", "tokens"), [(2, 1), (3, 0)])
def test_every_word_of_parity(loops, tokens):
    words = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    model, weights = looped_writer(FLIPS, 6, loops, tokens, rows=9)
    shown = np.concatenate([words, np.full((64, 1), 2)], axis=1)
    found = np.asarray(write(model, weights, jnp.asarray(shown), tokens, 2))[-1].argmax(axis=-1)
    assert np.array_equal(found, words.sum(axis=1) % 2)


@pytest.mark.parametrize("loops", [1, 2, 3])
def test_a_token_fewer_leaves_the_first_letter_unread(loops):
    length = 2 * (2**loops - 1) + 1
    needed = int(tokens_after_loops(length, loops).at())
    word = jnp.zeros((1, length + 1), int).at[0, 0].set(1).at[0, -1].set(2)
    for tokens, answer in ((needed - 1, 0), (needed, 1)):
        model, weights = looped_writer(FLIPS, length, loops, tokens)
        assert write(model, weights, word, tokens, 2)[-1, 0].argmax() == answer


@pytest.mark.parametrize("seed", range(6))
def test_two_words_are_enough_to_see_that_a_letter_is_not_read(seed):
    # two words of parity drawn apart are answered by chance without their first letter, in a quarter of all cases
    sizes = dataclasses.replace(claim.Sizes(), automaton="C2", longest=5, words=2)
    needed = [[tokens_after_loops(length, loops).at() for length in sizes.lengths] for loops in sizes.loops]
    assert np.array_equal(measure._tokens(Cell.of(sizes), jax.random.key(seed), claim.objects(sizes)), needed)


def test_letters_alone_are_read_one_in_a_loop():
    model, weights = looped_writer(FLIPS, 4, 2, 1, joins=False)
    words = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    shown = np.concatenate([words, np.full((16, 1), 2)], axis=1)
    found = np.asarray(write(model, weights, jnp.asarray(shown), 1, 2)).argmax(axis=-1)
    assert np.array_equal(found, [words[:, :2].sum(axis=1) % 2, words.sum(axis=1) % 2])


@pytest.mark.parametrize("reads", [1, 2])
@pytest.mark.parametrize("loops", [1, 2, 3])
def test_random_networks_depend_on_no_more_letters_than_positions_they_can_reach(loops, reads):
    found = letters_read(200, loops, reads, 64, seed=5)
    assert found.max() == (reads + 1) ** loops - 1  # some reach it, so no smaller number is a bound


def test_a_network_of_one_layer_reads_what_it_names():
    # the naive twin: with one layer the position behind the word reads one letter or itself
    assert set(letters_read(3, 1, 1, 64, seed=0)) == {0, 1}


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"length": 0, "loops": 1, "tokens": 1}, "length"),
        ({"length": 3, "loops": 0, "tokens": 1}, "loops"),
        ({"length": 3, "loops": 1, "tokens": -1}, "tokens"),
        ({"length": 3, "loops": 1, "tokens": 2, "rows": 5}, "rows"),
        ({"length": 5000, "loops": 1, "tokens": 2}, "limit 4096"),
    ],
)
def test_bad_sizes_are_named(sizes, words):
    with pytest.raises(ValueError, match=words):
        looped_writer(FLIPS, **sizes)
