"""Its prediction is outside the hypotheses."""

import dataclasses

import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="raises",
    title="Raises",
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
    raise ValueError("the mass 3 is not below log 2\nat all")


def measure(cell, key):
    return xr.Dataset({"measured": ((), 1.0)})


CONTROLS = (Control("two", "it is two", lambda cell: Prediction(2.0)),)
