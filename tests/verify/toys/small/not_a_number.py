"""Its measurement is not a number."""

import dataclasses

import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="not_a_number",
    title="Measures nothing",
    statement="Nothing.",
    latex=r"x = \mathrm{NaN}",
    relation=Relation.EQUALS,
    source=Source("nobody", "nothing"),
    assumes=(),
    refuted_by="nothing",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    pass


GRIDS = {size: Sizes() for size in ("quick", "full", "paper")}


def predict(cell):
    return Prediction(1.0, of="value")


def measure(cell, key):
    return xr.Dataset({"value": ("point", np.array([1.0, np.nan]))})


CONTROLS = (Control("two", "it is two", lambda cell: Prediction(2.0, of="value")),)
