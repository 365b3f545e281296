"""The Cayley table of a group as a picture."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

__all__ = ["draw_cayley_table"]

NAMED = 12  # elements up to which rows and columns have names


def draw_cayley_table(axis: Axes, table: np.ndarray, names: Sequence[str]) -> None:
    """Draw a Cayley table: row times column, one colour an element. A group that commutes is its own mirror image.

    Args:
        axis: Axes to draw on.
        table: Number of the product; shape (order, order).
        names: Name of each element.
    """
    order = len(table)
    axis.pcolormesh(table, cmap="viridis", vmin=0, vmax=max(order - 1, 1), rasterized=order > NAMED)
    axis.set(aspect="equal")
    axis.invert_yaxis()
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    places = np.arange(order) + 0.5
    if order > NAMED:
        axis.set(xticks=[], yticks=[])
        return
    axis.set_xticks(places, names, rotation=90 if max(map(len, names)) > 3 else 0, fontsize=7.5)
    axis.set_yticks(places, names, fontsize=7.5)
    for (row, column), product in np.ndenumerate(table):
        dark = product < 0.6 * (order - 1)
        axis.text(
            column + 0.5,
            row + 0.5,
            str(names[int(product)]),
            ha="center",
            va="center",
            fontsize=6.5,
            color="white" if dark else "black",
        )
