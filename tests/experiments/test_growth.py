"""Fits of growth on planted times, and the table and figure that are made of them."""

import numpy as np
import pytest

benchmark = pytest.importorskip("benchmarks.growth", reason="no benchmarks beside the tests")
from benchmarks.growth_table import Growth, figure, table  # noqa: E402

VALUES = (1, 2, 4, 10)


def grown(times, expected=1.0):
    return Growth(VALUES, np.array([times, times, [100.0 * t for t in times]]), expected)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5])
def test_a_power_is_its_own_exponent_and_one_bad_round_of_three_changes_nothing(power):
    slope, low, high = grown([3.0 * n**power for n in VALUES]).exponent
    assert (slope, low, high) == pytest.approx((power, power, power), abs=1e-6)


def test_points_on_no_line_have_a_wide_interval_that_holds_the_last_exponent():
    one = grown([n + n**2 for n in VALUES])
    slope, low, high = one.exponent
    assert 1 < low < slope < high and low < one.last < high + 1 and one.last > slope


@pytest.mark.parametrize("share", [0.0, 0.25, 0.9])
def test_the_part_that_does_not_grow_is_found(share):
    one = grown([share + (1 - share) * n for n in VALUES])
    assert one.fixed == pytest.approx(share, abs=1e-9)
    assert grown([1.0] * 4, expected=0.0).fixed is None


def test_the_table_and_the_figure_hold_every_axis():
    rounds = [[{"running": 1e-3 * n * noise, "preparing": 2.0 * noise} for n in range(1, 5)] for noise in (0.9, 1.0, 1.1)]
    times = {axis: {"rnn": rounds} for axis in benchmark.AXES}
    place = {"device": "an abacus", "cores": 2, "load": 0.9, "versions": "jax 0.10.0", "times": times}
    text, drawing = table(benchmark.AXES, times, benchmark.about(place)), figure(benchmark.AXES, times)
    assert all(text.count(f"| {axis} |") == 2 and text.count(f"| {axis}, ") == 2 for axis in benchmark.AXES)
    assert all(f"- {axis}, running:" in text for axis in benchmark.AXES)
    assert "3 or more rounds on an abacus, 2 cores under a load of 1," in text and "nan" not in text
    assert all(f">{axis}<" in drawing for axis in benchmark.AXES)
