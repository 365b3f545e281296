"""Tables composed by a machine that reads the last one first: states of one pass, and passes of a machine with few states."""

import numpy as np
from jaxtyping import Int

from experiments.attention.composition_needs_depth.two_layers import tables


def classes(points: int) -> int:
    """Return how many second tables have to be told apart before the start and the first table are read.

    Two tables are one state if they give the same answers for all starts and all first tables.
    """
    seconds = tables(points, points)
    firsts = np.unique(tables(points, points)[:, 0])  # the values at the start are all that matters of a first table
    return len(np.unique(seconds[:, firsts], axis=0))


def right_passes(
    starts: Int[np.ndarray, " words"], given: Int[np.ndarray, "words tables points"], *, last_first: bool = True
) -> list[int]:
    """Return for k = 1, 2, ... the first pass after which a machine that holds one value is right.

    A pass reads the start and then f_k, ..., f_1, or f_1, ..., f_k. The machine waits for one table after the other: where it
    meets f_r and has used f_1, ..., f_(r - 1), it replaces its value by that entry of f_r.
    """
    words, count, _ = given.shape
    truth, found = starts, []
    for used in range(1, count + 1):
        truth = given[np.arange(words), used - 1, truth]
        held, waits, passes = starts, 1, 0
        while not (held == truth).all() and passes <= count:
            passes += 1
            for table in range(used, 0, -1) if last_first else range(1, used + 1):
                if table == waits:
                    held, waits = given[np.arange(words), table - 1, held], waits + 1
        found.append(passes)
    return found
