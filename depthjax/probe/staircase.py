"""What one simulated alternating flow says of every part of its target, and how far it can be trusted.

A network that ran out of dormant neurons says nothing of what it has not learned: such times and losses are NaN.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from depthjax.training.alternating import Staircase


class Learned(NamedTuple):
    """When each part is learned.

    Attributes:
        times: Infinite for a part that the flow never learns, NaN where the flow says nothing.
        early: By how much each time may be too late, because a neuron is not quite at the maximum of its utility.
        relative: Relative error of each time, from what minimisation has left of the residual.
    """

    times: Float[np.ndarray, " parts"]
    early: Float[np.ndarray, " parts"]
    relative: Float[np.ndarray, " parts"]


def learned(staircase: Staircase) -> Learned:
    """Return when each part is learned, with the errors of these times.

    A utility is linear in the residual, whose half square is the loss: the square root of the share of the loss that a
    minimisation left bounds the relative error. Of all earlier minimisations the worst counts, as neurons grow from the start.
    """
    times = staircase.learned()
    times = np.where(np.isinf(times) & (staircase.asleep == 0), np.nan, times)
    before = np.append(0.0, staircase.left)[:-1]
    sizes = np.sqrt(np.maximum.accumulate(before) / staircase.losses[:-1])
    early = [staircase.doubts[staircase.times == time].max(initial=0.0) for time in times]
    relative = [sizes[staircase.times <= time].max(initial=0.0) for time in times]
    return Learned(times, np.array(early), np.array(relative))


def plateau_losses(
    staircase: Staircase, plateaus: int
) -> tuple[Float[np.ndarray, " plateaus"], Float[np.ndarray, " plateaus"]]:
    """Return the loss on each of so many plateaus, and what minimisation may have left of it; the last plateau lasts."""
    lasting = staircase.losses[-1] if staircase.asleep or len(staircase.losses) >= plateaus else np.nan
    missing = max(plateaus - len(staircase.losses), 0)
    losses = np.append(staircase.losses, np.full(missing, lasting))[:plateaus]
    return losses, np.pad(np.append(0.0, staircase.left), (0, missing))[:plateaus]
