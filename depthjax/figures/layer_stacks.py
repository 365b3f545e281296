"""A picture of networks as stacks of layers: one column a network, one box a layer, the lowest layer at the bottom."""

from collections.abc import Sequence
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from depthjax.figures.inks import INK

__all__ = ["COUNTER", "RESET", "draw_stacks"]

COUNTER, RESET = "#0072B2", "#E69F00"  # Okabe and Ito's blue and orange
_HIGH = 0.62  # of a box; rows have height 1, and the rest is the arrow
_TILTED = 9  # more names than this are tilted


def draw_stacks(place: Any, names: Sequence[str], stacks: Sequence[Sequence[str]], title: str) -> None:
    """Draw the layers of several networks side by side.

    Args:
        place: An empty part of a matplotlib figure.
        names: Names of the networks.
        stacks: What each layer of each network does, lowest first; a layer called "reset" is orange, any other blue.
        title: Words above the picture.
    """
    axis = place.subplots()
    tallest = max(map(len, stacks), default=0)
    for column, stack in enumerate(stacks):
        for row, kind in enumerate(stack):
            colour, bottom = RESET if kind == "reset" else COUNTER, row + 1 - _HIGH
            box = FancyBboxPatch(
                (column - 0.4, bottom), 0.8, _HIGH, "round,pad=0,rounding_size=0.08", fc=colour, ec=colour, alpha=0.85
            )
            axis.add_patch(box)
            words = kind.replace(" x ", "×")
            axis.text(column, bottom + _HIGH / 2, words, ha="center", va="center", color="white", fontsize=8)
            arrow = FancyArrowPatch((column, row), (column, bottom), arrowstyle="-|>", mutation_scale=7, color=INK, lw=0.8)
            axis.add_patch(arrow)
    axis.set(xlim=(-0.6, len(stacks) - 0.4), ylim=(-0.05, max(tallest, 1) + 0.1), ylabel="layer")
    axis.set_xticks(range(len(stacks)), names, rotation=20 if len(stacks) > _TILTED else 0)
    axis.set_yticks([row + 0.69 for row in range(tallest)], [str(row + 1) for row in range(tallest)])
    axis.set_title(title, loc="left", fontsize=8.5)
