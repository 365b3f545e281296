"""The picture."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture


def _draw(figure, dataset: xr.Dataset) -> None:
    """Mean square error of one trained layer and of two against eps, both axes logarithmic.

    Crosses: the floor of one layer. Line: its leading term, of slope 4. One layer lies on the floor, and two lie below it.
    """
    axes, data = figure.subplots(1, 1), dataset.isel(cell=0)
    eps, finest = data["eps"].to_numpy(), data["variance"].isel(step=-1)
    axes.loglog(eps, float(finest) * (eps / float(finest["step"])) ** 4, **law(label="leading term"))
    axes.loglog(eps, data["variance_at"].to_numpy(), **law(label="floor of one layer", linestyle="", marker="x", ms=9))
    for number, (name, label) in enumerate((("blind_error", "one layer"), ("two_error", "two layers"))):
        points(axes, eps, data[name].transpose("eps", "seed").to_numpy(), number, label, every=True)
    axes.minorticks_off()
    axes.set(xticks=eps, xticklabels=[f"1/{1 / size:.0f}" for size in eps], xlabel="eps", ylabel="mean square error")
    axes.legend(loc="upper left")


PICTURES = (Picture(3.2, _draw),)
