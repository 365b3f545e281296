"""The share of prefixes that layers misread, against the length of the words."""

import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from experiments.identify.balance_regulariser.common import SPOKEN


def _draw(figure, dataset: xr.Dataset) -> None:
    """Share of misread prefixes against their length, of layers trained with a penalty and without.

    Small points are seeds, large ones their medians. Line: the share of stacks that every layer misreads in the end.
    """
    axes, data = figure.subplots(), dataset.isel(cell=0)
    spans = data["span"].to_numpy()
    end = 1 - 1 / int(data["types"])
    axes.axhline(end, **law(label="below endless pairs"))
    for number, (name, spoken) in enumerate(SPOKEN.items()):
        errors = data[f"error_{name}"].transpose("span", "seed").to_numpy()
        points(axes, spans * 1.08 ** (number - 1), errors, number, spoken, every=True)
    axes.set(xscale="log", xlabel="length / training length", ylabel="share of misread prefixes", ylim=(-0.03, 0.75))
    axes.set_xticks(spans, [f"up to {span}" for span in spans])
    axes.minorticks_off()
    axes.legend(loc="upper left", ncols=2)


PICTURES = (Picture(2.8, _draw),)
