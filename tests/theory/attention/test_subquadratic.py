"""Memory and reach of attention below quadratic cost: small cases by hand, and questions that are refused."""

import pytest

from theory import bounds
from theory.errors import OutsideHypotheses


def test_small_sizes_by_hand():
    assert bounds.subquadratic(1, 1, 1).at() == 2  # one value and one normaliser, a bit each
    assert bounds.subquadratic(2, 3, 4).at() == 32
    assert bounds.linear_readout(2, 3).at() == 8
    assert bounds.window_reach(1, 5).at() == 5
    assert bounds.window_reach(3, 2, 7).at() == 6


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1.5)])
def test_sizes_that_are_no_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="a size of the layer"):
        bounds.subquadratic(*sizes)


def test_a_window_that_holds_the_word_is_refused():
    with pytest.raises(OutsideHypotheses, match="shorter than a word of 4"):
        bounds.window_reach(4, 1, 4).at()
