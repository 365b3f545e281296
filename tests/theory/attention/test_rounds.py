"""Rounds and layers: small cases by hand, trees by growing them, sorting networks by the zero-one principle, refusals."""

import itertools

import pytest

from theory import bounds
from theory.attention.rounds import protocol_memory, protocol_rounds
from theory.errors import OutsideHypotheses


@pytest.mark.parametrize(("length", "width", "memory"), [(2, 1, 8), (13, 4, 24), (17, 3, 200), (64, 8, 64), (65, 8, 64)])
def test_rounds_of_layers_by_growing_trees(length, width, memory):
    fan = 0
    while 2 * width * (fan + 1) <= memory and width + (width + 2) * (fan + 1) <= memory:
        fan += 1
    reached, steps = 1, 0
    while reached < length:
        reached, steps = reached * fan, steps + 1
    assert bounds.attention_rounds(3, length, width, memory).at() == 6 * steps


@pytest.mark.parametrize("machines", range(1, 20))
def test_protocols_by_what_is_known(machines):
    for fan in (2, 3):
        sums, rounds = 1, 0
        while sums < machines:
            sums, rounds = sums * fan, rounds + 1
        assert protocol_rounds("prefix sums", machines, fan) == rounds
    sight, rounds = 0, 0
    while 2 * sight + 1 < machines:
        sight, rounds = 2 * sight + 1, rounds + 1
    assert protocol_rounds("components", machines) == rounds


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_bitonic_network_sorts_and_has_so_many_rows(levels):
    machines = 1 << levels
    rows = [(k, j) for k in range(1, levels + 1) for j in reversed(range(k))]
    assert protocol_rounds("sorting", machines) == len(rows)
    for word in itertools.product((0, 1), repeat=machines):
        line = list(word)
        for k, j in rows:
            for i in range(machines):
                if not i >> j & 1:
                    line[i], line[i ^ 1 << j] = sorted((line[i], line[i ^ 1 << j]), reverse=bool(i >> k & 1))
        assert line == sorted(word)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.mpc(2, 4, 4, 17).at(), "the input of 17 words fits 4 machines with 4 words each"),
        (lambda: bounds.mpc(-1, 4, 4, 4), "rounds = -1"),
        (lambda: bounds.mpc(1, 0, 4, 4), "memory = 0"),
        (lambda: bounds.attention_rounds(1, 8, 4, 15).at(), "15 words hold two copies of two states"),
        (lambda: bounds.attention_rounds(1, 8, 1, 4, 9).at(), "two partial results"),
        (lambda: bounds.attention_rounds(1, 1, 4, 99), "length = 1"),
        (lambda: protocol_rounds("sorting", 6), "a power of two"),
        (lambda: protocol_rounds("prefix sums", 6, 1), "memory = 1"),
        (lambda: protocol_rounds("voting", 4), "expected 'prefix sums'"),  # type: ignore[arg-type]
        (lambda: protocol_memory("voting", 4), "expected one of prefix sums"),  # type: ignore[arg-type]
    ],
)
def test_refusals(call, words):
    with pytest.raises((ValueError, OutsideHypotheses), match=words):
        call()
