"""Layers by tables, with and without the mask."""

import xarray as xr

from depthjax.figures.pens import law, pen
from depthjax.verify import Picture
from theory.attention.compose import composition_layers


def _draw(figure, dataset: xr.Dataset) -> None:
    """Layers from which on explicit weights compose k tables in order.

    Lines: k + 1 under the causal mask, ceil(log2(k + 2)) without a mask. Points lie on them: the mask alone makes the depth
    grow with the number of tables.
    """
    axes, counts = figure.subplots(), dataset["composed"].to_numpy()
    for number, (mask, of) in enumerate({"causal": "layers", "full": "layers_full"}.items()):
        colour, marker = pen(number)
        axes.step(
            counts,
            [composition_layers(int(k), mask) for k in counts],
            where="mid",
            **law(number, label=f"predicted, {mask} mask"),
        )
        axes.plot(counts, dataset[of].isel(cell=0), marker, color=colour, label=f"measured, {mask} mask")
    axes.set(xlabel="tables k", ylabel="layers", ylim=(0, None))
    axes.legend(loc="upper left", fontsize=7.5)


PICTURES = (Picture(3.0, _draw),)
