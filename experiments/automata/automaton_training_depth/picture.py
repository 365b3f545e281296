"""What trained networks of each depth get right, beside the layers that explicit weights need."""

import xarray as xr

from depthjax.figures.pens import COLOURS, law, points
from depthjax.verify import Picture
from theory import bounds
from theory.automata import semiautomaton


def _draw(place, dataset: xr.Dataset) -> None:
    """Accuracy against the number of trained layers, a panel an automaton.

    Points: the median seed with its 95 % interval; triangles: the best seed. At every depth the walk has the highest median.
    Upright lines: the layers that the cascade and the scan need.
    """
    names, depths = dataset["automaton"].to_numpy().tolist(), dataset["depth"].to_numpy()
    scan = bounds.scan(int(dataset["letters"].max())).at()
    for axis_, name in zip(place.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        seeds = dataset["accuracy"].sel(automaton=name).transpose("cell", "seed").to_numpy()
        axis_.plot(depths[:, None] + 0 * seeds, seeds, "o", ms=2.5, color=COLOURS[0], alpha=0.35)
        axis_.plot(depths, seeds.max(axis=1), "^", ms=6, mfc="none", color=COLOURS[0], label="best")
        points(axis_, depths, seeds, label="median")
        known = bounds.automaton(semiautomaton(name))
        if known.is_solvable:
            axis_.axvline(known.bound.at(), **law(label="cascade"))
        axis_.axvline(scan, **law(3, "scan"))
        axis_.set(title=name, xlim=(0.5, max(float(depths.max()), scan) + 0.5), ylim=(0, 1.03), xlabel="layers")
    place.axes[0].set_ylabel("accuracy")
    place.axes[-1].legend(*place.axes[0].get_legend_handles_labels(), fontsize=7, loc="upper left")


PICTURES = (Picture(3.0, _draw),)
