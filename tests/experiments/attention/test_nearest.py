"""The nearest-neighbour head: the inverse temperature at which it errs by half, in closed form."""

import math

import pytest

from experiments.attention.nearest_neighbour_in_context.nearest import threshold


@pytest.mark.parametrize(("right", "margin"), [(1, 0.25), (1, 4.0), (2, 1.0)])
def test_half_of_the_weight_is_where_the_others_together_weigh_as_much(right, margin):
    assert threshold(6, right, margin) == pytest.approx(math.log((6 - right) / right) / margin, rel=1e-9)


@pytest.mark.parametrize(("right", "margin"), [(1, 0.0), (1, -1.0), (1, math.nan), (0, 1.0), (6, 1.0)])
def test_keys_that_tie_or_have_no_rival_are_refused(right, margin):
    with pytest.raises(ValueError, match=f"margin {margin!r} and {right} nearest of 6 keys"):
        threshold(6, right, margin)
