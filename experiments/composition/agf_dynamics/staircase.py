"""What flows say of every part of their target, and how far they can be trusted: simulated alternating ones, and trained ones.

A network that ran out of dormant neurons says nothing of what it has not learned: such times and losses are NaN.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from depthjax.training.flow import Trajectory
from experiments.composition.agf_dynamics.alternating import Staircase


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
    """Return the loss on each of the plateaus, and what minimisation may have left of it; the last plateau lasts."""
    lasting = staircase.losses[-1] if staircase.asleep or len(staircase.losses) >= plateaus else np.nan
    missing = max(plateaus - len(staircase.losses), 0)
    losses = np.append(staircase.losses, np.full(missing, lasting))[:plateaus]
    return losses, np.pad(np.append(0.0, staircase.left), (0, missing))[:plateaus]


def without_step_error(times: Float[np.ndarray, "..."], log_scale: float, step: float) -> Float[np.ndarray, "..."]:
    """Return the limits of times by Heun's method as those of the flow, whose time s = t log(1/alpha) has steps of one length.

    In the limit a neuron grows by log(1/alpha) in log until its time. A step multiplies it by 1 + z + z^2/2, z = step *
    log(1/alpha) / time of the flow, and by e^a, a = step * log(1/alpha) / time of the method. The two are equal.

    Args:
        times: Limits of times by the method.
        log_scale: log(1/alpha).
        step: The length of a step in the time t.
    """
    return step * log_scale / (np.sqrt(2 * np.exp(step * log_scale / times) - 1) - 1)


def starts(course: Trajectory, share: float) -> tuple[Float[np.ndarray, "seeds parts"], Float[np.ndarray, "seeds parts"]]:
    """Return when each network first has this share of each part, and how far this is from certain.

    A share grows exponentially at first, so its logarithm is interpolated. The error of a linear interpolation is at most an
    eighth of the second difference, of which the larger of the two neighbouring ones is taken.

    Args:
        course: Records of the networks.
        share: The share, between 0 and 1.

    Returns:
        The times, infinite for a part that is never learned so far, and the bound on their errors.
    """
    logs = np.log(np.maximum(np.asarray(course.shares), np.finfo(float).tiny))
    spacing, over = float(course.times[1] - course.times[0]), logs >= np.log(share)
    after = np.clip(np.argmax(over, axis=1), 2, logs.shape[1] - 2)
    before, low, high, later = (np.take_along_axis(logs, after[:, None] + shift, axis=1)[:, 0] for shift in (-2, -1, 0, 1))
    slope = np.where(high > low, high - low, np.inf)
    bend = np.maximum(np.abs(before - 2 * low + high), np.abs(low - 2 * high + later)) / 8
    times = np.asarray(course.times)[after] + spacing * (np.log(share) - high) / slope
    return np.where(over.any(axis=1), times, np.inf), spacing * bend / slope
