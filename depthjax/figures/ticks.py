"""Ticks: powers in plain characters, no small ticks where there are many decades, whole numbers and truth values as such."""

import math
import re
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, Formatter, FuncFormatter, LogFormatterMathtext, MaxNLocator, NullLocator

__all__ = ["plain_ticks", "whole_ticks"]

DECADES = 2  # small ticks of more decades than this say little, and each takes as long as a label
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
POWER = re.compile(r"\^\{([-\d]+)\}")


def plain_ticks(axes: Axes) -> None:
    """Write the powers of logarithmic axes as words: typesetting them as formulas takes longer than all the rest."""
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(inner := axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter(_Plain(inner))
        if isinstance(inner := axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(_Plain(inner))
            if _decades(axis) > DECADES:
                axis.set_minor_locator(NullLocator())


def whole_ticks(axis: Axis, words: bool = False) -> None:
    """Label whole numbers alone, and truth values by words; a logarithmic axis keeps its ticks."""
    if axis.get_scale() != "linear":
        return
    if words:
        axis.set_major_locator(FixedLocator([0, 1]))
        axis.set_major_formatter(FuncFormatter(lambda value, place: {0: "no", 1: "yes"}.get(value, "")))
    else:
        axis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def _decades(axis: Axis) -> float:
    low, high = sorted(axis.get_view_interval())
    return math.log10(high / low) if low > 0 and math.isfinite(high) else 0.0


class _Plain(Formatter):
    """The labels of another formatter, without its markup."""

    def __init__(self, inner: LogFormatterMathtext):
        self.inner = inner

    def __call__(self, x: Any, pos: int | None = None) -> str:
        r"""Write a label: ``$\mathdefault{2\times10^{-3}}$`` becomes 2×10⁻³."""
        text = self.inner(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$").replace(r"\times", "×")
        return self.fix_minus(POWER.sub(lambda power: power[1].translate(RAISED), text))

    def set_axis(self, axis: Axis | None) -> None:
        """Belong to an axis, as the other formatter does."""
        self.inner.set_axis(axis)

    def set_locs(self, locs: Any) -> None:
        """Choose which ticks have labels."""
        self.inner.set_locs(locs)
