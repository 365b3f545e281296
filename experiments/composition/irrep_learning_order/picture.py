"""The times at which two irreps start to be learned, against their scores."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from theory.composition import score
from theory.composition.encodings import PAIRS
from theory.groups import group


def _draw(figure, dataset: xr.Dataset) -> None:
    """Ratio of the times at which two irreps start to be learned, against the inverse ratio of scores.

    Points: the median seed with its 95 % interval. Full line: times inverse to the scores. Points right of 1 lie above 1, and
    points left of it below: the irrep of the higher score starts first.
    """
    axes = figure.subplots()
    ratios = []
    cells = zip(*(dataset[field].to_numpy() for field in ("group", "length", "side")), strict=True)
    for index, (name, length, side) in enumerate(cells):
        components = PAIRS[str(name), int(length)].components(group(str(name)), int(side))
        first, second = (float(score(component, int(length))) for component in components)
        times = dataset["time"].isel(cell=index).transpose("irrep", "seed").to_numpy()
        ratios.append(first / second)
        label = f"{name}, k = {length}" if side == 0 else None
        points(axes, ratios[-1:], (times[1] / times[0])[None], index // 2, label)
    ends = [min(ratios) - 0.05, max(ratios) + 0.05]
    axes.plot(ends, ends, **law(label="time inverse to the score"))
    axes.axhline(1, **law(3, "both at once", linewidth=0.9))
    axes.set(xlabel="score of the first irrep / score of the second", ylabel="start of the second / start of the first")
    axes.legend(fontsize=7)


PICTURES = (Picture(3.0, _draw),)
