"""Pages of what the probe found: a sentence, pictures, and a table of answers with what decided each of them."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from depthjax.figures.inks import INK, PAPER
from depthjax.figures.pens import COLOURS, GREY
from depthjax.figures.plots import WIDTH, styled, svg
from depthjax.probe.generated_algebra import GeneratedAlgebra
from depthjax.report.inert import figure
from depthjax.report.markup import Html, fill, joined
from depthjax.report.templates import STYLE, policy

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>depthjax: {heading}</title>
<style>{style}</style></head>
<body><header><h1>{heading}</h1><p>{summary}</p>
<p class="faint">Certain answers follow from exact mathematics. Numerical ones rest on a gap between what counts and what
rounding explains. Sampled ones hold for the cases that were tried.</p></header>
<div class="pictures">{pictures}</div>
{tables}
</body></html>
"""
MARKED = 6  # letters whose eigenvalues are drawn
MOST = 40  # states or letters up to which every entry of a transition table is written out

Picture = tuple[str, str]
Table = tuple[str, Sequence[str], Iterable[Sequence[str]]]


def write(path: Path, heading: str, summary: str, pictures: Sequence[Picture], tables: Sequence[Table]) -> Path:
    """Write a page without scripts, which loads nothing, and return its path.

    Args:
        path: The file.
        heading: What was probed.
        summary: One line about what was found.
        pictures: SVG text and caption of each picture.
        tables: Title, head and rows of each table; the first title may be empty.

    Raises:
        OSError: The file cannot be written.
    """
    colours = {INK: "currentColor", f"fill {PAPER}": "none"}
    template = '<figure class="picture">{shape}<figcaption class="faint">{caption}</figcaption></figure>'
    shown = joined(
        fill(template, shape=figure(text.encode(), f"picture{number}", colours).shapes, caption=caption)
        for number, (text, caption) in enumerate(pictures)
    )
    lines = joined((titled(*parts) for parts in tables), "\n")
    page = fill(PAGE, policy=policy(), style=Html(STYLE), heading=heading, summary=summary, pictures=shown, tables=lines)
    path.write_text(page, encoding="utf-8")
    return path


def titled(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Return a table under its title; an empty title is left out."""
    names = joined(fill("<th>{name}</th>", name=name) for name in head)
    lines = (fill("<tr>{cells}</tr>", cells=joined(fill("<td>{cell}</td>", cell=cell) for cell in row)) for row in rows)
    above = fill("<h3>{title}</h3>", title=title) if title else Html("")
    template = '{above}<table class="answers"><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>'
    return fill(template, above=above, names=names, lines=joined(lines))


def algebra_pictures(algebra: GeneratedAlgebra) -> list[Picture]:
    """Return the singular values that decided the dimension, and the dimensions of both series."""
    pictures = []
    for draw, caption in (
        (_singular_values, "Directions of the algebra, in the order in which they were found, and what counted as zero."),
        (_dimensions, "Dimensions of the derived and the lower central series."),
    ):
        with styled("probe"):
            canvas = Figure(figsize=(0.6 * WIDTH, 2.8), layout="constrained")
            FigureCanvasSVG(canvas)
            axis = canvas.subplots()
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            draw(axis, algebra)
            pictures.append((svg(canvas, "a probed recurrence"), caption))
    return pictures


def spectrum_picture(names: Sequence[str], values: Sequence[Any], of: str = "letter ") -> Picture:
    """Return the eigenvalues of each letter in the complex plane, with the unit circle; `of` stands before each name."""
    with styled("probe"):
        canvas = Figure(figsize=(0.45 * WIDTH, 0.45 * WIDTH), layout="constrained")
        FigureCanvasSVG(canvas)
        axis = canvas.subplots()
        turn = np.exp(1j * np.linspace(0, 2 * np.pi, 200))
        axis.plot(np.real(turn), np.imag(turn), color=GREY, linewidth=0.8)
        for number, (letter, own) in enumerate(zip(names[:MARKED], values[:MARKED], strict=True)):
            colour = COLOURS[number % len(COLOURS)]
            axis.plot(np.real(own), np.imag(own), ".", color=colour, markersize=4, label=f"{of}{letter}")
        axis.set(xlabel="real part", ylabel="imaginary part", aspect="equal")
        axis.legend()
        more = f", of the first {MARKED} letters" if len(names) > MARKED else ""
        return svg(canvas, "eigenvalues"), f"Eigenvalues of the transitions{more}, and the unit circle."


def transition_table(
    table: Int[np.ndarray, "states letters"], outputs: Int[np.ndarray, "states letters"], letters: Sequence[int]
) -> str:
    """Return an automaton's table as SVG: a row for each state, a column for each letter, the next state as a number.

    The colour of an entry is the answer at that letter. Entries of more than `MOST` states or letters are not written out.
    """
    states, width = table.shape
    classes = np.unique(outputs, return_inverse=True)[1].reshape(outputs.shape)
    with styled("probe"):
        canvas = Figure(figsize=(min(1 + 0.3 * width, 8), min(0.8 + 0.22 * states, 10)), layout="constrained")
        FigureCanvasSVG(canvas)
        axis = canvas.subplots()
        axis.pcolormesh(classes, cmap="Pastel1" if classes.max() < 9 else "viridis", edgecolors="white", linewidth=0.5)
        axis.invert_yaxis()
        axis.set(xlabel="letter", ylabel="state")
        if max(states, width) <= MOST:
            axis.set_xticks(np.arange(width) + 0.5, [str(letter) for letter in letters])
            axis.set_yticks(np.arange(states) + 0.5, [str(state) for state in range(states)])
            for (state, letter), following in np.ndenumerate(table):
                # the cells are bright on every page
                axis.text(letter + 0.5, state + 0.5, str(following), ha="center", va="center", size=7, color="black")
        return svg(canvas, "transition table")


def _singular_values(axis: Axes, algebra: GeneratedAlgebra) -> None:
    """What counted, what did not, and the tolerance between them."""
    count = len(algebra.found)
    left = np.maximum(algebra.left, np.finfo(float).tiny ** 0.06)  # zeros stand at the lower edge
    axis.semilogy(1 + np.arange(count), algebra.found, "o", color=COLOURS[0], label="counts")
    axis.semilogy(count + 1 + np.arange(len(left)), left, "x", color=GREY, label="counts as zero")
    axis.axhline(algebra.tolerance, color=INK, linestyle="--", label="tolerance")
    axis.set(xlabel="direction", ylabel="singular value over its noise")
    axis.legend()


def _dimensions(axis: Axes, algebra: GeneratedAlgebra) -> None:
    for shift, (name, series) in enumerate((("derived", algebra.derived), ("lower central", algebra.lower_central))):
        heights = [math.nan if found.value is None else found.value for found in series]
        places = np.arange(len(heights)) + 0.4 * shift - 0.2
        axis.bar(places, heights, 0.38, color=COLOURS[shift], label=name)
        for place, height in zip(places, heights, strict=True):
            if not math.isnan(height):
                axis.annotate(str(height), (place, height), ha="center", va="bottom", fontsize=8)
    axis.set(xlabel="brackets taken", ylabel="dimension")
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.margins(y=0.25)
    axis.legend()
