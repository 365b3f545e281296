"""Pictures of what the probe finds, as SVG text that holds shapes alone: no scripts, links, fonts or dates."""

import io
from collections.abc import Sequence

import matplotlib
import numpy as np
from jaxtyping import Int
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

MOST = 40  # states or letters up to which every entry is written out


def transition_table(
    table: Int[np.ndarray, "states letters"], outputs: Int[np.ndarray, "states letters"], letters: Sequence[int]
) -> str:
    """Return an automaton's table as SVG: a row for each state, a column for each letter, the next state as a number.

    The colour of an entry is the answer at that letter. Entries of more than `MOST` states or letters are not written out.
    """
    states, width = table.shape
    written = max(states, width) <= MOST
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "svg.fonttype": "path", "svg.hashsalt": "probe", "font.size": 8}):
        figure = Figure(figsize=(min(1 + 0.3 * width, 8), min(0.8 + 0.22 * states, 10)), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots()
        classes = np.unique(outputs, return_inverse=True)[1].reshape(outputs.shape)
        axes.pcolormesh(classes, cmap="Pastel1" if classes.max() < 9 else "viridis", edgecolors="white", linewidth=0.5)
        axes.invert_yaxis()
        axes.set(xlabel="letter", ylabel="state")
        if written:
            axes.set_xticks(np.arange(width) + 0.5, [str(letter) for letter in letters])
            axes.set_yticks(np.arange(states) + 0.5, [str(state) for state in range(states)])
            for (state, letter), following in np.ndenumerate(table):
                axes.text(letter + 0.5, state + 0.5, str(following), ha="center", va="center", size=7)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "depthjax", "Title": "transition table"})
    return stream.getvalue()
