"""The nearest neighbour in context: the bound beside weights written out, and questions that it refuses."""

import math

import pytest

from theory import bounds
from theory.errors import OutsideHypotheses


@pytest.mark.parametrize("size", [2, 5, 100])
@pytest.mark.parametrize("sharpness", [0.1, 1.0, 20.0])
def test_the_extremal_context_by_its_weights(size, sharpness):
    weights = [1.0] + [math.exp(-sharpness)] * (size - 1)
    error = sum(weights[1:]) / sum(weights)
    assert bounds.nearest_neighbour(size, sharpness * 2, 0.5).at() == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize("error", [0.01, 0.5, 0.9])
def test_at_the_threshold_the_error_is_the_one_that_is_allowed(error):
    beta = bounds.nearest_neighbour_threshold(50, 2, error).at()
    assert bounds.nearest_neighbour(50, beta, 2).at() == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "fails"), [((1, 1, 1), "context"), ((4, 0, 1), "beta > 0"), ((4, 1, 0), "margin > 0"), ((2.5, 1, 1), "context")]
)
def test_hypotheses_refuse(sizes, fails):
    with pytest.raises(OutsideHypotheses, match=fails):
        bounds.nearest_neighbour(*sizes).at()


@pytest.mark.parametrize("error", [0, 1, 2])
def test_errors_outside_the_range_of_labels_are_refused(error):
    with pytest.raises(OutsideHypotheses, match="error"):
        bounds.nearest_neighbour_threshold(4, 1, error).at()


def test_negative_numbers_are_refused():
    with pytest.raises(ValueError, match="margin"):
        bounds.nearest_neighbour(4, 1, -1)
