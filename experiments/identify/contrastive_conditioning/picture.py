"""Condition numbers of both losses at the optimum, against the distance."""

import numpy as np
import xarray as xr

from depthjax.figures.pens import law, pen
from depthjax.verify import Picture
from theory.identify import contrast as exact


def _draw(figure, dataset: xr.Dataset) -> None:
    """Condition number at the optimum against the distance.

    Points: measured. Lines: the exact law, and the power of R that it tends to. The points lie on the exact lines, and these
    approach their powers.
    """
    axes = figure.subplots()
    radii = np.concatenate([dataset["radius"].to_numpy(), 1 / dataset["step"].to_numpy()])
    curve = np.geomspace(2, radii.max(), 12)
    for index, loss in enumerate(dataset["loss"].to_numpy().tolist()):
        cell = dataset.isel(cell=index)
        values = np.concatenate([cell["condition"].to_numpy(), 1 / cell["inverse_condition"].to_numpy()])
        (colour, marker), name = pen(index), {"nce": "NCE", "ence": "eNCE"}[loss]
        axes.loglog(radii, values, marker, color=colour, label=name, mfc="none")
        axes.plot(curve, [exact.condition_number(r, loss) for r in curve], **law(2 * index, f"{name}, exact"))
        power, factor = exact.leading_condition(loss)
        axes.plot(curve, factor * curve**power, **law(2 * index + 1, f"{name}, leading term R^{power}", linewidth=0.9))
    axes.set(xlabel="distance R", ylabel="condition number at the optimum")
    axes.legend()


PICTURES = (Picture(3.2, _draw),)
