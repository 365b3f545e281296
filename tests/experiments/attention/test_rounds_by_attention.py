"""Rounds of parallel computation by attention against what they simulate."""

import dataclasses
import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from experiments.attention.mpc_two_way.rounds import broadcast, prefix_sums, route, sort


def held(machines, tokens):
    model, weights = machines
    return np.asarray(model.apply(weights, jnp.asarray(tokens)))[..., 0]


@pytest.fixture
def words():
    return np.random.default_rng(0).integers(0, 7, (32, 40))


def test_broadcast(words):
    round_ = broadcast(40, 7, 13)
    assert (held(round_, words) == words[:, 12:13]).all()
    assert (round_[0].depth, round_[0].width) == (1, 5)


def test_prefix_sums(words):
    round_ = prefix_sums(40, 7)
    assert (held(round_, words) == np.cumsum(words, axis=1)).all()
    assert (held(round_, np.full((1, 40), 6)) == 6 * np.arange(1, 41)).all()
    assert (round_[0].depth, round_[0].width) == (1, 4)


def test_routing_delivers_and_adds():
    random = np.random.default_rng(2)
    to, number = random.integers(0, 33, (16, 33)), random.integers(0, 4, (16, 33))
    to[0] = random.permutation(33)
    to[1] = 5
    expected = np.zeros((16, 33), int)
    for row in range(16):
        np.add.at(expected[row], to[row], number[row])
    round_ = route(33, 4)
    assert (held(round_, to + 33 * number) == expected).all()
    assert (round_[0].depth, round_[0].width) == (1, 4 + 2 * 6)


def test_sorting_takes_four_rounds(words):
    rounds = sort(40, 7)
    assert (held(rounds, words) == np.sort(words, axis=1)).all()
    assert (rounds[0].depth, rounds[0].width) == (4, 4 + 2 * 6)


def test_all_short_words_are_sorted():
    words = np.array(list(itertools.product(range(4), repeat=4)))
    assert (held(sort(4, 4), words) == np.sort(words, axis=1)).all()
    distinct = np.stack([np.random.default_rng(3).permutation(64) for _ in range(4)])
    assert (held(sort(64, 64), distinct) == np.arange(64)).all()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: broadcast(8, 4, 9), "source must be a position 1 ... 8"),
        (lambda: broadcast(5000, 4, 9), "limit 4096 of float32.*float64 suffices"),
        (lambda: sort(4, 5), "letters must be at most length = 4"),
        (lambda: prefix_sums(4000, 4), "in float32; float64 suffices"),
        (lambda: route(8, 1), "letters must be at least 2"),
    ],
)
def test_refusals(build, words):
    with pytest.raises(ValueError, match=words):
        build()


def test_a_light_sink_leaves_a_mean():
    """What makes the sum exact: with the sink as heavy as one position, the round gives the mean of one more word."""
    model, weights = prefix_sums(12, 3)
    (layer,) = weights.layers
    heads = dataclasses.replace(layer.heads, key=jnp.minimum(jnp.asarray(layer.heads.key), 0))
    light = dataclasses.replace(weights, layers=(dataclasses.replace(layer, heads=heads),))
    tokens = np.full((1, 12), 2)
    assert not (held((model, light), tokens) == np.cumsum(tokens, axis=1)).any()
