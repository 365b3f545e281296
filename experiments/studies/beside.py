"""The figure of a comparison: published numbers as bars of one colour, measured ones as points with intervals, by depth."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.pens import COLOURS, GREY
from depthjax.figures.plots import WIDTH, styled, svg
from experiments.studies.comparison import Line
from experiments.studies.figure import LABELS
from experiments.studies.published import Published

COLUMNS = 3
FEW = 2  # measured numbers below which there is nothing to see
MANY = 10  # depths beyond which their numbers are written small
BARS = 0.8  # of the distance between two depths


def worth_drawing(lines: Sequence[Line]) -> bool:
    """Whether enough published numbers were measured for a figure to show more than a sentence."""
    return sum(line.measured is not None for line in lines) >= FEW


def beside(published: Published, lines: Sequence[Line], ceilings: Sequence[float | None] = ()) -> str:
    """Return a panel for every value of the study's axes but depth, as SVG text; panels without a measurement are left out.

    `ceilings` has a number or None for every line: what one layer that is blind to order could reach is a broken line, and a
    dotted one where the published file has it at the published length.
    """
    own = published.setup.get("one_layer", {})
    panels: dict[str, list[Line]] = {}
    tops: dict[str, float] = {}
    for line, top in zip(lines, ceilings or [None] * len(lines), strict=True):
        panels.setdefault(_title(line), []).append(line)
        tops |= {} if top is None else {_title(line): top}
    shown = {title: found for title, found in panels.items() if any(line.measured for line in found)}
    rows = -(-len(shown) // COLUMNS)
    with styled(published.study):
        canvas = Figure(figsize=(WIDTH, 1.0 + 2.2 * rows), layout="constrained")
        FigureCanvasSVG(canvas)
        told = "published (bars) and measured (dots: median with its interval, triangles: best)"
        where = "\nbroken at the measured length, dotted at the published one" if own else " at the measured length"
        told += f"\nlines: the most that one layer blind to order could reach{',' * bool(own)}{where}" * bool(tops)
        canvas.suptitle(f"{published.title}\n{told}")
        alike = len({line.row.metric for found in shown.values() for line in found}) == 1  # so panels can share their scale
        places = canvas.subplots(rows, COLUMNS, squeeze=False, sharey=alike)
        for number, (place, (title, found)) in enumerate(zip(places.flat, shown.items(), strict=False)):
            _panel(place, title, found)
            if title in tops:
                place.axhline(tops[title], color=COLOURS[1], lw=1, ls="--")
            if title in own:
                place.axhline(own[title], color=COLOURS[1], lw=1.2, ls=":")
            if alike and number % COLUMNS:
                place.set_ylabel("")
        if len(canvas.axes[0].get_legend_handles_labels()[1]) > 1:
            canvas.axes[0].legend(fontsize=6.5)
        for place in canvas.axes[len(shown) :]:
            place.remove()
        return svg(canvas, f"{published.study}, published beside measured")


def _panel(place: Axes, title: str, lines: Sequence[Line]) -> None:
    depths = sorted({int(line.row.cell["depth"]) for line in lines})
    known: dict[str, list[Line]] = {}
    for line in lines:
        if line.row.statistic in ("best", "single"):
            known.setdefault(", ".join(f"{key} {value}" for key, value in line.row.more.items()), []).append(line)
    for number, (setting, bars) in enumerate(known.items()):
        width = BARS / len(known)
        at = [depths.index(int(line.row.cell["depth"])) + (number + 0.5) * width - BARS / 2 for line in bars]
        shade = 0.7 - 0.45 * number / len(known)
        place.bar(at, [line.row.value for line in bars], width, color=GREY, alpha=shade, lw=0, label=setting)
    for line in lines:
        if line.measured is None:
            continue
        depth, found = depths.index(int(line.row.cell["depth"])), line.measured
        place.plot(depth, found.median, "o", color=COLOURS[0], ms=4)
        place.plot(depth, found.best, "^", color=COLOURS[0], ms=5, mfc="none")
        if np.isfinite(found.low):
            place.vlines(depth, found.low, found.high, color=COLOURS[0], lw=2, alpha=0.6)
    place.set(title=title, xlabel="layers", xticks=range(len(depths)), xticklabels=map(str, depths))
    if len(depths) > MANY:
        place.tick_params(axis="x", labelsize=6.5)
    metric = lines[0].row.metric
    place.set_ylabel(LABELS.get(metric, metric.replace("_", " ")))


def _title(line: Line) -> str:
    """The coordinates but depth and model: names stand alone, numbers with their axis, and zero, which is "off", not at all."""
    shown = {axis: value for axis, value in line.row.cell.items() if axis not in ("depth", "model") and value}
    return ", ".join(value if isinstance(value, str) else f"{axis} {value}" for axis, value in shown.items())
