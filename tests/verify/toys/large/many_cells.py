"""Sleeps in every cell and leaves a line in $TOYS_LOG for each measurement."""

import dataclasses
import os
import time

import jax
import numpy as np
import xarray as xr

from depthjax.verify import UNSHARP, Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="many_cells",
    title="Draws are below one",
    statement="Draws from [0, 1) are at most 1.",
    latex=r"u \le 1",
    relation=Relation.AT_MOST,
    source=Source("everybody", "folklore"),
    assumes=(),
    refuted_by="a draw above one",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    part: tuple[int, ...] | int = (0, 1, 2, 3, 4, 5)


GRIDS = {size: Sizes() for size in ("quick", "full", "paper")}


def predict(cell):
    return Prediction(1.0, of="draw", resolution=UNSHARP)


def measure(cell, key):
    time.sleep(float(os.environ.get("TOYS_SLEEP", "0")))
    if log := os.environ.get("TOYS_LOG"):
        with open(log, "a") as stream:
            stream.write(f"{cell.name}\n")
    return xr.Dataset({"draw": ("sample", np.asarray(jax.random.uniform(key, (4,)))), "draw_floor": ((), 1e-7)})


CONTROLS = (Control("below zero", "draws are at most -1", lambda cell: Prediction(-1.0, of="draw")),)
