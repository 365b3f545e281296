"""The pens of all figures: what theory says is a line or a bar of one colour, what was measured are points with intervals.

Laws in one axis are told apart by the style of their lines, and points by colour and marker. Both are readable on light and on
dark ground, and in print. The colours of points are those of Okabe and Ito without the one of the laws.
"""

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from depthjax.verify.means import critical
from depthjax.verify.seeds import SHOWN, median_limits

__all__ = ["COLOURS", "GREY", "LAW", "MARKERS", "law", "pen", "points"]

LAW, GREY = "#D55E00", "#8a8a8a"
COLOURS = ("#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#8C6BB1", "#7F7F00", "#E69F00")
MARKERS = "osD^vPX*"
STYLES = ("-", (0, (5, 1.6)), (0, (5, 1.6, 1.2, 1.6)), (0, (1.5, 1.3)), (0, (9, 2)), (0, (9, 2, 1.2, 2, 1.2, 2)))


def law(number: int = 0, label: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the look of a predicted line, for `plot`, `step`, `axhline`, `hlines` and their like.

    Args:
        number: Which of several laws in one axis: it chooses the style of the line.
        label: Words for the legend; none where the axis says it.
        more: Other properties of the line, such as `linewidth`.

    >>> law(1)["color"] == law(0)["color"], law(1)["linestyle"] == law(0)["linestyle"]
    (True, False)
    """
    return {"color": LAW, "linestyle": STYLES[number % len(STYLES)], "linewidth": 1.3, "zorder": 1.8, "label": label} | more


def pen(number: int) -> tuple[str, str]:
    """Colour and marker of the n-th kind of points; 56 different pairs."""
    return COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]


def points(
    axis: Axes,
    x: Any,
    samples: Any,
    number: int = 0,
    label: str | None = None,
    of: Literal["median", "mean"] = "median",
    every: bool = False,
) -> None:
    """Draw independent samples as points with intervals that hold the median, or the mean, in 95 of 100 such experiments.

    The interval of the median is exact. That of the mean is Student's. Without enough samples for one, a point stands alone.

    Args:
        axis: Where.
        x: Places, shape ``(places,)``.
        samples: Shape ``(places, samples)``.
        number: Which of several kinds of points: it chooses colour and marker.
        label: Words for the legend.
        of: What the point and its interval speak of.
        every: Every sample is drawn as well, small.

    >>> from matplotlib.figure import Figure
    >>> axis = Figure().subplots()
    >>> points(axis, [1, 2], np.random.default_rng(0).normal(size=(2, 20)), label="measured")
    >>> len(axis.containers)
    1
    """
    samples, (colour, marker) = np.asarray(samples, float), pen(number)
    if of == "median":
        middle, (low, high) = np.median(samples, axis=-1), median_limits(samples)
    else:
        count = samples.shape[-1]
        width = critical(count, SHOWN, skewness=0.0) * samples.std(axis=-1, ddof=1) / count**0.5 if count > 1 else np.inf
        middle = samples.mean(axis=-1)
        low, high = middle - width, middle + width
    reach = [np.where(np.isfinite(edge), abs(middle - edge), 0.0) for edge in (low, high)]
    if every:
        places = np.repeat(np.asarray(x, float), samples.shape[-1])
        axis.plot(places, samples.ravel(), marker, color=colour, ms=2.5, alpha=0.4, lw=0)
    axis.errorbar(x, middle, yerr=reach, fmt=marker, color=colour, elinewidth=1.6, label=label)
