"""Does nothing for two minutes."""

import dataclasses
import time

import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="stands_still",
    title="Stands still",
    statement="Nothing.",
    latex=r"x",
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
    return Prediction(1.0)


def measure(cell, key):
    time.sleep(120)  # far beyond the patience of the test, which must end red where nobody watches
    return xr.Dataset({"measured": ((), 1.0)})


CONTROLS = (Control("two", "it is two", lambda cell: Prediction(2.0)),)
