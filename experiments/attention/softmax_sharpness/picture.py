"""Measured and sufficient sharpness against the length."""

import xarray as xr

from depthjax.figures.pens import COLOURS, GREY, law
from depthjax.verify import Picture
from theory import bounds


def _draw(figure, dataset: xr.Dataset) -> None:
    """Sharpness against the length.

    Points: the measured sharpness below which one word is wrong. Full line: what is enough on every word, and no point lies
    above it. Upright lines: lengths at which scores cease to be exact in each type of floats.
    """
    axes = figure.subplots()
    lengths = dataset["drawn"].to_numpy()
    enough = [bounds.sharpness(int(n)).at() for n in lengths]
    axes.plot(lengths, enough, **law(label="ln(4 N): enough on every word"))
    axes.plot(dataset["length"], dataset["onset"], "o", color=COLOURS[0], label="measured: 0 ... 0 1 0 is wrong below")
    axes.step(
        lengths, dataset["used"].isel(cell=0), ":", where="mid", color=COLOURS[1], label="power of two that the weights use"
    )
    for kind, limit in zip(dataset["dtype"].to_numpy(), dataset["longest_exact"].isel(cell=0).to_numpy(), strict=True):
        axes.axvline(limit, color=GREY, lw=0.9)
        axes.text(limit * 0.97, 2.1, f"{kind}: N = {limit}", rotation=90, ha="right", va="bottom", fontsize=7.5, color=GREY)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="length N", ylabel="sharpness", ylim=(2, None))
    axes.legend(loc="upper left", fontsize=7.5)


PICTURES = (Picture(3.0, _draw),)
