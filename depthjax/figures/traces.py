"""What a network does to one word: where each head of each layer looks, and what is known after the layer; data and picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.inks import INK
from depthjax.figures.plots import styled, svg

__all__ = ["Trace", "TracedLayer"]

EXTRA = "·"  # the extra token
CELL, TITLE, NAMES = 0.26, 0.75, 0.075  # inches: of a letter, above a layer, and of a character of a name


@dataclass(frozen=True)
class TracedLayer:
    """One layer at one word.

    Attributes:
        title: What kind of layer it is.
        attention: For each head its weights, shape (length, 1 + length): row i is letter i; column 0 is the extra token at the
            beginning or the end, and column 1 + j is letter j.
        knows: What is known at each letter after this layer: for each name one value a letter, bool or text.
    """

    title: str
    attention: Mapping[str, np.ndarray]
    knows: Mapping[str, Sequence[bool | str]]

    def looks_at(self, head: str) -> list[int]:
        """Return the letter with the largest weight at each letter, numbered from 1; 0 is the extra token."""
        return self.attention[head].argmax(axis=1).tolist()


@dataclass(frozen=True, repr=False)
class Trace:
    """What every layer of a network does to one word.

    Attributes:
        title: The network.
        word: The letters.
        layers: The layers in order; the first holds what the letters alone say.
        answers: The network's answer at each letter.
    """

    title: str
    word: tuple[str, ...]
    layers: tuple[TracedLayer, ...]
    answers: tuple[bool | str, ...]

    def __repr__(self) -> str:
        answers = " ".join(map(_shown, self.answers))
        return f"<Trace of {self.title} on {' '.join(self.word)}: {len(self.layers) - 1} layers; {answers}>"

    def figure(self) -> Figure:
        """Return the picture: a row a layer, what is known on the left, where each head looks on the right.

        In the maps a row is the letter that looks, and a column is the letter that it looks at; darker is more weight.
        """
        length, heads = len(self.word), max(len(layer.attention) for layer in self.layers)
        names = NAMES * max(len(name) for layer in self.layers for name in layer.knows)
        cell = max(
            CELL, NAMES * max((len(_shown(v)) for la in self.layers for row in la.knows.values() for v in row), default=1)
        )
        column = max(CELL, NAMES * max(map(len, self.word)) + 0.05)
        widths = [names + max(cell, column) * length, *([column * (length + 2) + 0.2] * heads)]
        rows = [max(len(layer.knows), length if layer.attention else 0) for layer in self.layers]
        heights = [TITLE + CELL * number for number in rows]
        with styled(self.title):
            page = Figure(figsize=(sum(widths) + 0.4, sum(heights) + 0.4), layout="constrained")
            FigureCanvasSVG(page)
            page.suptitle(self.title, x=0.01, ha="left")
            grid = page.subplots(len(heights), 1 + heads, squeeze=False, width_ratios=widths, height_ratios=heights)
            for places, layer, number in zip(grid, self.layers, rows, strict=True):
                _known(places[0], layer, self.word, number)
                for axes in places[1:]:
                    axes.set_axis_off()
                for axes, (name, weights) in zip(places[1:], layer.attention.items(), strict=False):
                    _weights(axes, name, weights, self.word)
        return page

    def _repr_html_(self) -> str:
        return svg(self.figure(), self.title)


def _shown(value: bool | str) -> str:
    return ("0", "1")[value] if isinstance(value, (bool, np.bool_)) else str(value)


def _known(axes: Axes, layer: TracedLayer, word: Sequence[str], height: int) -> None:
    """A grid of what is known, as high as `height` rows: a row a name, a column a letter; true cells are filled."""
    rows = list(layer.knows.values())
    filled = [[float(value) if isinstance(value, (bool, np.bool_)) else np.nan for value in row] for row in rows]
    axes.imshow(np.array(filled).reshape(len(rows), len(word)), cmap="Blues", vmin=0, vmax=2.2, aspect="auto")
    axes.set_ylim(height - 0.5, -0.5)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            axes.text(j, i, _shown(value), ha="center", va="center", fontsize=8, color=INK)
    axes.set_yticks(range(len(rows)), list(layer.knows))
    axes.set_xticks(range(len(word)), word)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.set_title(layer.title, loc="left", fontsize=9)


def _weights(axes: Axes, name: str, weights: np.ndarray, word: Sequence[str]) -> None:
    """A map of weights: rows look, columns are looked at."""
    axes.set_axis_on()
    axes.imshow(weights, cmap="Greys", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_xticks(range(1 + len(word)), [EXTRA, *word])
    axes.set_yticks(range(len(word)), word)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for line in range(1, 1 + len(word)):  # a faint grid between letters
        axes.axhline(line - 0.5, color=INK, lw=0.15)
        axes.axvline(line - 0.5, color=INK, lw=0.15)
    axes.set_title(name, loc="left", fontsize=8.5)
