"""The zigzag of unit steps against finite differences, descents and its leading term."""

import numpy as np
import pytest

from experiments.identify.contrastive_zigzag import ravine
from theory.identify import contrast


@pytest.mark.parametrize("loss", contrast.LOSSES)
def test_the_slopes_of_the_ravine_are_finite_differences(loss):
    radius, step = 6.0, 1e-5
    for s, m in ((-5.0, 0.3), (-2.0, -0.7), (-0.5, 0.1)):
        found = ravine._slopes(radius, loss, np.array([s]), np.array([m]))
        values = {
            move: ravine._slopes(radius, loss, np.array([s + move[0]]), np.array([m + move[1]])).value[0]
            for move in ((step, 0), (-step, 0), (0, step), (0, -step))
        }
        assert np.isclose(found.along[0], (values[step, 0] - values[-step, 0]) / (2 * step), rtol=1e-6)
        assert np.isclose(found.across[0], (values[0, step] - values[0, -step]) / (2 * step), rtol=1e-6)


def _descend(radius, loss, rounded=lambda place: place, pace=1.0):
    """Steps until the level, counted one by one."""
    v, angles = pace / radius, np.linspace(0, 2 * np.pi, 256)

    def at(s, b):
        return ravine._slopes(radius, loss, np.atleast_1d(s), np.atleast_1d(b - radius * s / 2))

    level = at(np.cos(angles) / radius, np.sin(angles) / radius).value.max()
    place, count = np.array([-radius, -(radius**2) / 2]), 0
    while (found := at(*place)).value[0] >= level:
        slope = np.array([found.along[0] - radius / 2 * found.across[0], found.across[0]])
        place, count = rounded(place - v * slope / np.hypot(*slope)), count + 1
    return count


@pytest.mark.parametrize(("radius", "loss"), [(7.0, "ence"), (8.0, "ence"), (11.0, "ence"), (7.0, "nce"), (8.3, "nce")])
def test_unit_steps_are_those_of_descents(radius, loss):
    assert abs(ravine.unit_steps(radius, loss) / _descend(radius, loss) - 1) < 1 / radius**2
    assert abs(ravine.unit_steps(radius, loss, pace=0.8) / _descend(radius, loss, pace=0.8) - 1) < 1 / radius**2


@pytest.mark.parametrize(("radius", "digits"), [(7.0, 9), (8.0, 12), (8.0, 6), (10.0, 8)])
def test_steps_leave_the_floor_sooner_where_positions_are_rounded(radius, digits):
    predicted = ravine.unit_steps(radius, "ence", 10.0**-digits / (radius**2 / 2)) - ravine.unit_steps(radius, "ence")
    found = _descend(radius, "ence", lambda place: place.round(digits)) - _descend(radius, "ence")
    assert predicted > 3 and abs(found - predicted) < 3


def test_the_ends_of_a_cycle_lead_to_one_another():
    radius, loss = 12.0, "ence"
    at = -np.geomspace(40.0, 30.0, 8)
    floor = ravine._floor(radius, loss, at)
    assert np.abs(ravine._step(radius, loss, at, floor).across).max() < 1e-9
    gain, _ = ravine._zigzag(radius, loss, at, floor, 1 / radius)
    assert ((gain > 0) & (gain < 1)).all() and (np.diff(gain) < 0).all()


def test_unit_steps_of_ence_approach_their_leading_term():
    last = (8 * np.log(np.cosh(1 / 4) / np.cosh(1 / 8))) ** 0.5
    shares = [
        ravine.unit_steps(radius, "ence") / (radius**4 * np.tanh(1 / 8) / 4 * (np.log(radius / last) - 1 / 2))
        for radius in (8.0, 12.0, 20.0)
    ]
    assert 1 < shares[2] < shares[1] < shares[0] < 1.6 and shares[2] < 1.1
    for radius in (2.0, 4.5, 6.9, 20.1):
        with pytest.raises(ValueError, match=r"expected 7\.0 to 20"):
            ravine.unit_steps(radius)
    for rounding in (0.0, -1e-3, 2.0):
        with pytest.raises(ValueError, match="a share above 0"):
            ravine.unit_steps(8.0, rounding=rounding)
    for pace in (0.5, 1.25):
        with pytest.raises(ValueError, match=r"expected 0\.8 to 1"):
            ravine.unit_steps(8.0, pace=pace)
    with pytest.raises(ValueError, match="expected 'nce' or 'ence'"):
        ravine.unit_steps(8.0, "mle")
