"""Uniform draws scaled by two stay under two."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.verify import UNSHARP, Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="true_bound",
    title="Doubled uniform draws stay under two",
    statement="Doubled draws from [0, 1) are at most 2.",
    latex=r"2u \le 2",
    relation=Relation.AT_MOST,
    source=Source("everybody", "folklore"),
    assumes=("draws are uniform",),
    refuted_by="a draw above two",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    scale: tuple[float, ...] | float = (2.0, 20.0, 200.0)


GRIDS = {size: Sizes() for size in ("quick", "full", "paper")}


def predict(cell):
    return Prediction(cell.scale * np.ones(16), of="draw", dims=("sample",), formula="c", resolution=UNSHARP)


def measure(cell, key):
    draws = cell.scale * np.asarray(jax.random.uniform(key, (16,)))
    return xr.Dataset({"draw": ("sample", draws, {"long_name": "doubled draw", "units": "metres"}), "draw_floor": ((), 1e-5)})


CONTROLS = (
    Control(
        "half the bound", "draws are at most half of it", lambda cell: Prediction(cell.scale * 0.5, of="draw"), everywhere=False
    ),
)
