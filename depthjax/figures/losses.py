"""Pictures of training losses: every seed thin, the median thick."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from depthjax.figures.pens import COLOURS
from depthjax.figures.ticks import whole_ticks


def draw_losses(axis: Axes, losses: Mapping[str, np.ndarray], title: str) -> None:
    """Draw the losses of several networks by record.

    Args:
        axis: Where.
        losses: Label of a network -> losses of shape ``(seeds, records)``.
        title: Above the axis.
    """
    for (label, values), colour in zip(losses.items(), COLOURS, strict=False):
        axis.plot(values.T, color=colour, lw=0.4, alpha=0.4)
        axis.plot(np.median(values, axis=0), color=colour, lw=2, label=label)
    axis.set(title=title, xlabel="record")
    whole_ticks(axis.xaxis)
