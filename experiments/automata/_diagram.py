"""Pictures of automata: cascades as layers, and what was learned by depth beside what suffices."""

from typing import Any

import xarray as xr
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

COUNTER, RESET, INK = "#0072B2", "#E69F00", "#1a1a1b"  # Okabe and Ito's blue and orange; the report's ink
_ROW, _HIGH = 1.0, 0.62


def draw_cascades(place: Any, dataset: xr.Dataset) -> None:
    """Draw the layers of every cell: counters in blue, resets in orange; each layer sees the letter and all layers below it."""
    axis = place.subplots()
    names = [str(name).split("=")[-1] for name in dataset["cell"].to_numpy()]
    stacks = [str(text).split("|") if str(text) else [] for text in dataset["layers"].to_numpy()]
    for column, stack in enumerate(stacks):
        for row, kind in enumerate(stack):
            colour = RESET if kind == "reset" else COUNTER
            corner = (column - 0.4, row * _ROW + (_ROW - _HIGH))
            box = FancyBboxPatch(corner, 0.8, _HIGH, "round,pad=0,rounding_size=0.08", fc=colour, ec=colour, alpha=0.85)
            axis.add_patch(box)
            axis.text(
                column, corner[1] + _HIGH / 2, kind.replace(" x ", "×"), ha="center", va="center", color="white", fontsize=8
            )
            start = (column, corner[1] - (_ROW - _HIGH))
            axis.add_patch(FancyArrowPatch(start, (column, corner[1]), arrowstyle="-|>", mutation_scale=7, color=INK, lw=0.8))
    axis.set(xlim=(-0.6, len(stacks) - 0.4), ylim=(-0.05, max(map(len, stacks), default=1) * _ROW + 0.1), ylabel="layer")
    axis.set_xticks(range(len(stacks)), names, rotation=20 if len(stacks) > 9 else 0)
    axis.set_yticks(
        [row + 0.69 for row in range(max(map(len, stacks), default=0))],
        [str(row + 1) for row in range(max(map(len, stacks), default=0))],
    )
    axis.set_title("the cascade of each automaton: blue counts, orange remembers the last write", loc="left", fontsize=8.5)


def draw_ladder(place: Any, dataset: xr.Dataset) -> None:
    """Draw accuracy against trained depth, best and median seed, with the layers that suffice by cascade and by scan."""
    names = [str(name) for name in dataset["automaton"].to_numpy()]
    depths = dataset["trained_depth"].to_numpy()
    scan = float(dataset["scan"].max())
    for axis, number in zip(place.subplots(1, len(names), sharey=True, squeeze=False)[0], range(len(names)), strict=True):
        seeds = dataset["accuracy"].isel(automaton=number).transpose("cell", "seed").to_numpy()
        axis.plot(depths[:, None] + 0 * seeds, seeds, "o", ms=2.5, color=COUNTER, alpha=0.35)
        for what, style in (("best", "^-"), ("median", "o-")):
            axis.plot(depths, dataset[what].isel(automaton=number).to_numpy(), style, ms=5, color=COUNTER, label=what)
        cascade = float(dataset["cascade"].isel(automaton=number).max())
        if cascade == cascade:  # a number: there is a cascade
            axis.axvline(cascade, color=RESET, lw=1.4, label="cascade")
        axis.axvline(scan, color=INK, lw=1, ls=":", label="scan")
        axis.set(title=names[number], xlim=(0.5, max(float(depths.max()), scan) + 0.5), ylim=(0, 1.03), xlabel="layers")
    place.axes[0].set_ylabel("accuracy")
    place.axes[-1].legend(*place.axes[0].get_legend_handles_labels(), fontsize=7, loc="upper left")
