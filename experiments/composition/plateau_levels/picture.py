"""Losses of trained networks over time, above the shares of the irreps that they have learned."""

import xarray as xr

from depthjax.figures.pens import COLOURS, law
from depthjax.verify import Picture
from experiments.composition.plateau_levels.claim import Sizes, levels_of, parts
from theory.composition import activation_time
from theory.groups import group


def _draw(figure, dataset: xr.Dataset) -> None:
    """Above: losses of up to twelve seeds over time. Below: the share of each part that is learned.

    Level lines: predicted plateaus; upright lines: predicted times of the jumps. The losses rest on level lines and fall at
    upright ones.
    """
    axes = figure.subplots(2, dataset.sizes["cell"], squeeze=False, sharex="col")
    for index, (upper, lower) in enumerate(axes.T):
        data = dataset.isel(cell=index)
        cell = Sizes(group=str(data["group"].item()), length=int(data["length"]), ratio=float(data["ratio"]))
        upper.plot(data["time"], data["loss"].transpose("record", "seed")[:, :12], color=COLOURS[0], lw=0.6, alpha=0.5)
        for level in levels_of(cell):
            upper.axhline(level, **law(linewidth=0.9))
        for number, (part, colour) in enumerate(zip(parts(cell).values(), COLOURS[1:], strict=False)):
            jump = float(activation_time(part, cell.length, group(cell.group).order))
            for place in (upper, lower):
                place.axvline(jump, **law(3, linewidth=0.9))
            label = f"{part.kind}, dim {part.dimension}"
            lower.plot(data["time"], data["share"].isel(irrep=number), color=colour, label=label)
        upper.set_title(f"{cell.group}, k = {cell.length}" + (", one irrep" if cell.ratio < 1 else ""), fontsize=8.5)
        lower.legend(fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.3), handlelength=1.0)
        lower.set_xlabel("time")
    axes[0, 0].set_ylabel("loss; lines: predicted")
    axes[1, 0].set_ylabel("share learned")


PICTURES = (Picture(4.6, _draw),)
