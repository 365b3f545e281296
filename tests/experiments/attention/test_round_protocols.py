"""Protocols by machines and by attention beside their answers, and attention on machines beside the network."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.attention.mpc_two_way.parallel_machines import Machines, attention_in_rounds, fan_out, run_natively
from experiments.attention.mpc_two_way.round_protocols import (
    _numbers,
    by_attention,
    cycle_components,
    prefix_sum_rounds,
    sorting_rounds,
)
from experiments.attention.mpc_two_way.rounds import sort


def test_numbers_follow_from_their_power_sums():
    for numbers in itertools.combinations_with_replacement(range(5), 3):
        sums = jnp.array([sum(x**k for x in numbers) for k in (1, 2, 3)])
        assert np.asarray(_numbers(sums, 6)).tolist() == sorted(numbers, reverse=True)


def test_every_word_is_summed_and_a_layer_fewer_errs():
    protocol = prefix_sum_rounds(5, 2, 2)
    words = np.array(list(itertools.product((0, 1), repeat=5)))
    outputs = by_attention(protocol, jnp.asarray(words))
    assert outputs.shape == (32, 5, 5, 1)
    np.testing.assert_array_equal(outputs[:, -1, :, 0], words.cumsum(axis=1))
    assert (outputs[:, -2, :, 0] != words.cumsum(axis=1)).any()
    assert run_natively(protocol, words[-1])[0][:, -1, 0].tolist() == [1, 2, 4, 5]  # sums of 1, 2, 4 and 8 words


def test_sorting_by_machines_and_by_attention():
    protocol = sorting_rounds(4, 2, 5)
    words = np.random.default_rng(0).integers(0, 5, (16, 8))
    outputs = by_attention(protocol, jnp.asarray(words))
    np.testing.assert_array_equal(outputs[:, -1].reshape(16, 8), np.sort(words, axis=1))
    native, machines = run_natively(protocol, words[0])
    np.testing.assert_array_equal(native, outputs[0, 1:])
    assert (machines.rounds, machines.peak) == (3, 4)


@pytest.mark.parametrize("cycles", [((0, 3, 1, 4, 2, 5, 6),), ((0, 3, 1), (4, 2, 5, 6)), ((2,), (0, 1), (3, 4, 5, 6))])
def test_least_vertices_of_cycles(cycles):
    left, right, least = np.zeros((3, 7), int)
    for cycle in map(list, cycles):
        left[cycle], right[cycle], least[cycle] = np.roll(cycle, 1), np.roll(cycle, -1), min(cycle)
    native, machines = run_natively(cycle_components(7), left * 7 + right)
    np.testing.assert_array_equal(native[-1, :, 0], least)
    assert (machines.rounds, machines.peak) == (2, 3)


def test_machines_count_what_they_send_and_receive():
    machines = Machines(3)
    machines.exchange(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([2, 3, 4]))
    assert (machines.rounds, machines.peak) == (1, 7)  # machine 2 receives 3 + 4


@pytest.mark.parametrize(("states", "rounds"), [(4, 8), (6, 4), (40, 2)])
def test_a_network_on_machines_answers_alike(states, rounds):
    model, weights = sort(8, 4, jnp.float64)
    tokens = np.random.default_rng(1).integers(0, 4, 8)
    run = attention_in_rounds(model, weights, tokens, states * model.width)
    np.testing.assert_array_equal(np.round(run.logits[:, 0]), np.sort(tokens))
    assert run.rounds == rounds * model.depth and run.peak <= states * model.width


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: prefix_sum_rounds(4, 1, 2), "memory must be at least 2"),
        (lambda: sorting_rounds(6, 1, 2), "power of two"),
        (lambda: cycle_components(0), "vertices must be at least 1"),
        (lambda: by_attention(prefix_sum_rounds(4, 2, 2), jnp.zeros((1, 5), int)), "the protocol reads 4"),
        (lambda: by_attention(prefix_sum_rounds(4, 2, 2), jnp.zeros((1, 4), int), powers=0), "powers must be at least 1"),
        (lambda: by_attention(sorting_rounds(4, 5, 64), jnp.zeros((1, 20), int)), "round to more than 1/8"),
        (lambda: fan_out(31, 8, 1), "memory must be at least 32 words"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_machine_that_receives_too_much_is_named():
    protocol = sorting_rounds(2, 1, 4)
    crowded = type(protocol)(**{**vars(protocol), "place": lambda word: (jnp.zeros(2, int), word), "memory": 1})
    with pytest.raises(ValueError, match="machine 0 receives 2 words, but its memory holds 1"):
        run_natively(crowded, np.array([1, 2]))


def test_float64_is_needed():
    with jax.enable_x64(False), pytest.raises(ValueError, match="float64 is switched off"):
        by_attention(prefix_sum_rounds(4, 2, 2), jnp.zeros((1, 4), int))
