"""Uniform draws stay under one half: false."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="false_bound",
    title="Uniform draws stay under one half",
    statement="Draws from [0, 1) are at most 1/2.",
    latex=r"u \le \tfrac12",
    relation=Relation.AT_MOST,
    source=Source("nobody", "this is false"),
    assumes=(),
    refuted_by="a draw above one half",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    draws: tuple[int, ...] | int = (8, 16)


GRIDS = {size: Sizes() for size in ("quick", "full", "paper")}


def predict(cell):
    return Prediction(0.5, of="draw")


def measure(cell, key):
    draws = np.sort(np.asarray(jax.random.uniform(key, (16,))))
    return xr.Dataset({"draw": ("sample", draws, {"long_name": "largest draws"}), "draw_floor": ((), 1e-7)})


CONTROLS = (Control("under a quarter", "draws are at most 1/4", lambda cell: Prediction(0.25, of="draw")),)
