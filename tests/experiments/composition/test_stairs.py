"""Plateaus of a loss that falls in jumps, and the time at which learning starts."""

import numpy as np
import pytest

from depthjax.training.flow import Trajectory
from experiments.composition.agf_dynamics.staircase import starts, without_step_error
from experiments.composition.plateau_levels.stairs import stairs, typical_stairs

TIMES = np.linspace(0, 10, 1001)


def falling(*jumps, pace=6.0):
    """A loss that falls by one at every jump."""
    return np.sum([(1 - np.tanh(pace * (TIMES - jump))) / 2 for jump in jumps], axis=0)


@pytest.mark.parametrize("jumps", [(3,), (2, 5), (1, 4, 8)], ids=len)
def test_every_jump_is_found_with_the_level_behind_it(jumps):
    found = stairs(TIMES, falling(*jumps))
    np.testing.assert_allclose(found.times, jumps, atol=0.01)
    np.testing.assert_allclose(found.levels, range(len(jumps), -1, -1), atol=1e-4)
    assert (found.falls < 0.05).all()


def test_jumps_without_a_plateau_between_them_are_one():
    assert stairs(TIMES, falling(4, 4.2)).levels.size == 2


def test_ripples_are_no_jumps():
    assert stairs(TIMES, falling(3) + 1e-5 * np.sin(40 * TIMES)).levels.size == 2


def test_the_typical_stairs_are_those_of_the_median_number():
    losses = np.stack([falling(3, 6), falling(3.2, 6.2), falling(5)])
    found = typical_stairs(TIMES, losses)
    np.testing.assert_allclose(found.levels, [2, 1, 0], atol=1e-4)
    np.testing.assert_allclose(found.times, [3.1, 6.1], atol=0.01)


def logistic(rate, middle, spacing):
    times = np.arange(0, 20, spacing)
    shares = 1 / (1 + np.exp(-rate * (times - middle)))
    return Trajectory(times, 1 - shares[None], shares[None, :, None])


@pytest.mark.parametrize(("rate", "spacing"), [(2.0, 0.1), (2.0, 1.0), (8.0, 0.5)])
def test_a_start_is_within_its_error(rate, spacing):
    share = 1e-3
    time, error = starts(logistic(rate, 10.0, spacing), share)
    exact = 10 + np.log(share / (1 - share)) / rate
    assert abs(time[0, 0] - exact) <= error[0, 0] + 1e-9 and error[0, 0] < spacing


def test_what_is_never_learned_never_starts():
    course = logistic(2.0, 10.0, 0.1)
    assert starts(Trajectory(course.times, course.losses, 1e-4 * course.shares), 1e-3)[0] == np.inf


@pytest.mark.parametrize("step", [0.01, 0.05])
def test_heun_s_method_grows_as_said(step):
    """The limit of the time is where the method has grown by log(1/alpha), if the flow needs the time 7 for it."""
    log_scale, flow = 40.0, 7.0
    z = step * log_scale / flow
    method = step * log_scale / np.log(1 + z + z**2 / 2)
    assert abs(without_step_error(np.array([method]), log_scale, step)[0] - flow) < 1e-12 and method > flow
