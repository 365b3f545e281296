"""Pictures of a finite group: its character table, and the Fourier coefficients of a function on it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

__all__ = ["character_figure", "fourier_figure"]

_NUMBERED = 16  # classes up to which numbers stand in the cells


def character_figure(title: str, table: np.ndarray, classes: Sequence[str], dimensions: Sequence[int]) -> Figure:
    """Draw a character table: the colour is the absolute value over the dimension, and the number stands in the cell.

    Args:
        title: Title of the figure.
        table: Complex characters, a row for each irrep and a column for each class.
        classes: Names of the classes.
        dimensions: Dimension of each irrep.

    >>> character_figure("C2", np.array([[1, 1], [1, -1]]), ["e", "a"], [1, 1]).axes[0].get_title()
    'C2'
    """
    count = len(table)
    figure = Figure(figsize=(2.2 + 0.62 * min(count, 24), 1.6 + 0.42 * min(count, 24)), layout="constrained")
    axes = figure.subplots()
    shares = np.abs(table) / np.asarray(dimensions)[:, None]
    image = axes.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    if count <= _NUMBERED:
        for (row, column), value in np.ndenumerate(table):
            ink = "black" if shares[row, column] > 0.6 else "white"
            axes.text(column, row, _told(value), ha="center", va="center", fontsize=7, color=ink)
        axes.set_xticks(range(count), classes, rotation=60, ha="right", fontsize=7)
        axes.set_yticks(range(count), [f"{row} (dim {n})" for row, n in enumerate(dimensions)], fontsize=7)
    axes.set(title=title, xlabel="class · size", ylabel="irrep")
    figure.colorbar(image, ax=axes, label="|character| / dimension")
    return figure


def fourier_figure(title: str, blocks: Sequence[np.ndarray], shares: Sequence[float]) -> Figure:
    """Draw Fourier coefficients: the share of each irrep in the sum of squares, and the coefficients' absolute entries.

    Args:
        title: Title of the figure.
        blocks: The coefficient of each irrep, a square complex matrix.
        shares: Share of each irrep, between 0 and 1.

    >>> len(fourier_figure("C2", [np.eye(1), np.eye(1)], [0.5, 0.5]).axes)
    3
    """
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.6))
    left.bar(range(len(shares)), shares, color="0.35")
    left.set(title=title, xlabel="irrep", ylabel="share of the sum of squares", ylim=(0, 1))
    left.locator_params(axis="x", integer=True)
    sizes = [len(block) for block in blocks]
    whole = np.full((max(sizes), sum(sizes) + len(sizes) - 1), np.nan)
    starts = np.cumsum([0, *(size + 1 for size in sizes[:-1])])
    for block, start in zip(blocks, starts, strict=True):
        whole[: len(block), start : start + len(block)] = np.abs(block)
    image = right.imshow(whole, cmap="cividis", vmin=0, aspect="auto", interpolation="nearest")
    right.set_xticks([start + (size - 1) / 2 for start, size in zip(starts, sizes, strict=True)], map(str, range(len(sizes))))
    right.set(title="coefficients", xlabel="irrep", yticks=[])
    figure.colorbar(image, ax=right, label="absolute value of the entry")
    return figure


def _told(value: complex | np.number) -> str:
    real, imaginary = (round(float(part), 2) + 0.0 for part in (np.real(value), np.imag(value)))
    if not imaginary:
        return f"{real:g}"
    return f"{imaginary:g}i" if not real else f"{real:g}{imaginary:+g}i"
