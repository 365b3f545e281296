"""An automaton as a graph: states on a circle, arrows with the letters that move along them."""

import textwrap
from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from depthjax.figures.inks import INK

__all__ = ["draw_automaton"]

NODE = 0.29  # radius of a state
ROOM = 2.6 * NODE  # from a state to its neighbour on the circle


def draw_automaton(
    axis: Axes,
    states: Sequence[str],
    letters: Sequence[str],
    table: np.ndarray,
    *,
    start: int | None = None,
    accepting: Collection[int] = (),
) -> None:
    """Draw an automaton. Letters that join the same two states share an arrow.

    Args:
        axis: Axes to draw on.
        states: Names of the states.
        letters: Names of the letters.
        table: Next state; shape (states, letters).
        start: A state at which an arrow without a letter points; None for none.
        accepting: States with a second circle.
    """
    count = len(states)
    radius = max(1.0, ROOM * count / (2 * np.pi))
    turns = np.pi / 2 - 2 * np.pi * np.arange(count) / count
    outward = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    places = radius * outward
    moves: dict[tuple[int, int], list[str]] = {}
    for (state, letter), target in np.ndenumerate(table):
        moves.setdefault((int(state), int(target)), []).append(letters[int(letter)])
    for (state, target), shared in moves.items():
        begin, end = places[state], places[target]
        if state == target:
            out, side = outward[state], np.array([-outward[state][1], outward[state][0]])
            begin, end = (begin + 0.9 * NODE * out + sign * NODE * 0.6 * side for sign in (1, -1))
            bend, middle = 1.9, places[state] + 3.4 * NODE * out
        else:
            along = end - begin
            across = np.array([-along[1], along[0]])
            unit = along / np.hypot(*along)
            begin, end = begin + NODE * unit, end - NODE * unit
            bend, middle = -0.2, (begin + end) / 2 + 0.17 * across
        curve = f"arc3,rad={-bend if state == target else bend}"
        axis.add_patch(
            FancyArrowPatch(begin, end, connectionstyle=curve, arrowstyle="-|>", mutation_scale=8, color=INK, lw=0.9)
        )
        words = textwrap.shorten(", ".join(shared), 16, placeholder=" …")
        axis.text(middle[0], middle[1], words, ha="center", va="center", fontsize=8)
    if start is not None:
        out = outward[start]
        side = np.array([-out[1], out[0]])
        tail, head = places[start] + 2.1 * NODE * side, places[start] + NODE * side
        axis.add_patch(FancyArrowPatch(tail, head, arrowstyle="-|>", mutation_scale=8, color=INK, lw=0.9, shrinkA=0, shrinkB=0))
    for number, (place, name) in enumerate(zip(places, states, strict=True)):
        for size in (NODE, 0.8 * NODE) if number in accepting else (NODE,):
            axis.add_patch(Circle(tuple(place), size, fc="none", ec=INK, lw=1))
        axis.text(place[0], place[1], textwrap.shorten(name, 8, placeholder="…"), ha="center", va="center", fontsize=7.5)
    reach = radius + 0.75
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach + 0.1), aspect="equal")
    axis.set_axis_off()
