from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.scans import prefix_sum
from depthjax.scans.cascade import ADDITION, ScanCascade, Stage, folding
from depthjax.scans.counters import modular_sum
from depthjax.testing import traced_at_most

LENGTHS = st.sampled_from([1, 5, 9])
SEEDS = st.integers(0, 2**32 - 1)


def mixed_cascade():
    """A sum, a counter modulo 5 moved by it, and a running maximum of both."""

    def second(letters, below):
        return (letters + below[0].before) % 5

    def third(letters, below):
        return below[0].before * below[1].before - 3 * below[1].increment

    return ScanCascade(
        (Stage(lambda x, below: x), Stage(second, modular_sum([5])), Stage(third, folding(jnp.maximum, -(10**6))))
    )


def letter_by_letter(word):
    total, counter, largest = np.zeros(3, int), np.zeros(3, int), np.full(3, -(10**6))
    trace = []
    for x in word:
        increments = x, (x + total) % 5
        increments += (total * counter - 3 * increments[1],)
        total, counter = total + increments[0], (counter + increments[1]) % 5
        largest = np.maximum(largest, increments[2])
        trace.append((total, counter, largest))
    return [np.stack(states) for states in zip(*trace, strict=True)]


@partial(jax.jit, static_argnames="chunk")
def streamed_and_final(word, chunk):
    start = jnp.zeros(3, int), jnp.zeros(3, int), jnp.full(3, -(10**6))
    return [mixed_cascade().run(word, start, chunk=chunk, stream=stream) for stream in (True, False)]


@settings(max_examples=15)
@given(st.sampled_from([(1, None), (1, 3), (8, None), (8, 1), (8, 3)]), SEEDS)
def test_cascade_is_its_letter_by_letter_program(sizes, seed):
    length, chunk = sizes
    word = np.random.default_rng(seed).integers(-9, 10, (length, 3))
    expected = letter_by_letter(word)
    streamed, final = streamed_and_final(word, chunk)
    for states, last, right in zip(streamed, final, expected, strict=True):
        np.testing.assert_array_equal(states, right)
        np.testing.assert_array_equal(last, right[-1])


def test_states_and_letters_may_be_trees():
    signs = folding(jnp.multiply, 1.0)
    tree = ScanCascade(
        (
            Stage(lambda x, below: x["flip"], signs),
            Stage(lambda x, below: x["step"] * below[0].before, ADDITION),
        )
    )
    letters = {"flip": jnp.array([1.0, -1.0, -1.0, 1.0, -1.0]), "step": jnp.arange(1.0, 6.0)}
    for chunk in (None, 2):
        sign, angle = tree.run(letters, (jnp.array(1.0), jnp.array(0.0)), chunk=chunk)
        assert (sign, angle) == (-1.0, 1.0 + 2.0 - 3.0 + 4.0 + 5.0)


def test_depth_counts_the_stages():
    assert mixed_cascade().depth == 3


def test_one_compilation_serves_every_word_of_a_length():
    start = jnp.zeros(3, int), jnp.zeros(3, int), jnp.zeros(3, int)
    run = traced_at_most(1, lambda word: mixed_cascade().run(word, start, chunk=4))
    for seed in range(3):
        run(jnp.asarray(np.random.default_rng(seed).integers(-9, 10, (10, 3))))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: c.run(jnp.zeros((0, 3), int), (0, 0, 0)), "length must be at least 1"),
        (lambda c: c.run(jnp.zeros((2, 3), int), (jnp.zeros(3, int),)), "one state for each of the 3 stages, got 1"),
        (lambda c: c.run(jnp.zeros((2, 3), int), (0, 0, 0), chunk=0), "chunk must be at least 1"),
        (lambda c: modular_sum([0]), "modulus must be at least 1"),
    ],
)
def test_bad_runs_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(mixed_cascade())


@settings(max_examples=20)
@given(LENGTHS, SEEDS)
def test_prefix_sums(length, seed):
    terms = np.random.default_rng(seed).integers(-9, 10, (length, 2, 3))
    start = np.random.default_rng(seed + 1).integers(-9, 10, (2, 3))
    inclusive = start + np.cumsum(terms, axis=0)
    np.testing.assert_array_equal(prefix_sum(jnp.asarray(terms), jnp.asarray(start)), inclusive)
    exclusive = prefix_sum(jnp.asarray(terms), jnp.asarray(start), inclusive=False)
    np.testing.assert_array_equal(exclusive, inclusive - terms)
    np.testing.assert_array_equal(prefix_sum(jnp.asarray(terms)), np.cumsum(terms, axis=0))


def test_prefix_sum_refuses_another_shape_of_start():
    with pytest.raises(ValueError, match="initial has shape"):
        prefix_sum(jnp.zeros((4, 3)), jnp.zeros(2))
    assert prefix_sum(jnp.zeros((0, 3))).shape == (0, 3)
