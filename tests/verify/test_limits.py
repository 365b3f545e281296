"""Limits of sums of two powers lie in the interval that is told, wherever the differences turn and however small they are."""

import numpy as np
import pytest

from depthjax.verify.limits import TRACE, limit

POWERS = [(1, 2), (0.5, 1), (1, 3), (2, 4), (0.5, 2), (1, 1.5), (2, 3)]


@pytest.mark.parametrize("points", [6, 12])
@pytest.mark.parametrize("powers", POWERS, ids=str)
@pytest.mark.parametrize("ratio", [2.0, 2**0.5])
def test_a_sum_of_two_powers_that_turns_lies_in_its_interval(ratio, powers, points):
    first, second = powers
    steps = ratio ** -np.arange(points) / 2
    for place in np.linspace(-2, 4, 25):  # the derivative vanishes at so many steps before the finest one
        turn = steps[-1] * ratio**place
        tail = steps**first - first / second * turn ** (first - second) * steps**second
        for size in 10.0 ** np.arange(-5, 0.1, 0.5):
            values = 1 + size * tail / np.abs(tail).max()
            found = limit(values, ratio, np.full(points, 4e-16), TRACE * abs(values[-1]), 0.02)
            assert found.reason or abs(found.value - 1) <= found.rounding + (1 + 1e-6) * found.drift


def test_differences_that_turn_within_a_trace_are_no_small_drift():
    """A measured curve: its last differences are a ten-thousandth of it, and the limit lies eight of them away."""
    values = np.array([0.0619731, 0.06331775, 0.06394148, 0.06421784, 0.06433052, 0.06436869, 0.06437487, 0.06436882])
    found = limit(values, 2**0.5, np.full(8, 1e-9), TRACE * values[-1], 0.02)
    assert not found.reason and abs(found.value - 0.06431857) <= found.rounding + found.drift
