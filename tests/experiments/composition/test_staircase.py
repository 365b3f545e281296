"""The simulated flow: what it may not conclude when its network ran out of neurons."""

import numpy as np

from experiments.composition.agf_dynamics.alternating import Staircase
from experiments.composition.agf_dynamics.staircase import learned, plateau_losses


def staircase(asleep: int) -> Staircase:
    """Two jumps of three: the last irrep was never learned."""
    shares = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.0]])
    losses = np.array([4.0, 1.0, 0.25])
    return Staircase(np.array([2.0, 5.0]), losses, shares, np.array([7, 3]), np.zeros(2), np.array([1e-6, 1e-8]), asleep)


def test_a_network_without_neurons_left_says_nothing_of_the_next_plateau():
    levels, left = plateau_losses(staircase(asleep=0), 4)
    np.testing.assert_array_equal(levels, [4, 1, 0.25, np.nan])
    np.testing.assert_array_equal(left, [0, 1e-6, 1e-8, 0])


def test_a_flow_that_stands_still_with_neurons_left_stays_where_it_is():
    levels, _ = plateau_losses(staircase(asleep=5), 4)
    np.testing.assert_array_equal(levels, [4, 1, 0.25, 0.25])


def test_a_network_without_neurons_left_says_nothing_of_what_it_has_not_learned():
    np.testing.assert_array_equal(learned(staircase(asleep=0)).times, [2, 5, np.nan])
    np.testing.assert_array_equal(learned(staircase(asleep=5)).times, [2, 5, np.inf])


def test_what_minimisation_left_before_a_jump_moves_its_time():
    found = learned(staircase(asleep=0))
    np.testing.assert_allclose(found.relative, [0, 1e-3, 0])  # of a residual whose half square is one
