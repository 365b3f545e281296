"""Prediction limits against the enumeration of all orders of own and other runs."""

import itertools
import math

import numpy as np
import pytest

from experiments.studies.limits import prediction_limits


@pytest.mark.parametrize(("own", "others", "rank"), [(4, 3, 3), (4, 3, 1), (5, 2, 1), (3, 5, 3), (6, 1, 1)])
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.9])
def test_the_limits_hold_over_all_orders_and_none_nearer_does(own, others, rank, rate):
    below, above = np.zeros(own), np.zeros(own)  # how often the number lies below and above each own run
    for places in itertools.combinations(range(own + others), others):
        number, mine = sorted(places)[rank - 1], sorted({*range(own + others)} - {*places})
        below += number < np.array(mine)
        above += number > np.array(mine)
    every = math.comb(own + others, others)
    low, high = prediction_limits(np.arange(own, dtype=float), others, rank, rate)
    lower, upper = np.flatnonzero(below / every <= rate / 2), np.flatnonzero(above / every <= rate / 2)
    assert low == (lower[-1] if lower.size else -math.inf) and high == (upper[0] if upper.size else math.inf)


@pytest.mark.parametrize(("runs", "others", "rank"), [([], 1, 1), ([1.0], 1, 0), ([1.0], 1, 2), ([1.0], 0, 1)])
def test_what_is_no_rank_is_refused(runs, others, rank):
    with pytest.raises(ValueError, match="expected runs, and a rank of"):
        prediction_limits(np.array(runs), others, rank)
