"""The Krohn-Rhodes cascade of an automaton as a diagram: the automaton, the levels that replace it, and a word."""

import dataclasses
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from depthjax.figures.automata import draw_automaton
from depthjax.figures.inks import INK
from depthjax.figures.layer_stacks import COUNTER, RESET
from depthjax.figures.pens import GREY

__all__ = ["CascadeDrawing", "draw_cascade"]

ROW = 0.36  # height of a row of the table


@dataclasses.dataclass(frozen=True)
class CascadeDrawing:
    """What `draw_cascade` shows.

    Attributes:
        states: Names of the states.
        letters: Names of the letters.
        table: Next state; shape (states, letters).
        levels: What the letters do on each level, in words, highest first; a level of resets begins with "reset".
        word: The letters of a word.
        chains: Before the word and after each of its letters, the set of states that each level has narrowed down to; empty
            where no word is read.
        run: The states of the automaton itself at the same places.
    """

    states: Sequence[str]
    letters: Sequence[str]
    table: np.ndarray
    levels: Sequence[str]
    word: Sequence[str]
    chains: Sequence[Sequence[str]]
    run: Sequence[str]

    @property
    def height(self) -> float:
        """Inches that the diagram takes."""
        return max(2.6, 1.9 + 0.22 * len(self.chains))


def draw_cascade(place: Any, drawing: CascadeDrawing) -> None:
    """Draw the automaton on the left and its cascade on the right, with the word below; the last two columns should agree.

    Args:
        place: An empty part of a matplotlib figure.
        drawing: What is shown.
    """
    left, right = place.subplots(1, 2, width_ratios=[1.0, 0.9 + 0.5 * len(drawing.levels)])
    for axis in (left, right):
        axis.set_axis_off()
    draw_automaton(left, drawing.states, drawing.letters, drawing.table)
    left.set_title("the automaton", fontsize=8.5)
    _levels(right, drawing)
    if drawing.chains:
        _run(right, drawing)
    rows = 1 + len(drawing.chains) if drawing.chains else 0
    right.set(xlim=(-0.45, len(drawing.levels) + 1.5), ylim=(-0.75 - ROW * rows, 1.35))


def _levels(axis: Axes, drawing: CascadeDrawing) -> None:
    """A box for each level. Letters enter every box from below, and what the levels above hold enters from the left."""
    columns = np.arange(1.0, 1 + len(drawing.levels)).tolist()
    for column, words in zip(columns, drawing.levels, strict=True):
        colour = RESET if words.startswith("reset") else COUNTER
        axis.add_patch(FancyBboxPatch((column - 0.4, 0), 0.8, 0.85, "round,pad=0,rounding_size=0.06", fc=colour, ec=colour))
        axis.text(column, 0.43, textwrap.fill(words, 14), ha="center", va="center", color="white", fontsize=8)
        _arrow(axis, (column, -0.28), (column, 0.0))
        for target in columns:
            if target > column:
                bend, height = (0.0, 0.55) if target == column + 1 else (-0.35, 0.85)
                _arrow(axis, (column + 0.4, height), (target - 0.4, height), bend)
    axis.plot([0, len(drawing.levels)], [-0.28, -0.28], color=INK, lw=0.9)
    axis.text(0, -0.2, "letter", ha="center", va="bottom", fontsize=8)
    axis.set_title("its cascade: a level sees the letter and the levels before it", fontsize=8.5)


def _run(axis: Axes, drawing: CascadeDrawing) -> None:
    """A row before the word and after each letter: the sets that the levels narrow down to, and the state of the automaton."""
    head = ("", *(f"level {number}" for number in range(1, 1 + len(drawing.levels))), "the automaton")
    lines = zip(("start", *drawing.word), *zip(*drawing.chains, strict=True), drawing.run, strict=True)
    for row, line in enumerate((head, *lines)):
        height = -0.75 - ROW * row
        for column, text in enumerate(line):
            axis.text(column, height, text, ha="center", va="center", fontsize=7.5, color=GREY if not row else INK)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], bend: float = 0.0) -> None:
    look = {"connectionstyle": f"arc3,rad={bend}", "arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 0, "shrinkB": 0}
    axis.add_patch(FancyArrowPatch(start, end, color=INK, lw=0.9, **look))
