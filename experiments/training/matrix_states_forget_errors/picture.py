"""The picture."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.verify import Picture
from theory.bounds import correctable_error
from theory.lie.held_bits import forgetting_rate


def _draw(figure, dataset: xr.Dataset) -> None:
    """What a letter leaves of an error, and the largest constant error that a bit survives, against the gain g.

    Lines are predicted, points are measured; colours are the share f that the gate keeps. Points lie on their lines. An update
    that is affine leaves 1 on the left and survives nothing on the right.
    """
    left, right = figure.subplots(1, 2)
    forgets, gains = (dataset[name].to_numpy().astype(float) for name in ("forget", "gain"))
    along = np.linspace(1.05, max(gains.max(), 2) * 1.05, 120)
    for number, forget in enumerate(np.unique(forgets)):
        left.plot(along, [forgetting_rate(gain, forget) for gain in along], **law(number))
        right.plot(along, [correctable_error(gain, forget).at() for gain in along], **law(number))
        own = np.flatnonzero(forgets == forget)
        for part, name in ((left, "left"), (right, "survived")):
            points(part, gains[own], dataset[name].to_numpy()[own, None], number, f"f = {forget:g}")
    left.set(xlabel="gain g", ylabel="share of an error after a letter", ylim=(0, 1.05))
    right.set(xlabel="gain g", ylabel="largest error that is survived", ylim=(0, None))
    right.legend(loc="upper left")


PICTURES = (Picture(3.0, _draw),)
