"""Between which runs of one's own a published number lies if both were drawn from one law, whatever the law is."""

import math

import numpy as np

RATE = 0.05  # chance that a number of the same law lies outside, both sides together


def prediction_limits(runs: np.ndarray, others: int, rank: int, rate: float = RATE) -> tuple[float, float]:
    """Return limits that contain the rank-th smallest of other runs of the same law with probability ``1 - rate`` or more.

    All orders of own and other runs are equally likely, so the chance that the rank-th smallest of n others lies below the i-th
    smallest of m own ones is that of at least `rank` others before it. Ties count for the limits. A limit is infinite where the
    own runs are too few to set one: 6 runs say nothing about a single other run, and set the best of 20 a lower limit alone.

    Args:
        runs: Own runs, in any order.
        others: Number of the other runs.
        rank: Of the other runs, 1 for the smallest.
        rate: Chance of a number outside.

    Raises:
        ValueError: There are no runs, or there is no such rank.

    >>> prediction_limits(np.arange(6), 20, 20), prediction_limits(np.arange(6), 1, 1)
    ((3.0, inf), (-inf, inf))
    """
    ordered, own = np.sort(runs), len(runs)
    if own == 0 or not 1 <= rank <= others:
        raise ValueError(f"{own} runs and rank {rank} of {others}: expected runs, and a rank of 1 to {others}")
    every = math.comb(own + others, others)

    def before(place: int) -> float:
        """Chance that at least `rank` others come before the own run of this place."""
        counts = range(rank, others + 1)
        return sum(math.comb(place - 1 + t, t) * math.comb(own - place + others - t, others - t) for t in counts) / every

    low = [place for place in range(1, own + 1) if before(place) <= rate / 2]
    high = [place for place in range(1, own + 1) if 1 - before(place) <= rate / 2]
    return (float(ordered[low[-1] - 1]) if low else -math.inf), (float(ordered[high[0] - 1]) if high else math.inf)
