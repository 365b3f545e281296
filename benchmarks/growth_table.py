"""Growth of a cost along an axis: its exponent with an interval, and the table and the figure of `benchmarks.growth`."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.optimize
import scipy.stats
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.pens import law, pen
from depthjax.figures.plots import styled, svg

PARTS = {"running": (1e3, "ms"), "preparing": (1.0, "s")}  # and the unit of each, in seconds
Times = dict[str, float]  # processor seconds by part
Measured = Mapping[str, Mapping[str, Sequence[Sequence[Times]]]]  # by axis and kind of network, of every round, at all values


@dataclasses.dataclass(frozen=True)
class Axis:
    """What grows.

    Attributes:
        values: Where it is measured, over a decade or more.
        bounds: What bounds running and preparing, in a sentence each.
        expected: The exponents of the two; one program for all sizes, unless said otherwise.
    """

    values: tuple[int, ...]
    bounds: Mapping[str, str]
    expected: Mapping[str, float] = dataclasses.field(default_factory=lambda: {"running": 1.0, "preparing": 0.0})


@dataclasses.dataclass(frozen=True)
class Growth:
    """One part of the cost along one axis.

    Attributes:
        values: Of the axis.
        times: Seconds, shape (rounds, values).
        expected: The exponent.
    """

    values: tuple[int, ...]
    times: np.ndarray
    expected: float

    @property
    def medians(self) -> np.ndarray:
        """Over the rounds."""
        return np.median(self.times, axis=0)

    @property
    def exponent(self) -> tuple[float, float, float]:
        """The slope of the straight line through the medians on logarithmic scales, and Student's 95 % interval."""
        x, y = (np.log(numbers) - np.log(numbers).mean() for numbers in (np.asarray(self.values), self.medians))
        slope = float(x @ y / (x @ x))
        free = len(x) - 2
        error = math.sqrt(((y - slope * x) ** 2).sum() / free / (x @ x))
        reach = float(scipy.stats.t.ppf(0.975, free)) * error
        return slope, slope - reach, slope + reach

    @property
    def last(self) -> float:
        """The exponent between the two largest values."""
        (x, y), (low, high) = self.values[-2:], self.medians[-2:]
        return math.log(high / low) / math.log(y / x)

    @property
    def fixed(self) -> float | None:
        """The share of the first time that does not grow, where the rest grows as expected; None where nothing should grow."""
        if not self.expected:
            return None
        grows = np.asarray(self.values, float) ** self.expected
        columns = np.stack([np.ones_like(grows), grows], axis=1) / self.medians[:, None]
        (constant, _), _ = scipy.optimize.nnls(columns, np.ones(len(grows)))
        return float(constant / self.medians[0])


def growths(axes: Mapping[str, Axis], measured: Measured) -> dict[tuple[str, str, str], Growth]:
    """What was measured, by axis, part and kind of network."""
    return {
        (name, part, model): Growth(
            axes[name].values, np.array([[times[part] for times in one] for one in rounds]), axes[name].expected[part]
        )
        for name, models in measured.items()
        for part in PARTS
        for model, rounds in models.items()
    }


def table(axes: Mapping[str, Axis], measured: Measured, about: str) -> str:
    """Markdown: exponents beside the expected ones, then the medians, then what bounds each."""
    found = growths(axes, measured)
    lines = [
        "# How cost grows",
        "",
        about,
        "",
        "Exponent: the slope of the straight line through the medians on logarithmic scales, with Student's 95 % interval, "
        "which is wide where the points lie on no line. Last: the exponent between the two largest values. Fixed: the share of "
        "the cost at the least value that does not grow, if the rest grows as expected.",
        "",
        "| axis, cost | network | exponent | 95 % | last | expected | fixed |",
        "|---|---|--:|---|--:|--:|--:|",
    ]
    for (name, part, model), one in found.items():
        slope, low, high = one.exponent
        fixed = "" if one.fixed is None else f"{100 * one.fixed:.0f} %"
        cells = f"{slope:.2f} | {low:.2f} to {high:.2f} | {one.last:.2f} | {one.expected:g} | {fixed}"
        lines.append(f"| {name}, {part} | `{model}` | {cells} |")
    for part, (unit, sign) in PARTS.items():
        lines += ["", f"## {part.capitalize()}, {sign}", "", "Median over the rounds, and the least and the most.", ""]
        for name, models in measured.items():
            values = axes[name].values
            lines += [f"| {name} | {' | '.join(map(str, values))} |", f"|---|{'--:|' * len(values)}"]
            for model in models:
                times = unit * found[name, part, model].times
                shown = " | ".join(f"{np.median(t):.3g} ({t.min():.3g} to {t.max():.3g})" for t in times.T)
                lines.append(f"| `{model}` | {shown} |")
            lines.append("")
    lines += ["## What bounds each", ""]
    lines += [f"- {name}, {part}: {said}." for name in measured for part, said in axes[name].bounds.items()]
    return "\n".join(lines) + "\n"


def figure(axes: Mapping[str, Axis], measured: Measured) -> str:
    """SVG: a row for each part, a column for each axis; points are medians with all rounds, lines are the expected growth."""
    found = growths(axes, measured)
    with styled("growth"):
        canvas = Figure(figsize=(2.4 * len(measured), 2.3 * len(PARTS)), layout="constrained")
        FigureCanvasSVG(canvas)
        places: Any = canvas.subplots(len(PARTS), len(measured), sharex="col", sharey="row", squeeze=False)
        for row, (part, (unit, sign)) in enumerate(PARTS.items()):
            for column, (name, models) in enumerate(measured.items()):
                place, axis = places[row, column], axes[name]
                for number, model in enumerate(models):
                    _points(place, found[name, part, model], unit, number, model)
                place.set(xscale="log", yscale="log", xticks=axis.values, xticklabels=map(str, axis.values))
                place.minorticks_off()
                if row == 0:
                    place.set_title(name)
            places[row, 0].set_ylabel(f"{part}, {sign}")
        places[0, 0].legend(fontsize=7)
        return svg(canvas, "Cost of running and of preparing against depth, length, seeds and cells; lines: expected growth")


def _points(place: Any, one: Growth, unit: float, number: int, model: str) -> None:
    colour, marker = pen(number)
    medians, values = unit * one.medians, np.asarray(one.values, float)
    reach = [medians - unit * one.times.min(axis=0), unit * one.times.max(axis=0) - medians]
    place.errorbar(values, medians, yerr=reach, fmt=marker, color=colour, elinewidth=1.2, label=model)
    # through the largest value, where what does not grow matters least
    place.plot(values, medians[-1] * (values / values[-1]) ** one.expected, **law(number))
