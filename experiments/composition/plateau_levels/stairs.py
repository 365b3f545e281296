"""The plateaus of a loss that falls in jumps, found in the loss alone: nobody says how many there are, or where."""

import itertools
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.signal import find_peaks

FLATTER = 10.0  # times slower than at the jumps on either side: a plateau
FAINTEST = 1e-3  # of the fastest rate: what is slower is no jump


class Stairs(NamedTuple):
    """The plateaus of one loss.

    Attributes:
        levels: Loss where each plateau is flattest.
        falls: How far the loss falls around that point, from halfway to either jump; a transient that decays like 1/t or
            faster falls from halfway by at least its remainder.
        times: Times of the jumps between plateaus, where the loss falls fastest.
    """

    levels: Float[np.ndarray, " plateaus"]
    falls: Float[np.ndarray, " plateaus"]
    times: Float[np.ndarray, " jumps"]


def stairs(times: Float[np.ndarray, " records"], losses: Float[np.ndarray, " records"]) -> Stairs:
    """Return the plateaus of a loss: stretches between two peaks of its rate, either ten times as high as the rate between.

    >>> times = np.linspace(0, 9, 901)
    >>> found = stairs(times, 1 - np.tanh(5 * (times - 3)) / 4 - np.tanh(5 * (times - 6)) / 4)
    >>> found.levels.round(6).tolist(), found.times.round(6).tolist()
    ([1.5, 1.0, 0.5], [3.0, 6.0])
    """
    rate = np.abs(np.gradient(losses, times))
    jumps = find_peaks(np.log(np.maximum(rate, FAINTEST * rate.max())), prominence=np.log(FLATTER))[0]
    edges = np.concatenate([[0], jumps, [len(losses)]])
    flattest = np.array([start + np.argmin(rate[start:stop]) for start, stop in itertools.pairwise(edges)])
    early, late = (edges[:-1] + flattest) // 2, (flattest + edges[1:] - 1) // 2
    return Stairs(losses[flattest], np.abs(losses[early] - losses[late]), times[jumps])


def typical_stairs(times: Float[np.ndarray, " records"], losses: Float[np.ndarray, "seeds records"]) -> Stairs:
    """Return the medians over the seeds that have the median number of plateaus."""
    found = [stairs(times, own) for own in losses]
    count = int(np.median([one.levels.size for one in found]))
    same = [one for one in found if one.levels.size == count] or found[:1]
    return Stairs(*(np.median(part, axis=0) for part in zip(*same, strict=True)))
