"""Hidden units of explicit networks against the length of the words."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import GREY, law, pen
from depthjax.verify import Picture
from theory.composition import two_layer_width
from theory.groups import group


def _draw(figure, dataset: xr.Dataset) -> None:
    """Hidden units against the length.

    Points: networks that were constructed and are exact. Lines: the formula of each group, on which its points lie. Dashed
    grey: 2^(k - 1) alone.
    """
    axes, lengths = figure.subplots(), np.arange(2, 1 + int(dataset["length"].max()))
    for number, name in enumerate(dict.fromkeys(dataset["group"].to_numpy().tolist())):
        found = dataset.isel(cell=np.flatnonzero(dataset["group"] == name))
        irreps = group(name).irreps[1:]
        axes.plot(lengths, [two_layer_width(irreps, int(k)) for k in lengths], **law(number, None if number else "formula"))
        axes.plot(found["length"], found["needed"], pen(number)[1], color=pen(number)[0], label=name)
    axes.plot(lengths, 2.0 ** (lengths - 1), color=GREY, ls="--", lw=1, label=r"$2^{k-1}$")
    axes.set(yscale="log", xlabel="length k", ylabel="hidden units", xticks=lengths)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.0, _draw),)
