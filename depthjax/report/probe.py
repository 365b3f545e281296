"""The page of a probed recurrence: its answers, the singular values that decided them, and the dimensions of its series."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.panels import COLOURS, GREY
from depthjax.figures.plots import INK, PAPER, WIDTH, styled, svg
from depthjax.probe.generated_algebra import GeneratedAlgebra
from depthjax.report.inert import figure
from depthjax.report.markup import Html, fill, joined
from depthjax.report.templates import STYLE, policy

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>depthjax: a probed recurrence</title>
<style>{style}</style></head>
<body><header><h1>A probed recurrence</h1><p>{title}</p>
<p class="faint">Certain answers follow from exact mathematics. Numerical ones rest on a gap between singular values. Sampled
ones hold for the cases that were tried.</p></header>
<div class="figure" role="img" aria-label="singular values and dimensions">{shapes}</div>
{answers}
</body></html>
"""

Rows = Sequence[tuple[str, str, str, str]]


def write_recurrence(rows: Rows, algebra: GeneratedAlgebra, title: str, path: Path) -> Path:
    """Write the page and return its path.

    Args:
        rows: Name, answer, standing and reason of every answer.
        algebra: The algebra whose singular values and series are drawn.
        title: One line about the recurrence.
        path: The file.

    Raises:
        OSError: The file cannot be written.
    """
    with styled("probe"):
        canvas = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        FigureCanvasSVG(canvas)
        left, right = canvas.subplots(1, 2)
        _singular_values(left, algebra)
        _dimensions(right, algebra)
        drawn = svg(canvas, "a probed recurrence")
    shapes = figure(drawn.encode(), "probe", {INK: "currentColor", f"fill {PAPER}": "none"})
    page = fill(PAGE, policy=policy(), style=Html(STYLE), title=title, shapes=shapes, answers=table(rows))
    path.write_text(page, encoding="utf-8")
    return path


def table(rows: Rows) -> Html:
    """Return the answers as a table."""
    head = joined(fill("<th>{name}</th>", name=name) for name in ("question", "answer", "standing", "why"))
    lines = (fill("<tr>{cells}</tr>", cells=joined(fill("<td>{cell}</td>", cell=cell) for cell in row)) for row in rows)
    return fill("<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>", head=head, lines=joined(lines))


def _singular_values(axis: Axes, algebra: GeneratedAlgebra) -> None:
    """What counted, what did not, and the tolerance between them."""
    count = len(algebra.found)
    left = np.maximum(algebra.left, np.finfo(float).tiny ** 0.06)  # zeros stand at the lower edge
    axis.semilogy(1 + np.arange(count), algebra.found, "o", color=COLOURS[0], label="counts")
    axis.semilogy(count + 1 + np.arange(len(left)), left, "x", color=GREY, label="counts as zero")
    axis.axhline(algebra.tolerance, color=COLOURS[1], linestyle="--", label="tolerance")
    axis.set(xlabel="direction", ylabel="relative singular value", title="what decided the dimension")
    axis.legend()


def _dimensions(axis: Axes, algebra: GeneratedAlgebra) -> None:
    for shift, (name, series) in enumerate((("derived", algebra.derived), ("lower central", algebra.lower_central))):
        heights = [math.nan if found.value is None else found.value for found in series]
        places = np.arange(len(heights)) + 0.4 * shift - 0.2
        axis.bar(places, heights, 0.38, color=COLOURS[shift], label=f"{name} series")
        for place, height in zip(places, heights, strict=True):
            if not math.isnan(height):
                axis.annotate(str(height), (place, height), ha="center", va="bottom", fontsize=8)
    axis.set(xlabel="step", ylabel="dimension", title="series")
    axis.margins(y=0.25)
    axis.legend()
